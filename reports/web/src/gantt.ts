/* The Gantt of nodes × time: painted pixel by pixel into one image, so that panning over 100,000 jobs stays smooth. */
import type { Run } from "./data";
import { sizeClass, sizeClasses } from "./data";
import { button, h, save, saveText } from "./dom";
import { amount, count, csvText, duration, moment, named, visible } from "./format";
import { type Lanes, lanesOf, rectanglesOf, windowOf } from "./lanes";
import { onTheme, palette, series } from "./theme";

type Mode = "team" | "state" | "size" | "wait";
interface Key { label: string; colour: number; jobs: number }

const left = 92, foot = 26, head = 34; // CSS pixels around the image
const stateOrder = ["completed", "failed", "cancelled", "timeout", "node_fail", "running"];
const stateTone: Record<string, number> = { completed: 2, failed: 1, cancelled: 5, timeout: 3, node_fail: 8, running: 0 };
const waitSteps: [number, string, number][] = [[0, "started at once", 2], [60, "up to 1 min", 4], [3600, "up to 1 h", 0], [86400, "up to 1 day", 5], [Infinity, "longer", 1]];

export class Gantt {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  frames: number[] = []; // time to paint each, ms; the newest 240
  private run: Run;
  private lanes: Lanes;
  private mode: Mode = "team";
  private keys: Key[] = [];
  private keyOf: Int32Array;       // a job's key
  private only = -1;               // the key shown alone
  private chosen = -1;             // a job
  private marks: number[] = [];    // its rectangles
  private t0: number; private t1: number; private y0 = 0; private y1: number;
  private image: ImageData | null = null;
  private drawn: { t0: number; t1: number; y0: number; y1: number } | null = null; // what the image shows; null: nothing that may be kept
  private asked = false;
  private legend = h("div", { class: "legend" });
  private detail = h("div", { class: "detail", "aria-live": "polite" });
  private tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private found = h("output", { class: "note" });
  private points = new Map<number, { x: number; y: number }>();

  constructor(run: Run, id: string) {
    this.run = run;
    this.lanes = lanesOf(run);
    this.keyOf = new Int32Array(run.jobs!.n);
    this.t0 = run.first;
    this.t1 = Math.max(run.end, run.first + 1);
    this.y1 = this.lanes.rows;
    this.canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": `Jobs by node and time. ${count(this.lanes.n)} placements on ${count(this.lanes.nodes.length)} nodes. Arrow keys move, plus and minus zoom, 0 shows all.`, "aria-describedby": `${id}-help` });
    const search = h("input", { type: "search", placeholder: "job id", "aria-label": "Find a job by its id", onkeydown: (e: KeyboardEvent) => { if (e.key === "Enter") this.find(search.value.trim()); } });
    const modes: [Mode, string][] = [["team", "team"], ["state", "state"], ["size", "size"], ["wait", "wait"]];
    const picker = h("fieldset", { class: "switch" }, h("legend", { class: "visually-hidden" }, "Colour by"), ...modes.map(([m, text]) => {
      const box = h("input", { type: "radio", name: `${id}-mode`, value: m, checked: m === this.mode, onchange: () => this.colour(m) });
      return h("label", null, box, h("span", null, text));
    }));
    this.element = h("div", { class: "gantt" },
      h("div", { class: "bar" }, h("span", { class: "soft" }, "Colour by"), picker, h("span", { class: "grow" }), search, button("Find", "Find the job", () => this.find(search.value.trim())),
        button("−", "Zoom out", () => this.zoom(1.6)), button("+", "Zoom in", () => this.zoom(1 / 1.6)), button("All", "Show everything", () => this.all()),
        button("CSV", "Download the placements as CSV", () => this.csv()), button("PNG", "Save as a picture", () => this.png())),
      this.legend, h("div", { class: "stage" }, this.canvas, this.tip), h("p", { class: "note", id: `${id}-help` },
        "Drag to pan, Ctrl + wheel or pinch to zoom (the wheel alone once the chart has the focus), click a job for its story; arrow keys, + − and 0 do the same.",
        this.lanes.partial ? ` ${count(this.lanes.partial)} jobs were preempted: their last run is drawn; gpuyard explain and the Perfetto export have all of them.` : ""),
      this.found, this.detail);
    this.listen();
    this.colour("team");
    new ResizeObserver(() => this.ask()).observe(this.canvas);
    onTheme(() => { this.colour(this.mode); });
  }

