/* What several sections need. */
import { h } from "../dom";
import { at, type Json, list, type Run } from "../data";

export function letter(r: Run): string { return String.fromCharCode(65 + r.index); }

/* Common times of several timelines: 1,000 even steps over all of them. */
export function sampled(runs: Run[]): Float64Array {
  const from = Math.min(...runs.map(r => r.timeline!.column.time_s[0]));
  const to = Math.max(...runs.map(r => r.timeline!.column.time_s[r.timeline!.n - 1]));
  return Float64Array.from({ length: 1000 }, (_, i) => from + (to - from) * i / 999);
}

export function texts(v: Json | undefined): string[] {
  return list(v).map(x => typeof x === "string" ? x : JSON.stringify(x));
}

export function num(v: Json | undefined, ...path: string[]): number {
  const x = at(v, ...path);
  return typeof x === "number" ? x : NaN;
}

export function choice(label: string, options: [string, string][], chosen: string, change: (v: string) => void): HTMLElement {
  const s = h("select", { onchange: () => change(s.value) }, ...options.map(([v, text]) => h("option", { value: v, selected: v === chosen }, text)));
  return h("label", { class: "choice" }, label, s);
}
