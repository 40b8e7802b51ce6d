/* One plot: uPlot in a figure, with caption, CSV and PNG. Redrawn on resize and on a change of theme. */
import uPlot from "uplot";
import { button, h, save, saveText } from "./dom";
import { csvText, duration, moment } from "./format";
import { onTheme, palette } from "./theme";

export interface Series {
  label: string;
  values: ArrayLike<number>;
  colour: () => string;
  fill?: boolean;   // an area down to the series below (stacked) or to zero
  dash?: number[];
}
export interface PlotOptions {
  name: string;     // of the downloads
  caption: string;
  x: ArrayLike<number>;
  xLabel: string;
  xKind: "time" | "log-seconds";
  y: (v: number) => string;
  yLabel: string;
  yMax?: number;
  series: Series[];
  stacked?: boolean;
  steps?: boolean;
  height?: number;
  shared?: string;  // plots of one name share the cursor
}

const font = '12px ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const linked = new Map<string, ReturnType<typeof uPlot.sync>>();

function daySplits(min: number, max: number, space: number): number[] {
  const steps = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 432000, 604800, 1209600, 2592000,
    5184000, 12960000, 31536000];
  const want = (max - min) / Math.max(2, space);
  const step = steps.find(s => s >= want) ?? steps[steps.length - 1];
  const out: number[] = [];
  for (let v = Math.ceil(min / step) * step; v <= max; v += step) out.push(v);
  return out;
}

function timeAxis(u: uPlot, splits: number[]): string[] {
  const step = splits.length > 1 ? splits[1] - splits[0] : splits.every(v => v % 86400 === 0) ? 86400 : 60;
  return splits.map(v => u.width < 500 && step >= 3600 ? moment(v, 86400) : moment(v, step));
}

const logTicks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
const tickNames = new Map([[1, "1 s"], [10, "10 s"], [60, "1 m"], [600, "10 m"], [3600, "1 h"], [6 * 3600, "6 h"], [86400, "1 d"],
  [7 * 86400, "7 d"], [30 * 86400, "30 d"], [365 * 86400, "1 y"]]);

function stack(series: Series[]): Float64Array[] {
  let below: Float64Array | null = null;
  return series.map(s => {
    const out: Float64Array = Float64Array.from(s.values, (v, i) => (Number.isFinite(v) ? v : 0) + (below ? below[i] : 0));
    below = out;
    return out;
  });
}

function tint(colour: string, alpha: number): string {
  const n = parseInt(colour.slice(1), 16);
  return `rgba(${n >> 16},${n >> 8 & 255},${n & 255},${alpha})`;
}

export function plot(o: PlotOptions): HTMLElement {
  const area = h("div", { class: "plot" });
  const figure = h("figure", { class: "plotbox" },
    h("figcaption", null, h("span", null, o.caption), h("span", { class: "tools" },
      button("CSV", `Download the data of "${o.caption}"`, () => saveText(`${o.name}.csv`, csvText(
        [o.xLabel, ...o.series.map(s => s.label)],
        Array.from(o.x, (x, i) => [x, ...o.series.map(s => s.values[i])])))),
      button("PNG", `Save "${o.caption}" as a picture`, () => { if (u) png(u, o); }))),
    area);
  let u: uPlot | null = null;
  const draw = () => {
    const keep = u ? { min: u.scales.x.min!, max: u.scales.x.max! } : null;
    const width = area.clientWidth;
    if (width < 40) return;
    u?.destroy();
    u = make(o, area, width);
    if (keep && o.xKind === "time") u.setScale("x", keep);
  };
  let last = 0;
  new ResizeObserver(() => {
    if (Math.abs(area.clientWidth - last) < 2) return;
    last = area.clientWidth;
    draw();
  }).observe(area);
  onTheme(draw);
  return figure;
}

