/* Fragmentation over time. */
import { percent } from "../format";
import { plot } from "../plot";
import type { Section } from "../section";
import { series } from "../theme";
import { letter } from "./shared";
import { hasColumn } from "./usage";

export const fragments: Section = {
  id: "fragmentation", title: "Fragmentation", rows: true,
  lead: "The part of the free GPUs that a job drawn from the waiting and recent mix could not use. No point where nothing was free.",
  applies: runs => runs.some(r => hasColumn(r, "fragmentation")),
  render(into, runs) {
    for (const r of runs) if (hasColumn(r, "fragmentation")) into.append(plot({
      name: `fragmentation-${r.index}`, caption: runs.length > 1 ? `${letter(r)} · ${r.label}` : "Free GPUs that the mix of jobs could not use", x: r.timeline!.column.time_s, xLabel: "time_s", xKind: "time",
      y: v => percent(v, 0), yLabel: "of free GPUs", yMax: 1, shared: "time", height: 180,
      series: [{ label: "fragmentation", values: r.timeline!.column.fragmentation, colour: () => series(runs.length > 1 ? r.index : 1), fill: true }],
    }));
  },
};
