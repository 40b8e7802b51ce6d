/* The numbers that matter most, each with what it means. */
import { h } from "../dom";
import { amount, count, duration, percent } from "../format";
import { metric, type Run } from "../data";
import type { Section } from "../section";
import { css } from "../theme";

interface Figure { name: string; label: string; show: (v: number) => string; better: 1 | -1 | 0; means: (r: Run) => string; always?: boolean }

const hours = (v: number) => `${amount(v)} GPU·h`;
const figures: Figure[] = [
  { name: "utilization.allocated", label: "Allocated", show: percent, better: 1,
    means: r => `of the available GPU time was held by jobs; ${percent(metric(r, "utilization.goodput"))} was work that was kept` },
  { name: "wait_s.p95", label: "Wait, 95th percentile", show: duration, better: -1,
    means: r => `one job in twenty waited longer; ${metric(r, "wait_s.p50") > 0 ? `half waited ${duration(metric(r, "wait_s.p50"))} or less` : "at least half started at once"}` },
  { name: "jct_s.p50", label: "Median completion", show: duration, better: -1,
    means: r => `from submission to end for half of the jobs; the mean is ${duration(metric(r, "jct_s.mean"))}` },
  { name: "bounded_slowdown.mean", label: "Mean bounded slowdown", show: amount, better: -1,
    means: r => `times as long as the run alone, short jobs counted as 10 s; 95th percentile ${amount(metric(r, "bounded_slowdown.p95"))}` },
  { name: "gpu_hours.free", label: "Unused", show: hours, better: -1,
    means: r => `held by no job, of ${count(metric(r, "gpu_hours.total"))}; ${hours(metric(r, "unused_gpu_hours.no_work"))} of it had no work to do` },
  { name: "gpu_hours.lost", label: "Lost work", show: hours, better: -1,
    means: r => `had to be done again or was in vain; ${count(metric(r, "preemptions"))} preemptions` },
  { name: "fragmentation.mean", label: "Fragmentation", show: percent, better: -1,
    means: () => "of the free GPU time lay in pieces too small for the mix of jobs" },
  { name: "fairness.jain", label: "Fairness between teams", show: v => v.toFixed(3), better: 1,
    means: r => `Jain's index of use over share; 1 is even. Worst finish-time ratio ${amount(metric(r, "fairness.ftf.max"))}` },
  { name: "energy_j.total", label: "Energy", show: v => `${amount(v / 3.6e9)} MWh`, better: -1, means: () => "of nodes, cooling included" },
  { name: "cost_usd.total", label: "Cost", show: v => `$${amount(v)}`, better: -1, means: r => `of which idle $${amount(metric(r, "cost_usd.idle"))}` },
  { name: "serving.slo_attainment", label: "Requests within target", show: percent, better: 1, means: () => "of all served requests" },
];

function change(v: number, base: number, f: Figure): HTMLElement | null {
  if (!Number.isFinite(v) || !Number.isFinite(base) || v === base) return null;
  const rel = base !== 0 ? (v - base) / Math.abs(base) : NaN;
  const good = f.better !== 0 && Math.sign(v - base) === f.better;
  const text = Number.isFinite(rel) ? `${rel > 0 ? "+" : "−"}${Math.abs(rel) >= 10 ? amount(Math.abs(rel) + 1) + "×" : percent(Math.abs(rel))}` : `from ${f.show(base)}`;
  return h("span", { class: `delta ${good ? "good" : "bad"}` }, `${good ? "better" : "worse"} ${text}`);
}

export const headline: Section = {
  id: "headline", title: "In short", lead: "",
  applies: () => true,
  render(into, runs) {
    const shown = figures.filter(f => runs.some(r => Number.isFinite(metric(r, f.name))))
      .filter(f => f.name !== "gpu_hours.lost" || runs.some(r => metric(r, f.name) > 0 || metric(r, "preemptions") > 0));
    const cards = h("div", { class: "cards" });
    for (const f of shown) {
      const card = h("div", { class: "card" }, h("h3", null, f.label));
      if (runs.length === 1) {
        card.append(h("p", { class: "figure" }, f.show(metric(runs[0], f.name))), h("p", { class: "means" }, f.means(runs[0])));
      } else {
        const best = Math.max(...runs.map(r => Math.abs(metric(r, f.name))).filter(Number.isFinite), 1e-300);
        runs.forEach((r, i) => {
          const v = metric(r, f.name);
          card.append(h("div", { class: "versus" },
            h("span", { class: "key", style: `background:${css(i)}`, title: r.label }),
            h("span", { class: "letter" }, String.fromCharCode(65 + i)),
            h("span", { class: "value" }, f.show(v)),
            i > 0 ? change(v, metric(runs[0], f.name), f) : h("span", { class: "delta" }, "baseline"),
            h("span", { class: "meter" }, h("i", { style: `width:${(100 * Math.abs(v) / best || 0).toFixed(1)}%;background:${css(i)}` }))));
        });
      }
      cards.append(card);
    }
    into.append(cards);
  },
};