function make(o: PlotOptions, area: HTMLElement, width: number): uPlot {
  const p = palette();
  const tops = o.stacked ? stack(o.series) : o.series.map(s => s.values);
  // Areas are painted from the top of the stack down, each over what is below it.
  const turn = o.stacked ? [...o.series.keys()].reverse() : [...o.series.keys()];
  const path = o.steps ? uPlot.paths.stepped!({ align: 1 }) : uPlot.paths.linear!();
  const axis = { stroke: p.soft, font, grid: { stroke: p.line, width: 1 }, ticks: { stroke: p.line, width: 1, size: 4 } };
  const log = o.xKind === "log-seconds";
  const sync = o.shared ? linked.get(o.shared) ?? linked.set(o.shared, uPlot.sync(o.shared)).get(o.shared)! : undefined;
  const widest = Math.max(...o.series.map(s => { let m = 0; for (let i = 0; i < s.values.length; i++) if (s.values[i] > m) m = s.values[i]; return m; }), 0);
  const made = new uPlot({
    width,
    height: o.height ?? (width < 500 ? 200 : 250),
    ms: 1,
    scales: {
      x: { time: false, ...(log ? { distr: 3 as const, log: 10 as const } : {}) },
      y: { range: (_u, _min, max) => [0, o.yMax ?? (max > 0 ? max * 1.06 : Math.max(1, widest))] },
    },
    cursor: { points: { size: 6 }, drag: { x: !log, y: false }, ...(sync ? { sync: { key: sync.key } } : {}) },
    axes: [
      { ...axis, ...(log
        ? { splits: (_u: uPlot, _i: number, min: number, max: number) => logTicks.filter(t => t >= min && t <= max), filter: (_u: uPlot, s: number[]) => s,
          values: (u: uPlot, s: number[]) => s.map((v, i) => u.width < 500 && i % 2 ? "" : tickNames.get(v) ?? duration(v)) }
        : { splits: (u: uPlot, _i: number, min: number, max: number) => daySplits(min, max, u.width / (u.width < 500 ? 70 : 110)), values: timeAxis }) },
      { ...axis, size: 62, values: (_u: uPlot, s: number[]) => s.map(v => o.y(v)), label: o.yLabel, labelSize: 18, labelFont: font, labelGap: 0 },
    ],
    series: [
      { label: log ? "at" : "time", value: (_u, v) => v === null || v === undefined ? "" : log ? duration(v) : moment(v) },
      ...turn.map(i => {
        const s = o.series[i], colour = s.colour();
        return {
          label: s.label, stroke: colour, width: o.stacked ? 0 : 1.75, paths: path, points: { show: false }, dash: s.dash,
          fill: s.fill ? (o.stacked ? colour : tint(colour, 0.18)) : undefined,
          value: (_u: uPlot, _v: number, _s: number, at: number | null) => at === null || at === undefined ? "" : o.y(s.values[at]),
        };
      }),
    ],
    legend: { live: true },
  }, [o.x as number[], ...turn.map(i => tops[i] as number[])], area);
  made.root.querySelectorAll<HTMLElement>(".u-legend .u-series").forEach((e, k) => { e.style.order = String(k === 0 ? 0 : turn[k - 1] + 1); });
  return made;
}

function png(u: uPlot, o: PlotOptions): void {
  const from = u.ctx.canvas, dpr = devicePixelRatio || 1, p = palette();
  const out = h("canvas", { width: from.width + 32 * dpr, height: from.height + 84 * dpr });
  const c = out.getContext("2d")!;
  c.fillStyle = p.paper;
  c.fillRect(0, 0, out.width, out.height);
  c.scale(dpr, dpr);
  c.fillStyle = p.ink;
  c.font = font.replace("12px", "600 15px");
  c.fillText(o.caption, 16, 28);
  c.font = font;
  let x = 16;
  for (const s of o.series) {
    c.fillStyle = s.colour();
    c.fillRect(x, 42, 10, 10);
    c.fillStyle = p.soft;
    c.fillText(s.label, x + 15, 51);
    x += 32 + c.measureText(s.label).width;
  }
  c.drawImage(from, 16, 66, from.width / dpr, from.height / dpr);
  out.toBlob(b => { if (b) save(`${o.name}.png`, b); });
}