  private packed(colour: string): number {
    const n = parseInt(colour.slice(1), 16);
    return (0xff000000 | (n & 255) << 16 | (n >> 8 & 255) << 8 | n >> 16) >>> 0;
  }

  colour(mode: Mode): void {
    const j = this.run.jobs!;
    if (mode !== this.mode) this.only = -1;
    this.mode = mode;
    const pack = (i: number) => this.packed(series(i));
    if (mode === "team") {
      const held = new Float64Array(j.team.names.length);
      for (let i = 0; i < j.n; i++) held[j.team.of[i]] += j.gpuSeconds[i] || 0;
      const order = [...held.keys()].sort((a, b) => held[b] - held[a]);
      const rank = new Int32Array(order.length).fill(9);
      order.slice(0, 9).forEach((t, i) => { rank[t] = i; });
      this.keys = order.slice(0, 9).map((t, i) => ({ label: named(j.team.names[t]), colour: pack(i), jobs: 0 }));
      if (order.length > 9) this.keys.push({ label: `${order.length - 9} others`, colour: pack(9), jobs: 0 });
      for (let i = 0; i < j.n; i++) this.keyOf[i] = rank[j.team.of[i]];
    } else if (mode === "state") {
      const names = [...j.state.names].sort((a, b) => stateOrder.indexOf(a) - stateOrder.indexOf(b));
      this.keys = names.map(n => ({ label: n, colour: pack(stateTone[n] ?? 9), jobs: 0 }));
      for (let i = 0; i < j.n; i++) this.keyOf[i] = names.indexOf(j.state.names[j.state.of[i]]);
    } else if (mode === "size") {
      const there = sizeClasses.filter(c => { for (let i = 0; i < j.n; i++) if (sizeClass(j.gpus[i]) === c) return true; return false; });
      const ramp = ["#cfe3f1", "#a9d0e8", "#7db9dc", "#4f9fcd", "#2a83b8", "#12679c", "#3f51a3", "#6a3d9a", "#8e2a80", "#a81f5b", "#c4302f"];
      this.keys = there.map((c, i) => ({ label: `${c} GPUs`, colour: this.packed(ramp[Math.round(i * (ramp.length - 1) / Math.max(1, there.length - 1))]), jobs: 0 }));
      for (let i = 0; i < j.n; i++) this.keyOf[i] = there.indexOf(sizeClass(j.gpus[i]));
    } else {
      this.keys = waitSteps.map(([, label, tone]) => ({ label, colour: pack(tone), jobs: 0 }));
      for (let i = 0; i < j.n; i++) this.keyOf[i] = waitSteps.findIndex(([most]) => !(j.wait[i] > most));
    }
    for (let i = 0; i < j.n; i++) if (j.placement[i] !== "" && this.keys[this.keyOf[i]]) this.keys[this.keyOf[i]].jobs++;
    this.drawLegend();
    this.redraw();
  }

  private drawLegend(): void {
    const hex = (c: number) => `rgb(${c & 255},${c >> 8 & 255},${c >> 16 & 255})`;
    this.legend.replaceChildren(...this.keys.map((k, i) => k.jobs === 0 ? null : h("button", { type: "button", class: "key", title: `Show ${k.label} alone`, "aria-pressed": String(this.only === i),
      onclick: () => { this.only = this.only === i ? -1 : i; this.drawLegend(); this.redraw(); } }, h("span", { class: "swatch", style: `background:${hex(k.colour)}` }), h("span", { dir: "auto" }, k.label), h("small", null, count(k.jobs)))).filter(x => x !== null));
  }

  // ---- what is seen

  private get dpr(): number { return Math.min(2, devicePixelRatio || 1); }
  private get width(): number { return Math.max(10, this.canvas.clientWidth - left); }
  private get height(): number { return Math.max(10, this.canvas.clientHeight - foot - head); }
  private timeAt(x: number): number { return this.t0 + (x - left) / this.width * (this.t1 - this.t0); }
  private rowAt(y: number): number { return this.y0 + (y - head) / this.height * (this.y1 - this.y0); }

