/* How to get the same numbers again, and the files that the page carries. */
import { button, h, saveText } from "../dom";
import { visible } from "../format";
import { at, fileNames, fileText, list, type Run } from "../data";
import type { Section } from "../section";
import { css } from "../theme";
import { letter, texts } from "./shared";

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replace(/'/g, "'\\''")}'`;
}

function one(r: Run): HTMLElement {
  const m = r.manifest;
  const command = ["gpuyard", ...texts(m.command)].map(quoted).join(" ");
  const inputs = list(m.inputs).map(i => h("tr", null, h("th", { scope: "row" }, String(at(i, "role") ?? "")), h("td", { dir: "auto" }, visible(String(at(i, "path") ?? ""), 120)), h("td", null, h("code", null, String(at(i, "sha256") ?? "")))));
  const files = fileNames(r.index);
  return h("div", null,
    h("div", { class: "command" }, h("pre", { tabindex: 0, "aria-label": "Command" }, h("code", null, visible(command, 4000))),
      button("Copy", "Copy the command", () => { void navigator.clipboard?.writeText(command); })),
    h("p", { class: "note" }, `gpuyard ${String(m.gpuyard ?? "")}, event digest `, h("code", null, String(m.event_digest ?? "")), ": equal digests, equal runs."),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Inputs" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", null, "Input"), h("th", null, "Path"), h("th", null, "SHA-256"))), h("tbody", null, ...inputs))),
    h("p", { class: "bar" }, "This page carries: ", ...files.map(f => button(f, `Download ${f} of this run`, () => { void fileText(r.index, f).then(t => saveText(f, t ?? "", f.endsWith(".json") ? "application/json" : "text/csv")); }))),
    h("details", null, h("summary", null, "The scenario as resolved, every default filled in"), h("pre", { tabindex: 0 }, JSON.stringify(m.scenario ?? {}, null, 2))));
}

export const again: Section = {
  id: "reproduce", title: "How to reproduce", lead: "The same version, inputs and seed give the same bytes on any machine.",
  applies: () => true,
  render(into, runs) {
    for (const r of runs) {
      if (runs.length > 1) into.append(h("h3", null, h("span", { class: "swatch", style: `background:${css(r.index)}` }), `${letter(r)} · ${r.label}`));
      into.append(one(r));
    }
  },
};
