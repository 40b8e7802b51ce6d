/* Thresholds: what was asked of the run, and whether it held. */
import { amount, visible } from "../format";
import { at, list, type Run } from "../data";
import type { Section } from "../section";
import { table } from "../table";
import { css } from "../theme";
import { letter, num } from "./shared";

export function goalsOf(r: Run): { metric: string; value: number; min: number; max: number; ok: boolean }[] {
  return list(at(r.summary, "thresholds")).map(t => ({ metric: String(at(t, "metric") ?? ""), value: num(t, "value"), min: num(t, "min"), max: num(t, "max"), ok: at(t, "ok") === true }));
}

export const goals: Section = {
  id: "thresholds", title: "Thresholds", lead: "What the scenario asked of this run.",
  applies: runs => runs.some(r => goalsOf(r).length > 0),
  render(into, runs) {
    const many = runs.length > 1;
    const bound = (v: number) => ({ text: Number.isFinite(v) ? amount(v) : "", sort: v });
    into.append(table("thresholds", "Thresholds", [...(many ? [{ label: "Run" }] : []), { label: "Metric" }, { label: "Value", number: true }, { label: "At least", number: true }, { label: "At most", number: true }, { label: "Verdict" }],
      runs.flatMap(r => goalsOf(r).map(g => [...(many ? [{ text: letter(r), sort: r.index, colour: css(r.index) }] : []), { text: visible(g.metric) }, { text: amount(g.value), sort: g.value }, bound(g.min), bound(g.max),
        { text: g.ok ? "✓ met" : "✗ not met", tone: g.ok ? "good" : "bad" }]))));
  },
};
