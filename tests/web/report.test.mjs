// The HTML report in a real browser: no errors, no requests, controls that work, first paint, panning, accessibility.
// node --test with GPUYARD (the binary), MODULES (node_modules of reports/web, dev packages included), CHROMIUM.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { GPUYARD, MODULES, CHROMIUM } = process.env;
const root = resolve(import.meta.dirname ?? ".", "../..");
const shared = join(root, "../shared/data");
const { chromium } = await import(pathToFileURL(join(MODULES, "playwright-core/index.mjs")));
const axe = readFileSync(join(MODULES, "axe-core/axe.min.js"), "utf8");
const dir = mkdtempSync(join(tmpdir(), "gpuyard-web-"));
const gpuyard = (...args) => execFileSync(GPUYARD, args, { cwd: dir, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
const run = (name, scenario, ...args) => gpuyard("run", scenario, "--quiet", "--progress", "never", "--set", "thresholds=[]", "--set", `name=${name}`, "--out", name, ...args);
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] });
});
after(async () => { await browser?.close(); rmSync(dir, { recursive: true, force: true }); });

async function open(file, { width = 1440, height = 900, dark = false } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true });
  const wrong = [];
  page.on("console", m => { if (["error", "warning"].includes(m.type())) wrong.push(m.text()); });
  page.on("pageerror", e => wrong.push(e.stack));
  page.on("request", r => { if (!/^(file|data|blob):/.test(r.url())) wrong.push(`request ${r.url()}`); });
  page.on("dialog", d => { wrong.push(`dialog ${d.message()}`); d.dismiss(); });
  await page.goto(pathToFileURL(join(dir, file)).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true", null, { timeout: 60000 });
  return { page, wrong, close: async () => { await page.close(); assert.deepEqual(wrong, []); } };
}

async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")}`);
}

test("quickstart: every section, controls, downloads", async () => {
  run("quick", join(root, "scenarios/quickstart.json"), "--set", "trace.to=6d", "--set", "stop.at=7d");
  gpuyard("report", "quick", "-o", "quick.html");
  const { page, close } = await open("quick.html");
  for (const id of ["headline", "utilisation", "unused", "queue", "distributions", "teams", "gantt", "fragmentation", "metrics", "assumptions", "reproduce"])
    assert.equal(await page.locator(`section#${id}`).count(), 1, id);
  assert.equal(await page.locator("section#network").count(), 0, "no network was modelled");
  assert.match(await page.locator(".card .figure").first().innerText(), /%/);

  // The table sorts, and its CSV comes down.
  const teams = page.locator("#teams .tablebox table");
  await teams.locator("button.sort", { hasText: "Jobs" }).click();
  const jobs = (await teams.locator("tbody tr td:nth-child(2)").allInnerTexts()).map(t => +t.replace(/,/g, ""));
  assert.deepEqual(jobs, [...jobs].sort((a, b) => b - a));
  const [csv] = await Promise.all([page.waitForEvent("download"), page.locator("#teams .tablebox button", { hasText: "CSV" }).click()]);
  assert.match(readFileSync(await csv.path(), "utf8"), /^Team,Jobs/);
  const [picture] = await Promise.all([page.waitForEvent("download"), page.locator("#utilisation button", { hasText: "PNG" }).click()]);
  assert.equal(readFileSync(await picture.path()).subarray(1, 4).toString(), "PNG");
  const [rows] = await Promise.all([page.waitForEvent("download"), page.locator("#reproduce button", { hasText: "jobs.csv" }).click()]);
  assert.equal(readFileSync(await rows.path(), "utf8"), readFileSync(join(dir, "quick/jobs.csv"), "utf8"), "the page carries the run's file");

  // The Gantt: find a job, keys, colours, a click.
  const id = readFileSync(join(dir, "quick/jobs.csv"), "utf8").split("\n")[40].split(",")[0];
  await page.locator(".gantt input[type=search]").fill(id);
  await page.locator(".gantt button", { hasText: "Find" }).click();
  assert.match(await page.locator(".story h3").innerText(), new RegExp(`^Job ${id}$`));
  const seen = () => page.evaluate(() => window.gpuyardGantt.seen);
  const near = await seen();
  await page.locator(".gantt canvas").focus();
  await page.keyboard.press("ArrowRight");
  assert.ok((await seen()).t0 > near.t0, "an arrow key pans");
  await page.keyboard.press("0");
  assert.ok((await seen()).t1 - (await seen()).t0 > near.t1 - near.t0, "0 shows all");
  await page.locator(".gantt .switch span", { hasText: "wait" }).click();
  assert.ok(await page.locator(".legend .key", { hasText: "started at once" }).count());
  await page.locator(".gantt input[type=search]").fill("no such job");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".gantt output").innerText(), /No job/);

  // Light and dark.
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const was = await paper();
  await page.locator("#top button").click();
  assert.notEqual(await paper(), was);
  await close();
});

