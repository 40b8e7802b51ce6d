/* Numbers, durations and names as a person reads them. Texts of a run go into the page as text nodes only. */

const group = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const missing = "–";

export function count(n: number): string {
  return Number.isFinite(n) ? group.format(n) : missing;
}

export function amount(n: number): string {
  if (!Number.isFinite(n)) return missing;
  const a = Math.abs(n);
  return a >= 99.95 || Number.isInteger(n) ? group.format(n) : n.toFixed(a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3);
}

export function percent(x: number, digits = 1): string {
  return Number.isFinite(x) ? `${(x * 100).toFixed(digits)} %` : missing;
}

export function duration(s: number): string {
  if (!Number.isFinite(s)) return missing;
  const sign = s < 0 ? "−" : "";
  s = Math.abs(s);
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  if (s < 59.95) return `${sign}${s < 10 ? +s.toFixed(2) : +s.toFixed(1)} s`;
  s = Math.round(s);
  if (s < 3600) return `${sign}${Math.floor(s / 60)} m ${two(s % 60)} s`;
  if (s < 86400) return `${sign}${Math.floor(s / 3600)} h ${two((s % 3600) / 60)} m`;
  return `${sign}${count(Math.floor(s / 86400))} d ${two((s % 86400) / 3600)} h`;
}

/* A point in simulated time: "d3 04:05", with seconds where the step asks for them. */
export function moment(s: number, step = 60): string {
  const day = Math.floor(s / 86400);
  const r = s - day * 86400;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  if (step >= 86400) return `d${day}`;
  return `d${day} ${two(r / 3600)}:${two((r % 3600) / 60)}${step < 60 ? ":" + two(r % 60) : ""}`;
}

/* Control bytes, escapes and bidirectional marks become visible; very long names are cut with their length. */
export function visible(text: string, most = 80): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    c => c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const chars = Array.from(clean);
  return chars.length <= most ? clean : `${chars.slice(0, most - 1).join("")}… (${count(text.length)} characters)`;
}

export function named(text: string): string {
  return text === "" ? "(not given)" : visible(text);
}

/* A CSV field: quoted as RFC 4180 asks; a text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvField(v: string | number): string {
  if (typeof v === "number") return Number.isFinite(v) ? String(v) : "";
  const safe = /^[=+\-@\t\r]/.test(v) ? `'${v}` : v;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csvText(head: string[], rows: (string | number)[][]): string {
  return [head, ...rows].map(r => r.map(csvField).join(",")).join("\n") + "\n";
}
