/* What each team used against what it is entitled to. */
import { h } from "../dom";
import { amount, count, duration, named, percent } from "../format";
import { at, entries, type Run } from "../data";
import { plot } from "../plot";
import type { Section } from "../section";
import { table } from "../table";
import { css, series } from "../theme";
import { letter, num } from "./shared";

interface Team { name: string; used: number; entitled: number; jobs: number; waitP50: number; waitP95: number }

export function teamsOf(r: Run): Team[] {
  const all = entries(at(r.summary, "team")).map(([name, g]) => ({ name, used: num(g, "gpu_hours", "allocated"), jobs: num(g, "jobs", "submitted"),
    waitP50: num(g, "wait_s", "p50"), waitP95: num(g, "wait_s", "p95"), entitled: num(at(r.manifest, "scenario", "teams", name), "share") }));
  for (const t of all) if (!Number.isFinite(t.entitled)) t.entitled = 1;
  const used = all.reduce((s, t) => s + t.used, 0) || 1, shares = all.reduce((s, t) => s + t.entitled, 0) || 1;
  return all.map(t => ({ ...t, used: t.used / used, entitled: t.entitled / shares })).sort((a, b) => b.used - a.used);
}

/* Bars of use with a mark at the entitlement: texts, so that it can be read aloud and printed. */
function bars(teams: Team[], run: number): HTMLElement {
  const top = Math.max(...teams.map(t => Math.max(t.used, t.entitled)), 1e-9);
  return h("div", { class: "teams", role: "list" }, ...teams.slice(0, 16).map(t => h("div", { class: "team", role: "listitem" },
    h("span", { class: "name", dir: "auto" }, named(t.name)),
    h("span", { class: "track" },
      h("i", { style: `width:${(100 * t.used / top).toFixed(2)}%;background:${css(run)}` }),
      h("b", { style: `left:${(100 * t.entitled / top).toFixed(2)}%` })),
    h("span", { class: "value" }, percent(t.used), h("small", null, ` of ${percent(t.entitled)}`)))));
}

/* GPUs held by each team: a job's GPU-time spread evenly from its first start to its end. */
function course(r: Run, teams: Team[]): HTMLElement {
  const bins = 240, j = r.jobs!, from = r.first, width = (r.end - r.first) / bins || 1;
  const shown = teams.slice(0, 7).map(t => t.name);
  const sums = [...shown, null].map(() => new Float64Array(bins));
  for (let i = 0; i < j.n; i++) {
    if (!(j.gpuSeconds[i] > 0)) continue;
    const a = j.start[i], b = Number.isFinite(j.end[i]) ? j.end[i] : r.end;
    if (!(b > a)) continue;
    const at = shown.indexOf(j.team.names[j.team.of[i]]);
    const to = sums[at < 0 ? shown.length : at], rate = j.gpuSeconds[i] / (b - a);
    const first = Math.max(0, Math.floor((a - from) / width)), last = Math.min(bins - 1, Math.floor((b - from) / width));
    for (let k = first; k <= last; k++) to[k] += rate * Math.max(0, Math.min(b, from + (k + 1) * width) - Math.max(a, from + k * width)) / width;
  }
  return plot({
    name: `teams-${r.index}`, caption: "GPUs held by team", x: Float64Array.from({ length: bins }, (_, i) => from + (i + 0.5) * width), xLabel: "time_s", xKind: "time",
    y: amount, yLabel: "GPUs", stacked: true, shared: "time",
    series: sums.map((values, i) => ({ label: i < shown.length ? named(shown[i]) : "others", values, colour: () => series(i < shown.length ? i : 9), fill: true })).filter(s => s.values.some(v => v > 0)),
  });
}

export const teams: Section = {
  id: "teams", title: "Teams", rows: true,
  lead: "Each team's part of all GPU-hours held, against what it is entitled to (the dark mark). Shares are equal unless the scenario says otherwise.",
  applies: runs => runs.some(r => entries(at(r.summary, "team")).filter(([k]) => k !== "").length > 0),
  render(into, runs) {
    for (const r of runs) {
      const all = teamsOf(r);
      if (runs.length > 1) into.append(h("h3", null, `${letter(r)} · ${r.label}`));
      const grid = h("div", { class: runs.length === 1 && r.jobs ? "pair" : "" }, bars(all, runs.length > 1 ? r.index : 0));
      if (runs.length === 1 && r.jobs) grid.append(course(r, all));
      into.append(grid);
    }
    const many = runs.length > 1;
    into.append(table("teams", "Teams", [...(many ? [{ label: "Run" }] : []), { label: "Team" },
      ...["Jobs", "Of GPU-hours", "Entitled", "Use / share", "Wait p50", "Wait p95"].map(label => ({ label, number: true }))],
      runs.flatMap(r => teamsOf(r).map(t => [...(many ? [{ text: letter(r), sort: r.index, colour: css(r.index) }] : []), { text: named(t.name) },
        { text: count(t.jobs), sort: t.jobs }, { text: percent(t.used), sort: t.used }, { text: percent(t.entitled), sort: t.entitled },
        { text: amount(t.used / t.entitled), sort: t.used / t.entitled, tone: t.used > 1.5 * t.entitled ? "warm" : undefined },
        { text: duration(t.waitP50), sort: t.waitP50 }, { text: duration(t.waitP95), sort: t.waitP95 }]))));
  },
};
