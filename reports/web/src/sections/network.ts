/* Link load and slowdown by contention, where the run modelled a network. */
import { amount, percent, visible } from "../format";
import { h } from "../dom";
import { at, entries, type Json, type Run } from "../data";
import { plot } from "../plot";
import type { Section } from "../section";
import { table } from "../table";
import { topology } from "../topology";
import { css, series } from "../theme";
import { letter } from "./shared";
import { hasColumn } from "./usage";

function flat(v: Json | undefined, path: string): [string, number][] {
  return entries(v).flatMap(([k, x]) => typeof x === "number" ? [[path + k, x] as [string, number]] : flat(x, `${path}${k}.`));
}

export const network: Section = {
  id: "network", title: "Network", rows: true,
  lead: "Which links carried most, and how much longer jobs ran because they shared them.",
  applies: runs => runs.some((r: Run) => hasColumn(r, "net_max_link_util") || !!r.links?.length || flat(at(r.summary, "network"), "").length > 0),
  render(into, runs) {
    for (const r of runs) if (hasColumn(r, "net_max_link_util")) into.append(plot({
      name: `links-${r.index}`, caption: runs.length > 1 ? `${letter(r)} · busiest link` : "Load of the busiest link", x: r.timeline!.column.time_s, xLabel: "time_s", xKind: "time",
      y: v => percent(v, 0), yLabel: "of its bandwidth", yMax: 1, shared: "time", height: 200,
      series: [{ label: "busiest link", values: r.timeline!.column.net_max_link_util, colour: () => series(runs.length > 1 ? r.index : 6), fill: true }],
    }));
    for (const r of runs) if (r.links?.length) {
      const top = Math.max(...r.links.map(l => l.utilization || 0), 1e-9);
      const ends = (l: { from: string; to: string; link: string }) => l.from && l.to ? `${visible(l.from, 60)} → ${visible(l.to, 60)}` : visible(l.link, 120);
      const picture = topology(r.links, runs.length > 1 ? `of run ${letter(r)}` : "of this run");
      if (picture) into.append(h("h3", null, runs.length > 1 ? `${letter(r)} · the fabric` : "The fabric"), picture);
      into.append(h("h3", null, runs.length > 1 ? `${letter(r)} · the busiest links` : "The busiest links, mean over the run"),
        table(`links-${r.index}`, "Load of the links", [{ label: "Link" }, { label: "Load", number: true }, { label: "GB/s", number: true }, { label: "TB moved", number: true }],
          r.links.map(l => [{ text: ends(l) }, { text: percent(l.utilization), sort: l.utilization, bar: l.utilization / top }, { text: amount(l.gbps), sort: l.gbps }, { text: amount(l.bytes / 1e12), sort: l.bytes / 1e12 }]), { column: 1, down: true }));
    }
    const rows = runs.flatMap(r => flat(at(r.summary, "network"), "network.").map(([k, v]) => [{ text: letter(r), sort: r.index, colour: css(r.index) }, { text: k }, { text: amount(v), sort: v }]));
    if (rows.length) into.append(table("network", "Network metrics", [{ label: "Run" }, { label: "Metric" }, { label: "Value", number: true }], rows));
  },
};
