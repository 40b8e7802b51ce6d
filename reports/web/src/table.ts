/* Tables that sort by a press on a column's head, and give their data as CSV. */
import { h, saveText, button } from "./dom";
import { csvText } from "./format";

export interface Cell { text: string; sort?: number | string; note?: string; bar?: number; colour?: string; tone?: string; node?: Node }
export interface Head { label: string; number?: boolean; title?: string }
type Value = string | Cell;

const cellOf = (v: Value): Cell => typeof v === "string" ? { text: v } : v;
const shownFirst = 40;

function order(a: Cell, b: Cell): number {
  const x = a.sort ?? a.text, y = b.sort ?? b.text;
  if (typeof x === "number" && typeof y === "number") {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : 1) : -1;
    return x - y;
  }
  return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
}

function body(rows: Cell[][], heads: Head[]): HTMLElement {
  const out = h("tbody");
  for (const row of rows) {
    const tr = h("tr");
    row.forEach((c, i) => {
      const e = h(i === 0 ? "th" : "td", { class: heads[i].number ? "number" : null, scope: i === 0 ? "row" : null, title: c.note });
      if (c.colour) e.append(h("span", { class: "swatch", style: `background:${c.colour}`, "aria-hidden": "true" }));
      e.append(c.node ?? h("span", { dir: "auto", class: c.tone }, c.text));
      if (c.bar !== undefined && c.bar > 0)
        e.append(h("span", { class: "cellbar", style: `width:${(100 * Math.min(1, c.bar)).toFixed(1)}%`, "aria-hidden": "true" }));
      tr.append(e);
    });
    out.append(tr);
  }
  return out;
}

export function table(name: string, caption: string, heads: Head[], values: Value[][], sorted?: { column: number; down: boolean }): HTMLElement {
  const rows = values.map(r => r.map(cellOf));
  let now = sorted, all = false;
  const head = h("tr");
  const t = h("table", null, h("caption", { class: "visually-hidden" }, caption), h("thead", null, head));
  const more = h("button", { type: "button", class: "more", onclick: () => { all = true; draw(); } });
  let current: HTMLElement | null = null;
  const draw = () => {
    let list = rows;
    if (now) {
      const { column, down } = now;
      list = rows.map((r, i) => [r, i] as const).sort(([a, i], [b, j]) => {
        const d = order(a[column], b[column]);
        const missing = Number.isNaN(a[column].sort as number) || Number.isNaN(b[column].sort as number);
        return (missing || !down ? d : -d) || i - j;
      }).map(([r]) => r);
    }
    const next = body(all ? list : list.slice(0, shownFirst), heads);
    if (current) current.replaceWith(next); else t.append(next);
    current = next;
    more.hidden = all || rows.length <= shownFirst;
    more.textContent = `Show all ${rows.length} rows`;
    Array.from(head.children).forEach((e, i) =>
      e.setAttribute("aria-sort", now?.column === i ? (now.down ? "descending" : "ascending") : "none"));
  };
  heads.forEach((c, i) => {
    head.append(h("th", { scope: "col", class: c.number ? "number" : null },
      h("button", { type: "button", class: "sort", title: c.title ?? "Sort", onclick: () => {
        now = { column: i, down: now?.column === i ? !now.down : !!c.number };
        draw();
      } }, c.label)));
  });
  draw();
  const csv = () => saveText(`${name}.csv`, csvText(heads.map(c => c.label), rows.map(r => r.map(c => typeof c.sort === "number" ? c.sort : c.text))));
  return h("div", { class: "tablebox" },
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, t),
    h("div", { class: "tools" }, more, button("CSV", `Download "${caption}" as CSV`, csv)));
}
