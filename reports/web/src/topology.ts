/* The fabric as a picture: hosts below, switches above by their distance from the hosts, links by their load. Made from
 * links.csv alone. Parallel links and the ports of a host are drawn as one; very large fabrics by their busiest parts. */
import type { Link } from "./data";
import { h, svg } from "./dom";
import { amount, count, percent, visible } from "./format";

interface Edge { a: string; b: string; gbps: number; load: number } // load: of the busier direction
interface Fabric { hosts: string[]; level: Map<string, number>; edges: Edge[]; leavesOf: Map<string, string[]> }

const most = { switches: 160, edges: 2500, hosts: 6000 };
const ramp = ["#d7dde0", "#a9d0e8", "#5aa9d6", "#12679c", "#6a3d9a", "#c4302f"]; // also told by width

/* By sixths of `top`, a round number above the greatest load, so that a lightly loaded fabric shows its hot spots too. */
function tone(load: number, top: number): string { return ramp[Math.min(5, Math.floor(load / top * 6))]; }

const hostOf = (name: string) => { const cut = name.indexOf("/"); return cut < 0 ? name : name.slice(0, cut); };

function fabricOf(links: Link[]): Fabric | null {
  const way = new Map<string, { a: string; b: string; gbps: number; full: number }>();
  const hosts = new Set<string>(), near = new Map<string, Set<string>>();
  const meet = (a: string, b: string) => { let s = near.get(a); if (!s) near.set(a, s = new Set()); s.add(b); };
  for (const l of links) {
    if (!l.from || !l.to) continue;
    const a = hostOf(l.from), b = hostOf(l.to);
    if (a !== l.from) hosts.add(a);
    if (b !== l.to) hosts.add(b);
    if (a === b) continue;
    const key = `${a}\n${b}`, w = way.get(key) ?? { a, b, gbps: 0, full: 0 };
    w.gbps += l.gbps;
    w.full += l.gbps * (l.utilization || 0);
    way.set(key, w);
    meet(a, b);
    meet(b, a);
  }
  if (!near.size) return null;
  if (!hosts.size) { // an imported fabric without ports: what has the fewest neighbours hangs at the bottom
    const least = Math.min(...[...near.values()].map(s => s.size));
    for (const [n, s] of near) if (s.size === least) hosts.add(n);
  }
  const level = new Map<string, number>();
  let front = [...hosts];
  for (const n of front) level.set(n, 0);
  for (let d = 1; front.length; d++) {
    const next: string[] = [];
    for (const n of front) for (const m of near.get(n) ?? []) if (!level.has(m)) { level.set(m, d); next.push(m); }
    front = next;
  }
  const edges = new Map<string, Edge>();
  for (const w of way.values()) {
    const [a, b] = w.a < w.b ? [w.a, w.b] : [w.b, w.a], key = `${a}\n${b}`, load = w.gbps > 0 ? w.full / w.gbps : 0;
    const e = edges.get(key);
    if (e) e.load = Math.max(e.load, load);
    else edges.set(key, { a, b, gbps: w.gbps, load });
  }
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const leavesOf = new Map([...hosts].map(n => [n, [...near.get(n) ?? []].filter(m => !hosts.has(m)).sort(order)]));
  return { hosts: [...hosts].sort(order), level, edges: [...edges.values()], leavesOf };
}

const told = (a: string, b: string, e: Edge) => `${visible(a, 60)} – ${visible(b, 60)}: ${percent(e.load)} of ${amount(e.gbps)} GB/s`;

interface Spot { x: number; y: number; w: number }

/* Switches of a level in a row, the lowest level at the bottom. */
function place(rows: string[][], width: number, top: number, gap: number): Map<string, Spot> {
  const at = new Map<string, Spot>();
  rows.forEach((row, i) => row.forEach((n, k) => {
    const cell = width / row.length;
    at.set(n, { x: cell * (k + 0.5), y: top + gap * (rows.length - 1 - i), w: Math.min(84, Math.max(3, cell - 4)) });
  }));
  return at;
}

