/* Which job held which GPU when: the last placement of every job as rectangles, a row a GPU, grouped by node. */
import type { Jobs, Run } from "./data";

export interface Lanes {
  nodes: string[];         // in natural order
  first: Int32Array;       // first GPU row of a node; one more entry than nodes
  rows: number;            // GPU rows in all
  // Rectangles, by node then start.
  n: number;
  job: Int32Array; from: Float64Array; to: Float64Array; low: Int32Array; high: Int32Array; // GPU rows [low, high)
  of: Int32Array;          // first rectangle of a node; one more entry than nodes
  reach: Float64Array;     // latest end of this and earlier rectangles of the node
  partial: number;         // jobs that were preempted or moved: earlier runs are not in jobs.csv
}

interface Piece { node: number; low: number; high: number; job: number }

function pieces(j: Jobs): { list: Piece[]; nodes: string[]; wide: number[] } {
  const list: Piece[] = [], known = new Map<string, number>(), nodes: string[] = [], wide: number[] = [];
  for (let i = 0; i < j.n; i++) {
    const text = j.placement[i];
    if (text === "" || !Number.isFinite(j.start[i])) continue;
    for (const part of text.split(";")) {
      const colon = part.lastIndexOf(":");
      if (colon < 0) continue;
      const name = part.slice(0, colon);
      let node = known.get(name);
      if (node === undefined) { node = nodes.length; nodes.push(name); wide.push(1); known.set(name, node); }
      for (const range of part.slice(colon + 1).split(",")) {
        const dash = range.indexOf("-");
        const low = parseInt(range, 10), high = (dash < 0 ? low : parseInt(range.slice(dash + 1), 10)) + 1;
        if (!(low >= 0 && high > low && high < 100000)) continue;
        if (high > wide[node]) wide[node] = high;
        list.push({ node, low, high, job: i });
      }
    }
  }
  return { list, nodes, wide };
}

export function lanesOf(r: Run): Lanes {
  const j = r.jobs!, { list, nodes, wide } = pieces(j);
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const order = nodes.map((_, i) => i).sort((a, b) => compare(nodes[a], nodes[b]) || a - b);
  const rank = new Int32Array(nodes.length), first = new Int32Array(nodes.length + 1);
  order.forEach((old, now) => { rank[old] = now; first[now + 1] = first[now] + wide[old]; });
  // Of a preempted job only the last run's GPUs are known: it is drawn from its last possible start.
  const from = (i: number) => j.preemptions[i] > 0 ? Math.max(j.start[i], end(i) - j.run[i]) : j.start[i];
  const end = (i: number) => Number.isFinite(j.end[i]) ? j.end[i] : r.end;
  const begins = new Float64Array(j.n), ends = new Float64Array(j.n);
  let partial = 0;
  for (let i = 0; i < j.n; i++) { begins[i] = from(i); ends[i] = end(i); if (j.preemptions[i] > 0) partial++; }
  for (const p of list) p.node = rank[p.node];
  list.sort((a, b) => a.node - b.node || begins[a.job] - begins[b.job] || a.job - b.job);
  const n = list.length;
  const out: Lanes = { nodes: order.map(i => nodes[i]), first, rows: first[nodes.length], n, job: new Int32Array(n), from: new Float64Array(n), to: new Float64Array(n), low: new Int32Array(n), high: new Int32Array(n),
    of: new Int32Array(nodes.length + 1), reach: new Float64Array(n), partial };
  let node = -1, reach = 0;
  list.forEach((p, k) => {
    if (p.node !== node) { for (let q = node + 1; q <= p.node; q++) out.of[q] = k; node = p.node; reach = -Infinity; }
    out.job[k] = p.job; out.from[k] = begins[p.job]; out.to[k] = ends[p.job];
    out.low[k] = first[p.node] + p.low; out.high[k] = first[p.node] + p.high;
    out.reach[k] = reach = Math.max(reach, ends[p.job]);
  });
  for (let q = node + 1; q <= nodes.length; q++) out.of[q] = n;
  return out;
}

/* Rectangles of a node that may touch [from, to): indices [a, b). */
export function windowOf(l: Lanes, node: number, from: number, to: number): [number, number] {
  let lo = l.of[node], hi = l.of[node + 1];
  const end = hi;
  while (lo < hi) { const m = (lo + hi) >> 1; if (l.reach[m] <= from) lo = m + 1; else hi = m; }
  const a = lo;
  hi = end;
  while (lo < hi) { const m = (lo + hi) >> 1; if (l.from[m] < to) lo = m + 1; else hi = m; }
  return [a, lo];
}

export function rectanglesOf(l: Lanes, job: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < l.n; i++) if (l.job[i] === job) out.push(i);
  return out;
}
