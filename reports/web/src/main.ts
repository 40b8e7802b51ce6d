/* Opens the runs in the page and shows the sections: what summary.json tells at once, what the rows tell when read. */
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { at, entries, metric, openRows, openRun, type Run, runCount } from "./data";
import { button, h } from "./dom";
import { count, duration, percent, visible } from "./format";
import type { Section } from "./section";
import { warnings } from "./sections/assumed";
import { sections } from "./sections/index";
import { goalsOf } from "./sections/goals";
import { css, startTheme, toggleTheme } from "./theme";

function verdict(runs: Run[]): HTMLElement | null {
  const all = runs.flatMap(goalsOf);
  if (all.length === 0) return null;
  const bad = all.filter(g => !g.ok).length;
  return h("a", { href: "#thresholds", class: `verdict ${bad ? "bad" : "good"}` }, bad ? `✗ ${bad} of ${all.length} thresholds not met` : `✓ ${all.length === 1 ? "the threshold is" : all.length === 2 ? "both thresholds are" : `all ${all.length} thresholds are`} met`);
}

function sentence(r: Run): string {
  const jobs = count(metric(r, "jobs.submitted")), span = duration(r.end - r.first);
  const nodes = entries(at(r.summary, "gpu_type")).map(([k]) => k).filter(k => k !== "");
  const total = metric(r, "gpu_hours.total") / ((r.end - r.first) / 3600);
  return `${jobs} jobs on ${count(total)} GPUs${nodes.length && nodes.length < 5 ? ` (${nodes.map(n => visible(n, 24)).join(", ")})` : ""} over ${span}: ${percent(metric(r, "utilization.allocated"))} of the GPU time was held, ${metric(r, "wait_s.p50") > 0 ? `half of the jobs waited ${duration(metric(r, "wait_s.p50"))} or less` : "at least half of the jobs started at once"}, and the mean wait was ${duration(metric(r, "wait_s.mean"))}.`;
}

function hero(runs: Run[]): HTMLElement {
  const first = runs[0], many = runs.length > 1;
  const out = h("header", { class: "hero" },
    h("p", { class: "kicker" }, many ? `Comparison of ${runs.length} runs` : `Simulation report${first.manifest.status === "partial" ? " · partial run" : ""}`),
    h("h1", { dir: "auto" }, many ? runs.map((r, i) => h("span", null, i ? " · " : "", visible(r.label, 60))).reduce((f, s) => { f.append(s); return f; }, h("span")) : visible(first.label || "run", 120)));
  if (many) {
    out.append(h("ol", { class: "runs" }, ...runs.map((r, i) => h("li", null, h("span", { class: "swatch", style: `background:${css(i)}` }), h("b", null, String.fromCharCode(65 + i)), h("span", { dir: "auto" }, visible(r.label, 80)),
      h("small", { dir: "auto" }, visible(String(r.manifest.policy ?? ""), 160))))));
  } else {
    out.append(h("p", { class: "lead" }, sentence(first)), h("p", { class: "policy", dir: "auto" }, visible(String(first.manifest.policy ?? ""), 200)), ...warnings(first).map(w => h("p", { class: "note bad" }, w)));
  }
  const v = verdict(runs);
  if (v) out.append(v);
  return out;
}

function place(s: Section, main: HTMLElement, nav: HTMLElement): { box: HTMLElement; link: HTMLElement } {
  const box = h("section", { id: s.id, "aria-labelledby": `${s.id}-title` }, h("h2", { id: `${s.id}-title`, class: s.id === "headline" ? "visually-hidden" : null }, s.title), s.lead ? h("p", { class: "lead" }, s.lead) : null);
  const link = h("a", { href: `#${s.id}` }, s.title);
  main.append(box);
  nav.append(link);
  return { box, link };
}

const pause = () => new Promise<void>(done => { const c = new MessageChannel(); c.port1.onmessage = () => done(); c.port2.postMessage(0); });

async function start(): Promise<void> {
  startTheme();
  const main = document.querySelector("main")!, nav = h("nav", { "aria-label": "Sections" });
  const runs: Run[] = [];
  for (let i = 0; i < runCount(); i++) runs.push(await openRun(i));
  document.querySelector("#top")!.append(h("a", { class: "mark", href: "#top" }, "gpuyard"), nav, button("◐", "Light or dark", toggleTheme));
  main.replaceChildren(hero(runs));
  const later: { s: Section; box: HTMLElement; link: HTMLElement }[] = [];
  for (const s of sections) {
    if (!s.rows && !s.applies(runs)) continue;
    const { box, link } = place(s, main, nav);
    if (s.rows) later.push({ s, box, link }); else s.render(box, runs);
  }
  for (const { box } of later) box.append(h("p", { class: "note reading" }, "reading the rows…"));
  requestAnimationFrame(() => { performance.mark("gpuyard-first"); });
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  for (const r of runs) { await openRows(r); await pause(); }
  for (const { s, box, link } of later) {
    box.querySelector(".reading")?.remove();
    if (s.applies(runs)) s.render(box, runs); else { box.remove(); link.remove(); }
    await pause();
  }
  follow(nav);
  performance.mark("gpuyard-done");
  document.documentElement.dataset.ready = "true";
  addEventListener("keydown", e => {
    if (e.key === "/" && !(e.target instanceof HTMLInputElement)) { e.preventDefault(); document.querySelector<HTMLInputElement>(".gantt input[type=search]")?.focus(); }
  });
}

/* Marks the section that is being read. */
function follow(nav: HTMLElement): void {
  const links = new Map(Array.from(nav.querySelectorAll("a"), a => [a.hash.slice(1), a]));
  const seen = new Set<string>();
  const watch = new IntersectionObserver(list => {
    for (const e of list) if (e.isIntersecting) seen.add(e.target.id); else seen.delete(e.target.id);
    const now = [...links.keys()].find(id => seen.has(id));
    for (const [id, a] of links) if (id === now) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
  }, { rootMargin: "-15% 0px -70% 0px" });
  for (const id of links.keys()) { const e = document.getElementById(id); if (e) watch.observe(e); }
}

start().catch(e => {
  document.querySelector("main")!.replaceChildren(h("p", { class: "note bad" }, `This report could not be shown: ${e instanceof Error ? e.message : String(e)}. A browser of 2023 or newer is needed.`));
  throw e;
});