function drawHosts(f: Fabric, leaves: string[], at: Map<string, Spot>, loads: Map<string, Edge>, width: number, y: number, top: number): { parts: SVGElement[]; bottom: number } {
  const parts: SVGElement[] = [];
  let bottom = y;
  const square = (n: string, x: number, yy: number, size: number) => {
    const e = loads.get(n);
    parts.push(svg("rect", { x, y: yy, width: size - 1, height: size - 1, rx: 1.5, fill: tone(e?.load ?? 0, top) }, svg("title", null, `${visible(n, 60)}: its NICs ${percent(e?.load ?? 0)} of ${amount(e?.gbps ?? 0)} GB/s`)));
    bottom = Math.max(bottom, yy + size);
  };
  const shown = f.hosts.slice(0, most.hosts);
  if (shown.every(n => f.leavesOf.get(n)!.length === 1)) {
    const under = new Map<string, string[]>(leaves.map(l => [l, []]));
    for (const n of shown) under.get(f.leavesOf.get(n)![0])?.push(n);
    const cell = width / Math.max(1, leaves.length), across = Math.max(1, Math.floor(Math.min(cell - 4, 84) / 11)), size = Math.min(11, Math.max(2, (cell - 2) / across));
    for (const [leaf, list] of under) list.forEach((n, k) => square(n, at.get(leaf)!.x - across * size / 2 + k % across * size, y + Math.floor(k / across) * size, size));
  } else {
    const across = Math.floor(width / 11);
    shown.forEach((n, k) => square(n, k % across * 11, y + Math.floor(k / across) * 11, 11));
  }
  return { parts, bottom };
}

export function topology(links: Link[], what: string): HTMLElement | null {
  const f = fabricOf(links);
  if (!f) return null;
  const busy = new Map<string, number>(), ofHost = new Map<string, Edge>();
  for (const e of f.edges) for (const n of [e.a, e.b]) {
    busy.set(n, Math.max(busy.get(n) ?? 0, e.load));
    if (f.level.get(n) === 0 && e.load >= (ofHost.get(n)?.load ?? 0)) ofHost.set(n, e);
  }
  const order = new Intl.Collator("en", { numeric: true }).compare, high = Math.max(...f.level.values());
  const greatest = Math.max(...f.edges.map(e => e.load));
  const top = [0.05, 0.1, 0.2, 0.5, 1].find(t => t >= greatest) ?? 1;
  let left = 0;
  const rows = Array.from({ length: high }, (_, i) => {
    const all = [...f.level].filter(([, d]) => d === i + 1).map(([n]) => n);
    const kept = all.length > most.switches ? all.sort((a, b) => busy.get(b)! - busy.get(a)! || order(a, b)).slice(0, most.switches) : all;
    left += all.length - kept.length;
    return kept.sort(order);
  });
  const width = 1000, gap = 110, at = place(rows, width, 16, gap);
  const between = f.edges.filter(e => at.has(e.a) && at.has(e.b)).sort((a, b) => a.load - b.load);
  const drawn = between.slice(-most.edges);
  const lines = drawn.map(e => {
    const p = at.get(e.a)!, q = at.get(e.b)!, flat = p.y === q.y;
    return svg("path", { d: flat ? `M${p.x} ${p.y}Q${(p.x + q.x) / 2} ${p.y - 40} ${q.x} ${q.y}` : `M${p.x} ${p.y}L${q.x} ${q.y}`, fill: "none", stroke: tone(e.load, top), "stroke-width": 1 + 4 * e.load / top }, svg("title", null, told(e.a, e.b, e)));
  });
  const boxes = rows.flatMap(row => row.map(n => {
    const s = at.get(n)!, wide = s.w > 40;
    return svg("g", null, svg("rect", { x: s.x - s.w / 2, y: s.y - 9, width: s.w, height: 18, rx: 3, class: "switch-box" }), wide ? svg("text", { x: s.x, y: s.y + 4, "text-anchor": "middle" }, visible(n, 14)) : null, svg("title", null, `${visible(n, 60)}: its busiest link ${percent(busy.get(n) ?? 0)}`));
  }));
  const y = 16 + gap * Math.max(0, rows.length - 1) + 16, hosts = drawHosts(f, rows[0] ?? [], at, ofHost, width, rows.length ? y : 4, top);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${hosts.bottom + 6}`, role: "img", "aria-label": `The fabric ${what}: ${count(f.hosts.length)} hosts, ${count(f.level.size - f.hosts.length)} switches; the busiest link at ${percent(greatest)} on average. The table below has every link.` }, ...lines, ...boxes, ...hosts.parts);
  const labels = ramp.map((_, i) => `${i === 0 ? "up to " : ""}${percent(top * (i + 1) / 6)}`);
  const parts = [left ? `${count(left)} less busy switches` : "", between.length > drawn.length ? `${count(between.length - drawn.length)} less busy links` : "", f.hosts.length > most.hosts ? `${count(f.hosts.length - most.hosts)} hosts` : ""].filter(t => t);
  return h("figure", { class: "topology" }, h("figcaption", null, "Switches above hosts (squares, coloured by their NICs); a line is all parallel links, its width and colour the mean load of the busier direction"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The picture of the fabric; scrolls sideways on a narrow screen" }, picture), h("div", { class: "legend" }, ...ramp.map((c, i) => h("span", { class: "key" }, h("span", { class: "swatch", style: `background:${c}` }), labels[i]))),
    h("p", { class: "note" }, "Links that carried nothing are left out.", parts.length ? ` Not drawn: ${parts.join(", ")}.` : null));
}
