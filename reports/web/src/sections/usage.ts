/* Utilisation over time: who had the GPUs at each sample. */
import { h } from "../dom";
import { count } from "../format";
import type { Run } from "../data";
import { plot } from "../plot";
import type { Section } from "../section";
import { palette, series } from "../theme";

export function hasColumn(r: Run, name: string): boolean {
  return !!r.timeline?.column[name]?.some(v => Number.isFinite(v));
}

function one(r: Run, many: boolean): HTMLElement {
  const c = r.timeline!.column;
  const n = r.timeline!.n;
  const diff = (a: Float64Array, b: Float64Array) => Float64Array.from(a, (v, i) => Math.max(0, v - b[i]));
  const held = diff(c.gpus_allocated, c.gpus_busy);
  const up = diff(c.gpus_total, c.gpus_down);
  const free = diff(up, c.gpus_allocated);
  const any = (a: Float64Array) => a.some(v => v > 0);
  return plot({
    name: `utilisation-${r.index}`,
    caption: many ? `${String.fromCharCode(65 + r.index)} · ${r.label}` : `GPUs over time, ${count(n)} samples`,
    x: c.time_s, xLabel: "time_s", xKind: "time", y: count, yLabel: "GPUs", stacked: true, steps: n < 1500, shared: "time",
    height: many ? 190 : 280,
    series: [
      { label: "busy", values: c.gpus_busy, colour: () => series(0), fill: true },
      ...(any(held) ? [{ label: "held, idle", values: held, colour: () => series(5), fill: true }] : []),
      { label: "free", values: free, colour: () => palette().free, fill: true },
      ...(any(c.gpus_down) ? [{ label: "down", values: c.gpus_down, colour: () => palette().down, fill: true }] : []),
    ],
  });
}

export const usage: Section = {
  id: "utilisation", title: "Utilisation", rows: true,
  lead: "GPUs that worked, were held without working, stood free or were down. Samples show the shape; the figures above are exact integrals. Drag to zoom, double-click to see all.",
  applies: runs => runs.some(r => (r.timeline?.n ?? 0) > 0),
  render(into, runs) {
    for (const r of runs) if (r.timeline?.n) into.append(one(r, runs.length > 1));
    if (runs.some(r => !r.timeline?.n)) into.append(h("p", { class: "note" }, "Runs without a timeline are left out; output.timeline_s writes one."));
  },
};