  /* After colours changed. */
  private redraw(): void { this.drawn = null; this.ask(); }

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  view(t0: number, t1: number, y0 = this.y0, y1 = this.y1): void {
    const all = Math.max(1, this.run.end - this.run.first), rows = this.lanes.rows;
    const span = Math.min(all * 1.04, Math.max(1, t1 - t0)), high = Math.min(rows, Math.max(Math.min(4, rows), y1 - y0));
    this.t0 = Math.max(this.run.first - all * 0.02, Math.min(this.run.end + all * 0.02 - span, t0));
    this.t1 = this.t0 + span;
    this.y0 = Math.max(0, Math.min(rows - high, y0));
    this.y1 = this.y0 + high;
    this.ask();
  }

  all(): void { this.view(this.run.first, this.run.end, 0, this.lanes.rows); }

  zoom(by: number, x = left + this.width / 2, y = head + this.height / 2, rows = true): void {
    const t = this.timeAt(x), row = this.rowAt(y), k = rows ? by : 1;
    this.view(t - (t - this.t0) * by, t + (this.t1 - t) * by, row - (row - this.y0) * k, row + (this.y1 - row) * k);
  }

  /* By whole pixels of the device, so that what is drawn can be shifted instead of drawn again. */
  pan(dx: number, dy: number): void {
    const dpr = this.dpr, w = Math.round(this.width * dpr), hh = Math.round(this.height * dpr);
    const dt = Math.round(dx * dpr) / w * (this.t1 - this.t0), dr = Math.round(dy * dpr) / hh * (this.y1 - this.y0);
    this.view(this.t0 - dt, this.t1 - dt, this.y0 - dr, this.y1 - dr);
  }

  private nodeOf(row: number): number {
    let lo = 0, hi = this.lanes.nodes.length;
    while (lo + 1 < hi) { const m = (lo + hi) >> 1; if (this.lanes.first[m] <= row) lo = m; else hi = m; }
    return lo;
  }

  private paint(): void {
    const began = performance.now();
    const dpr = this.dpr, cw = this.canvas.clientWidth, ch = this.canvas.clientHeight;
    if (cw < 20 || ch < 20) return;
    const W = Math.round(cw * dpr), H = Math.round(ch * dpr);
    if (this.canvas.width !== W || this.canvas.height !== H) { this.canvas.width = W; this.canvas.height = H; }
    const c = this.canvas.getContext("2d", { alpha: false })!, p = palette();
    const w = Math.round(this.width * dpr), hh = Math.round(this.height * dpr);
    if (!this.image || this.image.width !== w || this.image.height !== hh) { this.image = new ImageData(w, hh); this.drawn = null; }
    this.draw(new Uint32Array(this.image.data.buffer), w, hh);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = p.paper;
    c.fillRect(0, 0, W, H);
    c.putImageData(this.image, Math.round(left * dpr), Math.round(head * dpr));
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.axes(c);
    this.markChosen(c);
    this.frames.push(performance.now() - began);
    if (this.frames.length > 240) this.frames.shift();
  }

  /* The image: shifted as far as it still holds, and drawn where it does not. */
  private draw(px: Uint32Array, w: number, hh: number): void {
    const now = { t0: this.t0, t1: this.t1, y0: this.y0, y1: this.y1 }, was = this.drawn;
    this.drawn = now;
    const dx = was ? (was.t0 - now.t0) / (now.t1 - now.t0) * w : NaN, dy = was ? (was.y0 - now.y0) / (now.y1 - now.y0) * hh : NaN;
    const kx = Math.round(dx), ky = Math.round(dy);
    const whole = was && Math.abs(dx - kx) < 1e-3 && Math.abs(dy - ky) < 1e-3 && Math.abs(kx) < w && Math.abs(ky) < hh
      && Math.abs((was.t1 - was.t0) / (now.t1 - now.t0) - 1) < 1e-9 && Math.abs((was.y1 - was.y0) / (now.y1 - now.y0) - 1) < 1e-9;
    if (!whole) return this.fill(px, w, hh, 0, w, 0, hh);
    if (!kx && !ky) return;
    const by = ky * w + kx; // the rows that come round at the sides are drawn over
    if (by > 0) px.copyWithin(by, 0, w * hh - by); else px.copyWithin(0, -by);
    if (kx) this.fill(px, w, hh, kx > 0 ? 0 : w + kx, kx > 0 ? kx : w, 0, hh);
    if (ky) this.fill(px, w, hh, 0, w, ky > 0 ? 0 : hh + ky, ky > 0 ? ky : hh);
  }

