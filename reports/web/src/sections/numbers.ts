/* Every metric of the runs, side by side, with a filter. */
import { h } from "../dom";
import { amount, visible } from "../format";
import { entries, type Json, type Run } from "../data";
import type { Section } from "../section";
import { table } from "../table";
import { letter } from "./shared";

const groups = ["team", "user", "partition", "gpu_type", "job_size_class"];
const most = 20000;

function flat(v: Json, path: string, out: Map<string, Json>): void {
  if (v !== null && typeof v === "object" && !Array.isArray(v)) {
    for (const [k, x] of entries(v)) flat(x, path === "" ? k : `${path}.${k}`, out);
  } else if (!Array.isArray(v) && out.size < most) out.set(path, v);
}

function metricsOf(r: Run, grouped: boolean): Map<string, Json> {
  const out = new Map<string, Json>();
  for (const [k, v] of entries(r.summary)) if (grouped === groups.some(g => k === g || k === `${g}_others`)) flat(v, k, out);
  return out;
}

const show = (v: Json | undefined) => typeof v === "number" ? { text: amount(v), sort: v, note: String(v) } : { text: v === null || v === undefined ? "–" : String(v), sort: v === undefined || v === null ? NaN : String(v) };

export const numbers: Section = {
  id: "metrics", title: "All metrics", lead: "Every number of summary.json under its name; times in seconds, ratios from 0 to 1.",
  applies: () => true,
  render(into, runs) {
    let grouped = false, filter = "";
    const holder = h("div");
    const draw = () => {
      const all = runs.map(r => metricsOf(r, grouped));
      const names = [...new Set(all.flatMap(m => [...m.keys()]))].filter(n => n.toLowerCase().includes(filter));
      holder.replaceChildren(table("metrics", "All metrics", [{ label: "Metric" }, ...runs.map(r => ({ label: runs.length > 1 ? letter(r) : "Value", number: true, title: r.label }))],
        names.map(n => [{ text: visible(n, 120), sort: names.indexOf(n) }, ...all.map(m => show(m.get(n)))])));
    };
    const box = h("input", { type: "search", placeholder: "filter, e.g. wait_s.p95", "aria-label": "Filter metrics", oninput: () => { filter = box.value.trim().toLowerCase(); draw(); } });
    const tick = h("input", { type: "checkbox", onchange: () => { grouped = tick.checked; draw(); } });
    into.append(h("div", { class: "bar" }, box, h("label", { class: "choice" }, tick, "by team, user, partition, GPU type and size instead")), holder);
    draw();
  },
};
