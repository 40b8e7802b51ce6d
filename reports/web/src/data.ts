/* The runs in the page: the files of their run folders, gzip in base64, read into columns. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Jobs {
  n: number;
  id: string[];
  user: Column; team: Column; partition: Column; state: Column; reason: Column;
  gpus: Float64Array; submit: Float64Array; eligible: Float64Array; start: Float64Array; end: Float64Array;
  wait: Float64Array; run: Float64Array; slowdown: Float64Array; preemptions: Float64Array;
  gpuSeconds: Float64Array; lost: Float64Array;
  placement: string[];
}

/* A text column: names once, a number a row. */
export interface Column { names: string[]; of: Int32Array }

export interface Timeline { n: number; column: Record<string, Float64Array> }

/* A row of links.csv: a direction of a link over the whole run. */
export interface Link { link: string; from: string; to: string; gbps: number; bytes: number; utilization: number }

export interface Run {
  index: number;
  label: string;
  manifest: { [key: string]: Json };
  summary: { [key: string]: Json };
  jobs?: Jobs;
  timeline?: Timeline;
  links?: Link[];
  end: number;   // of the run, s
  first: number; // submit, s
}

const files = new Map<string, string>();

export function fileNames(run: number): string[] {
  return Array.from(document.querySelectorAll<HTMLElement>(`script[data-run="${run}"]`), e => e.dataset.file!);
}

export function runCount(): number {
  return new Set(Array.from(document.querySelectorAll<HTMLElement>("script[data-run]"), e => e.dataset.run)).size;
}

function bytesOf(base64: string): Uint8Array {
  const decode = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array }).fromBase64;
  if (decode) return decode(base64);
  const raw = atob(base64);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

export async function fileText(run: number, name: string): Promise<string | undefined> {
  const key = `${run}/${name}`;
  const known = files.get(key);
  if (known !== undefined) return known;
  const at = Array.from(document.querySelectorAll<HTMLElement>(`script[data-run="${run}"]`)).find(e => e.dataset.file === name);
  if (!at) return undefined;
  const packed = bytesOf(at.textContent!.trim());
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  files.set(key, text);
  return text;
}

/* Calls row(fields) for each line; fields are reused. Quoted as in RFC 4180. */
function eachRow(text: string, row: (fields: string[], n: number) => void): void {
  const fields: string[] = [];
  let at = 0;
  const len = text.length;
  while (at < len) {
    let n = 0;
    for (;;) {
      if (text.charCodeAt(at) === 34) {
        let from = at + 1, value = "";
        for (;;) {
          const q = text.indexOf('"', from);
          const to = q < 0 ? len : q;
          value += text.slice(from, to);
          if (q < 0 || text.charCodeAt(q + 1) !== 34) { at = to + 1; break; }
          value += '"';
          from = q + 2;
        }
        fields[n++] = value;
      } else {
        let to = at;
        for (; to < len; to++) {
          const c = text.charCodeAt(to);
          if (c === 44 || c === 10) break;
        }
        fields[n++] = text.slice(at, to);
        at = to;
      }
      if (text.charCodeAt(at) === 44) { at++; continue; }
      break;
    }
    if (text.charCodeAt(at) === 13) at++;
    at++;
    row(fields, n);
  }
}

function number(text: string): number {
  return text === "" ? NaN : +text;
}

class Texts {
  names: string[] = [];
  of: Int32Array;
  private known = new Map<string, number>();
  constructor(n: number) { this.of = new Int32Array(n); }
  put(row: number, text: string): void {
    let i = this.known.get(text);
    if (i === undefined) {
      i = this.names.length;
      this.names.push(text);
      this.known.set(text, i);
    }
    this.of[row] = i;
  }
}

function lines(text: string): number {
  let n = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) n++;
  return n;
}

