/* Making elements. Texts become text nodes; nothing here parses HTML. */

type Child = Node | string | number | null | undefined | false;
type Attrs = Record<string, string | number | boolean | null | undefined | ((e: any) => void)>;

function fill(e: Element, attrs: Attrs | null, children: Child[]): void {
  for (const [k, v] of Object.entries(attrs ?? {})) {
    if (v === null || v === undefined || v === false) continue;
    if (typeof v === "function") e.addEventListener(k.slice(2), v as EventListener);
    else e.setAttribute(k, v === true ? "" : String(v));
  }
  for (const c of children) if (c !== null && c !== undefined && c !== false) e.append(c instanceof Node ? c : String(c));
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attrs: Attrs | null = null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  fill(e, attrs, children);
  return e;
}

export function svg(tag: string, attrs: Attrs | null = null, ...children: Child[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(e, attrs, children);
  return e;
}

export function save(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const a = h("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveText(name: string, text: string, type = "text/csv"): void {
  save(name, new Blob([text], { type }));
}

export function button(label: string, title: string, press: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "quiet", title, onclick: press }, label);
}