  /* The pixels [cx0, cx1) × [cy0, cy1) from the placements. */
  private fill(px: Uint32Array, w: number, hh: number, cx0: number, cx1: number, cy0: number, cy1: number): void {
    const p = palette(), free = this.packed(p.free), gap = this.packed(p.paper), dim = this.packed(p.line);
    const l = this.lanes, sx = w / (this.t1 - this.t0), sy = hh / (this.y1 - this.y0);
    const colours = Uint32Array.from(this.keys, k => k.colour);
    for (let y = cy0; y < cy1; y++) px.fill(free, y * w + cx0, y * w + cx1);
    const t0 = this.t0 + (cx0 - 1) / sx, t1 = this.t0 + (cx1 + 1) / sx, low = this.y0 + (cy0 - 1) / sy, high = this.y0 + (cy1 + 1) / sy;
    const a = this.nodeOf(Math.max(0, Math.floor(low))), b = Math.min(l.nodes.length - 1, this.nodeOf(Math.min(l.rows - 1, Math.ceil(high) - 1)));
    for (let node = a; node <= b; node++) {
      const [from, to] = windowOf(l, node, t0, t1);
      for (let i = from; i < to; i++) {
        if (l.to[i] <= t0) continue;
        const left = Math.floor((l.from[i] - this.t0) * sx), top = Math.round((l.low[i] - this.y0) * sy);
        const right = Math.max(left + 1, Math.ceil((l.to[i] - this.t0) * sx)), bottom = Math.max(top + 1, Math.round((l.high[i] - this.y0) * sy));
        const x0 = Math.max(left, cx0), x1 = Math.min(right, cx1), y0 = Math.max(top, cy0);
        const thin = sy >= 6 && bottom - top > 2 ? 1 : 0, y1 = Math.min(bottom - thin, cy1);
        if (x1 <= x0) continue;
        const edge = left >= cx0 && right - left > 3;
        const key = this.keyOf[l.job[i]], colour = this.only >= 0 && key !== this.only ? dim : colours[key];
        for (let y = y0; y < y1; y++) {
          const row = y * w;
          if (x1 - x0 > 24) px.fill(colour, row + x0, row + x1);
          else for (let at = row + x0, end = row + x1; at < end; at++) px[at] = colour;
          if (edge) px[row + x0] = gap;
        }
      }
      const line = Math.round((l.first[node + 1] - this.y0) * sy);
      if (sy * (l.first[node + 1] - l.first[node]) >= 6 && line > 0 && line >= cy0 && line < cy1) px.fill(gap, line * w + cx0, line * w + cx1);
    }
  }

