/* The queue over time, and waits by size class. */
import { amount, count, duration } from "../format";
import { at, entries, type Run, sizeClasses } from "../data";
import { plot } from "../plot";
import type { Section } from "../section";
import { table } from "../table";
import { css, series } from "../theme";
import { letter, sampled } from "./shared";

function line(runs: Run[], column: string, caption: string, yLabel: string): HTMLElement {
  const timed = runs.filter(r => r.timeline?.n);
  const x = timed.length === 1 ? timed[0].timeline!.column.time_s : sampled(timed);
  return plot({
    name: column, caption, x, xLabel: "time_s", xKind: "time", y: count, yLabel, steps: x.length < 1500, shared: "time", height: 200,
    series: timed.map(r => ({
      label: timed.length > 1 ? letter(r) : yLabel, colour: () => series(timed.length > 1 ? r.index : 1), fill: timed.length === 1,
      values: timed.length === 1 ? r.timeline!.column[column] : resample(r, column, x),
    })),
  });
}

function resample(r: Run, column: string, x: ArrayLike<number>): Float64Array {
  const t = r.timeline!.column.time_s, v = r.timeline!.column[column];
  let at = 0;
  return Float64Array.from(x, s => {
    while (at + 1 < t.length && t[at + 1] <= s) at++;
    return s < t[0] || s > t[t.length - 1] ? NaN : v[at];
  });
}

export const queue: Section = {
  id: "queue", title: "Queue and waits", rows: true,
  lead: "How much work stood in line, and which sizes of job paid for it.",
  applies: () => true,
  render(into, runs) {
    if (runs.some(r => r.timeline?.n)) {
      into.append(line(runs, "gpus_pending", "GPUs asked for by jobs in the queue", "GPUs waiting"));
      into.append(line(runs, "jobs_pending", "Jobs in the queue", "jobs waiting"));
    }
    const many = runs.length > 1;
    const rows = runs.flatMap(r => {
      const classes = entries(at(r.summary, "job_size_class")).sort(([a], [b]) => sizeClasses.indexOf(a) - sizeClasses.indexOf(b));
      const num = (v: unknown, ...path: string[]) => { const x = at(v as never, ...path); return typeof x === "number" ? x : NaN; };
      const worst = Math.max(...classes.map(([, g]) => num(g, "wait_s", "p95")).filter(Number.isFinite), 1);
      return classes.map(([name, g]) => [
        ...(many ? [{ text: letter(r), sort: r.index, colour: css(r.index) }] : []),
        { text: name, sort: sizeClasses.indexOf(name) },
        { text: count(num(g, "jobs", "submitted")), sort: num(g, "jobs", "submitted") },
        { text: amount(num(g, "gpu_hours", "allocated")), sort: num(g, "gpu_hours", "allocated") },
        ...(["mean", "p50", "p95", "p99", "max"] as const).map(k => ({ text: duration(num(g, "wait_s", k)), sort: num(g, "wait_s", k),
          bar: k === "p95" ? num(g, "wait_s", k) / worst : undefined })),
        { text: amount(num(g, "bounded_slowdown", "mean")), sort: num(g, "bounded_slowdown", "mean") },
      ]);
    });
    into.append(table("waits-by-size", "Waits by GPUs asked for", [...(many ? [{ label: "Run" }] : []), { label: "GPUs a job" },
      ...["Jobs", "GPU-hours", "Wait, mean", "p50", "p95", "p99", "max", "Bounded slowdown"].map(label => ({ label, number: true }))], rows, many ? { column: 1, down: false } : undefined));
  },
};
