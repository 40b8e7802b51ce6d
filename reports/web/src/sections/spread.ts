/* Distributions of wait and completion time, exact over the jobs, on a logarithmic axis. */
import { h } from "../dom";
import { percent } from "../format";
import { type Run, sizeClass, sizeClasses } from "../data";
import { plot } from "../plot";
import type { Section } from "../section";
import { series } from "../theme";
import { choice, letter } from "./shared";

const points = 600;

function values(r: Run, of: "wait" | "jct", cls: string): Float64Array {
  const j = r.jobs!, out = new Float64Array(j.n);
  let n = 0;
  for (let i = 0; i < j.n; i++) {
    if (cls !== "" && sizeClass(j.gpus[i]) !== cls) continue;
    const v = of === "wait" ? j.wait[i] : Number.isFinite(j.start[i]) ? j.end[i] - j.submit[i] : NaN;
    if (Number.isFinite(v)) out[n++] = v;
  }
  return out.slice(0, n).sort();
}

function share(sorted: Float64Array, limit: number): number {
  let lo = 0, hi = sorted.length;
  while (lo < hi) { const m = (lo + hi) >> 1; if (sorted[m] <= limit) lo = m + 1; else hi = m; }
  return lo / sorted.length;
}

function curves(runs: Run[], of: "wait" | "jct", cls: string): HTMLElement {
  const all = runs.map(r => values(r, of, cls));
  const most = Math.max(10, ...all.map(v => v.length ? v[v.length - 1] : 0));
  const x = Float64Array.from({ length: points }, (_, i) => Math.exp(Math.log(most) * i / (points - 1)));
  x[points - 1] = most;
  const what = of === "wait" ? "Wait for the first start" : "Completion time, submission to end";
  return plot({
    name: `${of}-cdf`, caption: what, x, xLabel: of === "wait" ? "wait_s" : "jct_s", xKind: "log-seconds", y: v => percent(v, v * 20 % 1 === 0 ? 0 : 2), yLabel: "share of jobs", yMax: 1,
    series: runs.map((r, i) => ({ label: runs.length > 1 ? letter(r) : "jobs that took at most this long", colour: () => series(runs.length > 1 ? r.index : of === "wait" ? 0 : 2),
      values: Float64Array.from(x, v => share(all[i], v)) })),
  });
}

export const spread: Section = {
  id: "distributions", title: "Distributions", rows: true,
  lead: "Read a curve at a time: so many of the jobs waited, or took, at most that long. The further left, the better. The axis begins at one second.",
  applies: runs => runs.some(r => r.jobs),
  render(into, runs) {
    const with_ = runs.filter(r => r.jobs);
    const present = new Set<string>();
    for (const r of with_) for (let i = 0; i < r.jobs!.n; i++) present.add(sizeClass(r.jobs!.gpus[i]));
    const pair = h("div", { class: "pair" });
    const draw = (cls: string) => pair.replaceChildren(curves(with_, "wait", cls), curves(with_, "jct", cls));
    into.append(h("div", { class: "bar" }, choice("GPUs a job ", [["", "all sizes"], ...sizeClasses.filter(c => present.has(c)).map(c => [c, c] as [string, string])], "", draw)), pair);
    draw("");
  },
};
