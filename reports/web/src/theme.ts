/* Colours. The series are Okabe and Ito's set for colour-blind readers, darkened for light paper and lightened for dark. */

export interface Palette { ink: string; soft: string; line: string; paper: string; series: string[]; free: string; down: string }

const light: Palette = {
  ink: "#1b1f24", soft: "#5a636e", line: "#e3e5e1", paper: "#ffffff", free: "#e6e8e4", down: "#33383f",
  series: ["#0a6aa8", "#d1600a", "#00825f", "#b35a93", "#3c9bd6", "#c58a00", "#6b5fb5", "#7d8420", "#9b3d3d", "#5b6770"],
};
const dark: Palette = {
  ink: "#e8eaed", soft: "#9aa4af", line: "#2c3239", paper: "#171b20", free: "#262c33", down: "#c9ced6",
  series: ["#56a9e0", "#f08a3c", "#2fb890", "#dd94c0", "#8cc8ef", "#e8b73a", "#a79be8", "#b9c04e", "#e07f7f", "#98a4ae"],
};

const listeners: (() => void)[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

export function isDark(): boolean {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

export function palette(): Palette { return isDark() ? dark : light; }
export function series(i: number): string { const s = palette().series; return s[i % s.length]; }
export function onTheme(f: () => void): void { listeners.push(f); }
function tell(): void { for (const f of listeners) f(); }

export function startTheme(): void {
  system.addEventListener("change", tell);
  addEventListener("beforeprint", () => { printing = true; tell(); });
  addEventListener("afterprint", () => { printing = false; tell(); });
}

export function toggleTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  tell();
}

/* The same colours for elements: they follow the theme by themselves. */
export function css(i: number): string { return `var(--s${i % 10})`; }