function readJobs(text: string): Jobs {
  const most = lines(text);
  const num = () => new Float64Array(most);
  const out: Jobs = {
    n: 0, id: new Array(most), placement: new Array(most), user: new Texts(most), team: new Texts(most),
    partition: new Texts(most), state: new Texts(most), reason: new Texts(most), gpus: num(), submit: num(),
    eligible: num(), start: num(), end: num(), wait: num(), run: num(), slowdown: num(), preemptions: num(),
    gpuSeconds: num(), lost: num(),
  };
  const texts = ["user", "team", "partition", "state", "reason"] as const;
  const numbers = { gpus: "gpus", submit_s: "submit", eligible_s: "eligible", start_s: "start", end_s: "end", wait_s: "wait",
    run_s: "run", slowdown: "slowdown", preemptions: "preemptions", gpu_seconds: "gpuSeconds",
    lost_gpu_seconds: "lost" } as const;
  let put: ((row: number, f: string[]) => void)[] = [];
  let head = true, row = 0;
  eachRow(text, (f, n) => {
    if (head) {
      head = false;
      const where = new Map(f.slice(0, n).map((name, i) => [name, i]));
      const id = where.get("job_id")!, place = where.get("placement")!;
      put = [(r, g) => { out.id[r] = g[id]; out.placement[r] = g[place]; }];
      for (const t of texts) { const i = where.get(t)!, c = out[t] as Texts; put.push((r, g) => c.put(r, g[i])); }
      for (const [name, key] of Object.entries(numbers)) {
        const i = where.get(name)!, c = out[key];
        put.push((r, g) => { c[r] = number(g[i]); });
      }
      return;
    }
    if (n < 2) return;
    for (const p of put) p(row, f);
    row++;
  });
  out.n = row;
  return out;
}

function readTimeline(text: string): Timeline {
  const most = lines(text);
  const column: Record<string, Float64Array> = {};
  let names: string[] | null = null, row = 0;
  eachRow(text, (f, n) => {
    if (!names) {
      names = f.slice(0, n);
      for (const name of names) column[name] = new Float64Array(most);
      return;
    }
    for (let i = 0; i < names.length; i++) column[names[i]][row] = number(f[i] ?? "");
    row++;
  });
  for (const name of names ?? []) column[name] = column[name].subarray(0, row);
  return { n: row, column };
}

function readLinks(text: string): Link[] {
  const out: Link[] = [];
  let where: Map<string, number> | null = null;
  eachRow(text, (f, n) => {
    if (!where) { where = new Map(f.slice(0, n).map((name, i) => [name, i])); return; }
    const get = (name: string) => f[where!.get(name) ?? n] ?? "";
    out.push({ link: get("link"), from: get("from"), to: get("to"), gbps: number(get("gbps")), bytes: number(get("bytes")), utilization: number(get("utilization")) });
  });
  return out;
}

/* Manifest and summary: small, so that the page can show something at once. */
export async function openRun(index: number): Promise<Run> {
  const manifest = JSON.parse((await fileText(index, "manifest.json"))!);
  const summary = JSON.parse((await fileText(index, "summary.json"))!);
  const label = document.querySelector<HTMLElement>(`script[data-run="${index}"]`)?.dataset.label ?? manifest.name ?? "";
  return { index, label, manifest, summary, first: manifest.first_submit_s ?? 0, end: manifest.end_s ?? 0 };
}

export async function openRows(run: Run): Promise<void> {
  const timeline = await fileText(run.index, "timeline.csv");
  if (timeline) run.timeline = readTimeline(timeline);
  const jobs = await fileText(run.index, "jobs.csv");
  if (jobs) run.jobs = readJobs(jobs);
  const links = await fileText(run.index, "links.csv");
  if (links) run.links = readLinks(links);
}

/* "utilization.busy", "wait_s.p95"; NaN where the run has no such number. */
export function metric(run: Run, name: string): number {
  const v = at(run.summary, ...name.split("."));
  return typeof v === "number" ? v : NaN;
}

export function at(from: Json | undefined, ...path: string[]): Json | undefined {
  for (const key of path) {
    if (from === null || typeof from !== "object" || Array.isArray(from) || !Object.hasOwn(from, key)) return undefined;
    from = from[key];
  }
  return from;
}

export function entries(from: Json | undefined): [string, Json][] {
  return from && typeof from === "object" && !Array.isArray(from) ? Object.entries(from) : [];
}

export function list(from: Json | undefined): Json[] {
  return Array.isArray(from) ? from : [];
}

export const sizeClasses = ["0", "<1", "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-256", "257-512",
  "513-1024", "1025+"];

export function sizeClass(gpus: number): string {
  if (!(gpus > 0)) return "0";
  if (gpus < 1) return "<1";
  if (gpus <= 1) return "1";
  if (gpus <= 2) return "2";
  const i = Math.ceil(Math.log2(gpus) - 1e-9) + 2;
  return sizeClasses[Math.min(i, sizeClasses.length - 1)];
}