test("accessibility, light and dark, wide and narrow", async () => {
  gpuyard("report", "quick", "-o", "quick.html");
  for (const how of [{}, { dark: true, width: 390, height: 844 }]) {
    const { page, close } = await open("quick.html", how);
    assert.deepEqual(await accessible(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out at the side");
    await close();
  }
});

test("five runs side by side", async () => {
  const base = join(root, "scenarios/quickstart.json"), runs = ["fifo", "sjf", "ljf", "smallest", "largest"];
  for (const order of runs) run(order, base, "--set", `scheduler.order=${order}`, "--set", "trace.to=3d", "--set", "stop.at=4d");
  gpuyard("report", ...runs, "-o", "five.html");
  const { page, close } = await open("five.html");
  assert.equal(await page.locator(".runs li").count(), 5);
  assert.equal(await page.locator("#utilisation figure").count(), 5);
  await page.locator("#gantt select").selectOption("3");
  assert.ok(await page.locator(".versus .delta.good, .versus .delta.bad").count() > 0, "runs are compared with the first");
  assert.deepEqual(await accessible(page), []);
  await close();
});

test("a run with contention shows its links", async () => {
  writeFileSync(join(dir, "n.csv"), "job_id,submit_s,duration_s,gpus,nodes\na,0,1000,16,2\nb,5,1000,16,2\nc,8,800,40,5\n");
  writeFileSync(join(dir, "n.json"), JSON.stringify({ name: "contention", cluster: { nodes: [{ name: "n[1-8]", hardware: "dgx-h100" }], fabric: { type: "fat-tree", nodes_per_leaf: 4, oversubscription: 4 } },
    trace: { path: "n.csv" }, workloads: [{ match: { gpus: ">=16" }, profile: { compute_s: 0.5, allreduce_gb: 14, overlap_gamma: 1 } }], network: { fidelity: "fluid" }, output: { timeline_s: 60 } }));
  gpuyard("run", "n.json", "--quiet", "--out", "net");
  gpuyard("report", "net", "-o", "net.html");
  const { page, close } = await open("net.html");
  assert.ok(await page.locator("#network .tablebox tbody tr").count() > 3);
  // The picture of the fabric: two leaves, their hosts below, and the spines that the split job crossed.
  const titles = await page.locator("#network .topology svg title").allTextContents();
  assert.equal(titles.filter(t => /^leaf\d+: its busiest link [\d.]+ %$/.test(t)).length, 2);
  assert.ok(titles.some(t => /^leaf\d+ – spine\d+: [\d.]+ % of [\d.]+ GB\/s$/.test(t)), "links by their ends and load");
  assert.ok(titles.some(t => /: its NICs /.test(t)));
  assert.deepEqual(await accessible(page), []);
  const narrow = await open("net.html", { width: 390, height: 844 });
  assert.ok((await narrow.page.locator("#network .topology svg").boundingBox()).width > 600, "on a phone it scrolls instead of shrinking");
  assert.ok(await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.deepEqual(await accessible(narrow.page), []);
  await narrow.close();
  await close();
});

test("hostile names are shown as text", async () => {
  const long = "x".repeat(10000);
  writeFileSync(join(dir, "h.csv"), `job_id,submit_s,duration_s,gpus,user,team\n"<img src=x onerror=alert(1)>",0,10,1,u,"</script><script>alert(2)</script>"\n"\u001b[31mred",1,10,1,"=1+1","\u202etxet"\n${long},2,10,1,u,${long}\n`);
  writeFileSync(join(dir, "h.json"), JSON.stringify({ name: "<b>bold</b>", cluster: { nodes: [{ name: "n[1-2]", gpus: 2 }] }, trace: { path: "h.csv" }, output: { timeline_s: 5 } }));
  gpuyard("run", "h.json", "--quiet", "--out", "hostile");
  gpuyard("report", "hostile", "-o", "hostile.html");
  const { page, close } = await open("hostile.html", { width: 390 });
  assert.equal(await page.locator("h1").innerText(), "<b>bold</b>");
  assert.equal(await page.locator("main img, h1 b").count(), 0);
  const text = await page.locator("#teams").innerText();
  assert.ok(text.includes("<script>alert(2)</script>") && text.includes("\\u202etxet") && text.includes("10,000 characters"));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a long name does not widen the page");
  await close();
});

test("openb: pods on shares of GPUs", async t => {
  const openb = join(shared, "traces/openb");
  if (!existsSync(openb)) return t.skip("no openb trace beside the checkout");
  writeFileSync(join(dir, "openb.json"), JSON.stringify({ name: "openb", cluster: { nodes_file: join(openb, "openb_node_list_gpu_node.csv") }, trace: { path: join(openb, "openb_pod_list_default.csv") }, output: { timeline_s: 3600 } }));
  gpuyard("run", "openb.json", "--quiet", "--out", "openb");
  gpuyard("report", "openb", "-o", "openb.html");
  for (const how of [{}, { width: 390, height: 844 }]) {
    const { page, close } = await open("openb.html", how);
    assert.ok(await page.locator("#gantt canvas").isVisible());
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out at the side");
    assert.deepEqual(await accessible(page), []);
    await close();
  }
});

test("80,000 jobs: first paint and panning", async t => {
  const philly = join(shared, "traces/philly/philly_sia.csv.gz");
  let trace = { path: "many.csv" };
  if (existsSync(philly)) {
    trace = { path: philly, format: "csv", columns: { submit_s: "timestamp", duration_s: "duration", gpus: "num_gpus", team: "cluster" } };
  } else {
    t.diagnostic("SKIP: no Philly trace beside the checkout; a made-up one of 80,000 jobs instead");
    let csv = "job_id,submit_s,duration_s,gpus,team\n", x = 1;
    const next = () => (x = x * 16807 % 2147483647) / 2147483647;
    for (let i = 0; i < 80000; i++) csv += `${i},${i * 75},${Math.round(Math.exp(4 + 7 * next()))},${[1, 1, 1, 2, 4, 8][Math.floor(6 * next())]},t${Math.floor(14 * next())}\n`;
    writeFileSync(join(dir, "many.csv"), csv);
  }
  writeFileSync(join(dir, "many.json"), JSON.stringify({ name: "many", cluster: { nodes: [{ name: "p[001-321]", gpus: 8 }] }, trace, scheduler: { preset: "composed", backfill: "easy" }, output: { timeline_s: 3600 } }));
  gpuyard("run", "many.json", "--quiet", "--out", "many");
  gpuyard("report", "many", "-o", "many.html");
  const { page, close } = await open("many.html");
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, first: performance.getEntriesByName("gpuyard-first")[0].startTime, all: performance.getEntriesByName("gpuyard-done")[0].startTime }));
  await page.locator("#gantt").scrollIntoViewIfNeeded();
  const pan = await page.evaluate(async () => {
    const g = window.gpuyardGantt;
    g.zoom(0.5);
    g.frames.length = 0;
    const began = performance.now();
    let n = 0;
    while (performance.now() - began < 2000) { g.pan(n % 60 < 30 ? 9 : -9, n % 2); await new Promise(requestAnimationFrame); n++; }
    const sorted = [...g.frames].sort((a, b) => a - b);
    return { fps: n / 2, median: sorted[sorted.length >> 1] };
  });
  // A picture that was shifted is the picture drawn anew.
  const same = await page.evaluate(async () => {
    const g = window.gpuyardGantt, frame = () => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame));
    const copy = new OffscreenCanvas(g.canvas.width, g.canvas.height).getContext("2d", { willReadFrequently: true });
    const pixels = () => { copy.drawImage(g.canvas, 0, 0); return copy.getImageData(0, 0, g.canvas.width, g.canvas.height).data; };
    g.zoom(0.02);
    await frame();
    let wrong = 0, most = 0;
    for (const [dx, dy] of [[37, 0], [-5, 3], [0, -11], [120, 40], [-64, -64], [900, 0], [-3000, 5]]) {
      g.pan(dx, dy);
      await frame();
      const shifted = pixels().slice();
      g.colour("team");
      await frame();
      const anew = pixels();
      for (let i = 0; i < anew.length; i += 4) wrong += shifted[i] !== anew[i] || shifted[i + 1] !== anew[i + 1] || shifted[i + 2] !== anew[i + 2];
      most = Math.max(most, anew.length / 4);
    }
    return { wrong, most };
  });
  t.diagnostic(`pixels that differ after seven shifts: ${same.wrong} of ${same.most} each`);
  assert.ok(same.wrong <= 20, "shifting draws what drawing anew draws"); // a rounding at the edge of a job
  t.diagnostic(`first contentful paint ${Math.round(times.paint)} ms, headline ${Math.round(times.first)} ms, whole page ${Math.round(times.all)} ms; panning ${pan.fps} frames/s, ${pan.median.toFixed(1)} ms a frame to draw`);
  assert.ok(times.paint < 1500, `first paint after ${times.paint} ms`);
  assert.ok(pan.median < 50, `a frame takes ${pan.median} ms`); // 16 ms where the machine is free; tests share it
  await close();
});
