/* Who ran where and when. */
import { h } from "../dom";
import type { Run } from "../data";
import { Gantt } from "../gantt";
import type { Section } from "../section";
import { choice, letter } from "./shared";

declare global { interface Window { gpuyardGantt?: Gantt } } // for tests and consoles

export const gantt: Section = {
  id: "gantt", title: "Jobs on nodes", rows: true,
  lead: "Every job where and when it ran: a line a GPU, grouped by node. Grey is free.",
  applies: runs => runs.some(r => r.jobs?.placement.some(p => p?.includes(":"))),
  render(into, runs) {
    const shown = runs.filter(r => r.jobs?.placement.some(p => p?.includes(":")));
    const holder = h("div");
    const draw = (r: Run) => {
      const g = new Gantt(r, `gantt-${r.index}`);
      window.gpuyardGantt = g;
      holder.replaceChildren(g.element);
    };
    if (shown.length > 1) into.append(h("div", { class: "bar" }, choice("Run ", shown.map(r => [String(r.index), `${letter(r)} · ${r.label}`]), String(shown[0].index), v => draw(shown.find(r => String(r.index) === v)!))));
    into.append(holder);
    draw(shown[0]);
  },
};
