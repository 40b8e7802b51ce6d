/* Why GPUs stood unused: GPU-hours that no job held, by cause. */
import { h } from "../dom";
import { amount, percent } from "../format";
import { at, entries, metric, type Run } from "../data";
import type { Section } from "../section";
import { table } from "../table";
import { css } from "../theme";
import { letter } from "./shared";

const meaning: Record<string, string> = {
  no_work: "No job in the queue wanted them",
  not_eligible: "Jobs that wanted them waited for other jobs, for a place in their array, or after a preemption",
  resources: "Jobs waited that wanted more than was free",
  fragmentation: "Enough were free in all, but in pieces too small",
  reservation: "Kept free for a job with a planned start",
  quota: "The waiting jobs' teams or users were at their limit",
  topology: "Free, but not close enough together for the waiting jobs",
  gang: "Held back until all parts of a job can start at once",
  held: "The waiting jobs were held",
  down: "The nodes that the waiting jobs need were down",
  priority: "The waiting jobs stood behind others, which told no reason of their own",
  waiting: "Jobs waited for which the policy told no reason",
  drained: "On nodes that took no new work",
  failed: "On nodes that were down",
};
const tone: Record<string, number> = { resources: 0, fragmentation: 1, reservation: 2, quota: 3, topology: 6, gang: 4, held: 8, priority: 5, waiting: 7, not_eligible: 9, drained: 8, failed: 1, down: 3 };
const colour = (cause: string) => cause === "no_work" ? "var(--free)" : css(tone[cause] ?? 7);

function causes(r: Run): [string, number][] {
  return entries(at(r.summary, "unused_gpu_hours")).map(([k, v]) => [k, v as number] as [string, number]).filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]);
}

export const unused: Section = {
  id: "unused", title: "Unused GPU-hours", lead: "Every GPU-hour that no job held, by what kept it unused. The causes add up to the free and down hours.",
  applies: runs => runs.some(r => causes(r).length > 0),
  render(into, runs) {
    const many = runs.length > 1;
    for (const r of runs) {
      const all = causes(r), sum = all.reduce((s, [, v]) => s + v, 0), total = metric(r, "gpu_hours.total");
      const rest = metric(r, "gpu_hours.free") + metric(r, "gpu_hours.down");
      into.append(h("p", { class: "strip-title" }, many ? `${letter(r)} · ${r.label}: ` : "", `${amount(sum)} of ${amount(total)} GPU-hours (${percent(sum / total)}) were unused`));
      into.append(h("div", { class: "strip", role: "img", "aria-label": all.map(([k, v]) => `${k} ${percent(v / sum)}`).join(", ") },
        ...all.map(([k, v]) => h("i", { style: `flex:${v / sum} 1 0;background:${colour(k)}`, title: `${k}: ${amount(v)} GPU·h` }))));
      const off = Math.abs(sum - rest);
      if (off > 1e-9 * Math.max(1, rest)) into.append(h("p", { class: "note bad" }, `The causes differ from free + down by ${off} GPU-hours.`));
    }
    into.append(table("unused", "Unused GPU-hours by cause", [...(many ? [{ label: "Run" }] : []), { label: "Cause" }, { label: "GPU-hours", number: true }, { label: "Of the unused", number: true },
      { label: "Of all", number: true }, { label: "What it means" }],
      runs.flatMap(r => {
        const all = causes(r), sum = all.reduce((s, [, v]) => s + v, 0), total = metric(r, "gpu_hours.total");
        return all.map(([k, v]) => [...(many ? [{ text: letter(r), sort: r.index, colour: css(r.index) }] : []), { text: k.replace(/_/g, " "), colour: colour(k) }, { text: amount(v), sort: v },
          { text: percent(v / sum), sort: v / sum, bar: v / sum }, { text: percent(v / total), sort: v / total }, { text: meaning[k] ?? "" }]);
      })));
  },
};
