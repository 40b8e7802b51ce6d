/* What the run took for granted, what it did not model, and which rows of the trace it could not use. */
import { h } from "../dom";
import { count, visible } from "../format";
import { at, list, type Run } from "../data";
import type { Section } from "../section";
import { table } from "../table";
import { css } from "../theme";
import { letter, num, texts } from "./shared";

/* What a reader must know before any figure. */
export function warnings(r: Run): string[] {
  const state = at(r.summary, "steady_state");
  return [
    r.manifest.status === "partial" && "This run was stopped before its end: every figure is of a part.",
    r.manifest.deadlock === true && "Jobs were left when nothing could change any more: a deadlock.",
    state === "overloaded" && "The work asked for exceeds the cluster: waits depend on how long the run was watched.",
    state === "backlogged" && "The queue grew: waits depend on how long the run was watched.",
  ].filter(x => typeof x === "string");
}

function about(r: Run): HTMLElement {
  const m = r.manifest, missing = texts(at(m, "not_modelled"));
  const word = (s: unknown) => typeof s === "string" ? visible(s, 200) : "";
  const facts: [string, string][] = [
    ["Policy", word(m.policy)],
    ["State of the queue", word(at(r.summary, "steady_state"))],
    ["Trace", `${word(at(m, "trace", "format"))}, ${count(num(m, "trace", "rows_read"))} rows read, ${count(num(m, "trace", "rows_kept"))} kept${typeof at(m, "trace", "origin") === "string" ? `, zero is ${word(at(m, "trace", "origin"))}` : ""}`],
    ["Random numbers", `seed ${String(m.seed)}`],
    ["Window", `second ${count(r.first)} to ${count(r.end)}`],
  ];
  return h("div", null,
    ...warnings(r).map(text => h("p", { class: "note bad" }, text)),
    h("dl", { class: "facts" }, ...facts.flatMap(([k, v]) => [h("dt", null, k), h("dd", { dir: "auto" }, v)]),
      h("dt", null, "Not modelled"), h("dd", null, missing.length ? h("ul", { class: "tags" }, ...missing.map(x => h("li", null, visible(x)))) : "nothing was left out that this version knows of")));
}

export const assumed: Section = {
  id: "assumptions", title: "What was assumed", lead: "A simulation answers for its assumptions. These are this one's.",
  applies: () => true,
  render(into, runs) {
    for (const r of runs) {
      if (runs.length > 1) into.append(h("h3", null, h("span", { class: "swatch", style: `background:${css(r.index)}` }), `${letter(r)} · ${r.label}`));
      into.append(about(r));
    }
    const rows = runs.flatMap(r => (["skipped", "changed"] as const).flatMap(k => list(at(r.manifest, "trace", k)).map(s => [{ text: letter(r) }, { text: k }, { text: visible(String(at(s, "why") ?? ""), 200) },
      { text: count(num(s, "count")), sort: num(s, "count") }, { text: visible(String(at(s, "first") ?? ""), 160) }])));
    into.append(h("h3", null, "Rows of the trace that were skipped or changed"));
    into.append(rows.length ? table("rows", "Rows skipped or changed", [{ label: "Run" }, { label: "What" }, { label: "Why" }, { label: "Rows", number: true }, { label: "The first" }], rows)
      : h("p", { class: "note" }, "None: every row was used as it stands."));
  },
};