  private axes(c: CanvasRenderingContext2D): void {
    const p = palette(), l = this.lanes;
    c.font = '11px ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif';
    c.textBaseline = "middle";
    const span = this.t1 - this.t0, want = span / Math.max(2, this.width / 90);
    const steps = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000];
    const step = steps.find(s => s >= want) ?? steps[steps.length - 1];
    c.fillStyle = p.soft;
    c.textAlign = "center";
    for (let t = Math.ceil(this.t0 / step) * step; t <= this.t1; t += step) {
      const x = left + (t - this.t0) / span * this.width;
      c.fillRect(x, head + this.height, 1, 4);
      const text = moment(t, step), half = c.measureText(text).width / 2;
      if (x - half > left - 10 && x + half < left + this.width + 2) c.fillText(text, x, head + this.height + 14);
    }
    c.textAlign = "left";
    if (this.width > 420) c.fillText(`${moment(this.t0, Math.min(step, 60))} to ${moment(this.t1, Math.min(step, 60))}`, left, 12);
    c.textAlign = "right";
    c.fillText(`${duration(span)} × ${count(this.y1 - this.y0)} of ${count(l.rows)} GPUs`, left + this.width, 12);
    const sy = this.height / (this.y1 - this.y0);
    let last = -100;
    for (let n = this.nodeOf(this.y0); n < l.nodes.length && l.first[n] < this.y1; n++) {
      const y = head + ((l.first[n] + l.first[n + 1]) / 2 - this.y0) * sy;
      if (y - last < 14 || y < head + 4 || y > head + this.height - 4) continue;
      last = y;
      const name = visible(l.nodes[n], 40);
      let cut = name;
      while (cut.length > 2 && c.measureText(cut).width > left - 14) cut = `${cut.slice(0, -2)}…`;
      c.fillText(cut, left - 8, y);
    }
    this.overview(c);
  }

  /* A bar above the chart that shows which part of the run is seen. */
  private overview(c: CanvasRenderingContext2D): void {
    const p = palette(), all = this.run.end - this.run.first || 1;
    const x = (t: number) => left + Math.max(0, Math.min(1, (t - this.run.first) / all)) * this.width;
    c.fillStyle = p.line;
    c.fillRect(left, 24, this.width, 4);
    c.fillStyle = p.soft;
    c.fillRect(x(this.t0), 24, Math.max(3, x(this.t1) - x(this.t0)), 4);
  }

  private markChosen(c: CanvasRenderingContext2D): void {
    const sy = this.height / (this.y1 - this.y0), sx = this.width / (this.t1 - this.t0), l = this.lanes;
    c.save();
    c.beginPath();
    c.rect(left, head, this.width, this.height);
    c.clip();
    for (const i of this.marks) {
      const x = left + (l.from[i] - this.t0) * sx, y = head + (l.low[i] - this.y0) * sy;
      const w = Math.max(4, (l.to[i] - l.from[i]) * sx), hh = Math.max(4, (l.high[i] - l.low[i]) * sy);
      c.strokeStyle = palette().paper;
      c.lineWidth = 5;
      c.strokeRect(x, y, w, hh);
      c.strokeStyle = palette().ink;
      c.lineWidth = 2;
      c.strokeRect(x, y, w, hh);
    }
    c.restore();
  }

  // ---- a job

  private hit(x: number, y: number): number {
    const t = this.timeAt(x), row = this.rowAt(y), l = this.lanes;
    if (x < left || y < head || y > head + this.height || row < 0 || row >= l.rows) return -1;
    const slack = (this.t1 - this.t0) / this.width;
    const [a, b] = windowOf(l, this.nodeOf(row), t - slack, t + slack);
    let best = -1;
    for (let i = a; i < b; i++) {
      if (row < l.low[i] || row >= l.high[i] || l.from[i] > t + slack || l.to[i] < t - slack) continue;
      if (best < 0 || (l.from[i] <= t && t < l.to[i])) best = i;
    }
    return best < 0 ? -1 : l.job[best];
  }

  find(id: string): boolean {
    const j = this.run.jobs!;
    let at = j.id.indexOf(id);
    if (at < 0 || at >= j.n) at = -1;
    if (at < 0) { this.found.textContent = id === "" ? "" : `No job has the id "${visible(id)}".`; return false; }
    this.found.textContent = "";
    this.choose(at);
    if (this.marks.length) {
      const l = this.lanes, from = l.from[this.marks[0]], to = l.to[this.marks[0]];
      const low = Math.min(...this.marks.map(i => l.low[i])), high = Math.max(...this.marks.map(i => l.high[i]));
      const wide = Math.max((to - from) * 3, (this.run.end - this.run.first) / 400), tall = Math.max((high - low) * 3, Math.min(l.rows, 48));
      this.view((from + to) / 2 - wide / 2, (from + to) / 2 + wide / 2, (low + high) / 2 - tall / 2, (low + high) / 2 + tall / 2);
    }
    return true;
  }

  choose(job: number): void {
    this.chosen = job;
    this.marks = job < 0 ? [] : rectanglesOf(this.lanes, job);
    this.detail.replaceChildren(...(job < 0 ? [] : [this.story(job)]));
    this.ask();
  }

  private story(i: number): HTMLElement {
    const j = this.run.jobs!, name = (c: { names: string[]; of: Int32Array }) => c.names[c.of[i]];
    const facts: [string, string][] = [
      ["Team", named(name(j.team))], ["User", named(name(j.user))], ["GPUs", amount(j.gpus[i])], ["State", name(j.state)],
      ["Submitted", moment(j.submit[i], 1)], ["Started", Number.isFinite(j.start[i]) ? moment(j.start[i], 1) : "never"], ["Ended", Number.isFinite(j.end[i]) ? moment(j.end[i], 1) : "not in this run"],
      ["Waited", duration(j.wait[i])], ["Ran", duration(j.run[i])], ["Preempted", count(j.preemptions[i])], ["Waited for", name(j.reason) === "" ? "nothing" : visible(name(j.reason), 200)], ["Last placement", visible(j.placement[i], 300) || "none"],
    ];
    return h("div", { class: "story" }, h("h3", { dir: "auto" }, `Job ${visible(j.id[i], 120)}`), h("dl", { class: "facts" }, ...facts.flatMap(([k, v]) => [h("dt", null, k), h("dd", { dir: "auto" }, v)])),
      h("p", { class: "note" }, "Its whole story: ", h("code", null, `gpuyard explain RUN --job ${visible(j.id[i], 60)}`)), button("Close", "Close", () => this.choose(-1)));
  }

  private hover(x: number, y: number): void {
    const i = this.points.size ? -1 : this.hit(x, y), j = this.run.jobs!;
    this.canvas.style.cursor = i >= 0 ? "pointer" : "grab";
    this.tip.hidden = i < 0;
    if (i < 0) return;
    this.tip.replaceChildren(h("b", { dir: "auto" }, visible(j.id[i], 40)), h("span", { dir: "auto" }, `${named(j.team.names[j.team.of[i]])} · ${amount(j.gpus[i])} GPUs · ${j.state.names[j.state.of[i]]}`),
      h("span", null, `waited ${duration(j.wait[i])}, ran ${duration(j.run[i])}`));
    const right = x > this.canvas.clientWidth / 2;
    this.tip.style.left = right ? "auto" : `${x + 14}px`;
    this.tip.style.right = right ? `${this.canvas.clientWidth - x + 14}px` : "auto";
    this.tip.style.top = `${Math.min(y + 12, this.canvas.clientHeight - 70)}px`;
  }

  // ---- hands

  private listen(): void {
    const c = this.canvas;
    const place = (e: PointerEvent | WheelEvent | MouseEvent) => { const r = c.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top }; };
    let moved = 0;
    c.addEventListener("pointerdown", e => { c.setPointerCapture(e.pointerId); this.points.set(e.pointerId, place(e)); if (this.points.size === 1) moved = 0; });
    c.addEventListener("pointermove", e => {
      const now = place(e), old = this.points.get(e.pointerId);
      if (!old) return this.hover(now.x, now.y);
      const others = [...this.points].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      this.points.set(e.pointerId, now);
      moved += Math.hypot(now.x - old.x, now.y - old.y);
      this.tip.hidden = true;
      if (others.length === 0) return this.pan(now.x - old.x, now.y - old.y);
      const o = others[0], was = Math.hypot(old.x - o.x, old.y - o.y), is = Math.hypot(now.x - o.x, now.y - o.y);
      if (was > 10 && is > 10) this.zoom(was / is, (now.x + o.x) / 2, (now.y + o.y) / 2);
    });
    const up = (e: PointerEvent) => {
      if (!this.points.delete(e.pointerId)) return;
      if (moved < 4 && e.type === "pointerup") { const p = place(e); this.choose(this.hit(p.x, p.y)); }
    };
    c.addEventListener("pointerup", up);
    c.addEventListener("pointercancel", up);
    c.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    c.addEventListener("wheel", e => {
      if (!(e.ctrlKey || e.metaKey || document.activeElement === c)) return;
      e.preventDefault();
      const p = place(e);
      this.zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY)) * 0.004), p.x, p.y, !e.shiftKey);
    }, { passive: false });
    c.addEventListener("dblclick", e => { const p = place(e); this.zoom(0.4, p.x, p.y); });
    c.addEventListener("keydown", e => {
      const step = e.shiftKey ? 400 : 80;
      const moves: Record<string, () => void> = { ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(1 / 1.4), "=": () => this.zoom(1 / 1.4), "-": () => this.zoom(1.4), "0": () => this.all(), Escape: () => this.choose(-1) };
      if (!moves[e.key]) return;
      e.preventDefault();
      moves[e.key]();
    });
  }

  private csv(): void {
    const l = this.lanes, j = this.run.jobs!;
    saveText(`gantt-${this.run.index}.csv`, csvText(["node", "gpu_first", "gpu_last", "job_id", "team", "start_s", "end_s"], Array.from({ length: l.n }, (_, i) => {
      const n = this.nodeOf(l.low[i]);
      return [l.nodes[n], l.low[i] - l.first[n], l.high[i] - l.first[n] - 1, j.id[l.job[i]], j.team.names[j.team.of[l.job[i]]], l.from[i], l.to[i]];
    })));
  }

  private png(): void { this.canvas.toBlob(b => { if (b) save(`gantt-${this.run.index}.png`, b); }); }

  get seen(): { t0: number; t1: number; y0: number; y1: number; chosen: number } { return { t0: this.t0, t1: this.t1, y0: this.y0, y1: this.y1, chosen: this.chosen }; }
}
