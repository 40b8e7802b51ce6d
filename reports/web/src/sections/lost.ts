/* Work that was lost to preemption and failures. */
import { h } from "../dom";
import { amount, count, named, percent } from "../format";
import { metric } from "../data";
import type { Section } from "../section";
import { table } from "../table";
import { css } from "../theme";
import { letter } from "./shared";

export const lost: Section = {
  id: "lost", title: "Lost work and preemptions", rows: true,
  lead: "GPU-time that had to be done again, or was in vain, because a job was preempted or lost its node after its last checkpoint.",
  applies: runs => runs.some(r => metric(r, "gpu_hours.lost") > 0 || metric(r, "preemptions") > 0 || metric(r, "restarts") > 0),
  render(into, runs) {
    const many = runs.length > 1, run = many ? [{ label: "Run" }] : [];
    into.append(table("lost", "Lost work by run", [{ label: "Run" }, ...["Lost GPU-hours", "Of allocated", "Preemptions", "Restarts", "ETTR, mean"].map(label => ({ label, number: true }))],
      runs.map(r => [{ text: many ? `${letter(r)} · ${r.label}` : r.label, colour: css(r.index) }, { text: amount(metric(r, "gpu_hours.lost")), sort: metric(r, "gpu_hours.lost") },
        { text: percent(metric(r, "gpu_hours.lost") / metric(r, "gpu_hours.allocated")), sort: metric(r, "gpu_hours.lost") / metric(r, "gpu_hours.allocated") },
        ...["preemptions", "restarts"].map(k => ({ text: count(metric(r, k)), sort: metric(r, k) })), { text: percent(metric(r, "ettr.mean")), sort: metric(r, "ettr.mean") }])));
    const worst = runs.flatMap(r => r.jobs ? Array.from({ length: r.jobs.n }, (_, i) => i).filter(i => r.jobs!.lost[i] > 0 || r.jobs!.preemptions[i] > 0)
      .sort((a, b) => r.jobs!.lost[b] - r.jobs!.lost[a]).slice(0, 200).map(i => ({ r, i })) : []);
    if (worst.length === 0) return;
    into.append(h("h3", null, "The jobs that lost most"), table("lost-jobs", "The jobs that lost most", [...run, { label: "Job" }, { label: "Team" },
      ...["GPUs", "Preemptions", "Lost GPU-hours"].map(label => ({ label, number: true }))],
      worst.map(({ r, i }) => [...(many ? [{ text: letter(r), colour: css(r.index) }] : []), { text: named(r.jobs!.id[i]) }, { text: named(r.jobs!.team.names[r.jobs!.team.of[i]]) },
        { text: amount(r.jobs!.gpus[i]), sort: r.jobs!.gpus[i] }, { text: count(r.jobs!.preemptions[i]), sort: r.jobs!.preemptions[i] },
        { text: amount(r.jobs!.lost[i] / 3600), sort: r.jobs!.lost[i] / 3600 }]), { column: many ? 5 : 4, down: true }));
  },
};
