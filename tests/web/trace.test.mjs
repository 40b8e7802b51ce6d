// The Perfetto export read by another program's parser of the Trace Event Format (speedscope), in a browser, from disk.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { GPUYARD, MODULES, CHROMIUM } = process.env;
const root = resolve(import.meta.dirname ?? ".", "../..");
const { chromium } = await import(pathToFileURL(join(MODULES, "playwright-core/index.mjs")));

test("speedscope reads every GPU's track", async t => {
  const dir = mkdtempSync(join(tmpdir(), "gpuyard-trace-"));
  const gpuyard = (...args) => execFileSync(GPUYARD, args, { cwd: dir, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
  gpuyard("run", join(root, "scenarios/quickstart.json"), "--quiet", "--set", "thresholds=[]", "--set", "trace.to=1d", "--set", "stop.at=2d", "--set", "output.events=true", "--out", "run");
  gpuyard("export", "run", "--format", "perfetto", "-o", "t.json");
  const events = JSON.parse(readFileSync(join(dir, "t.json"), "utf8")).traceEvents;
  const tracks = new Set(events.filter(e => e.ph === "X" || e.ph === "B").map(e => `${e.pid} ${e.tid}`)).size;

  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] });
  try {
    const page = await browser.newPage();
    const said = [], wrong = [];
    page.on("console", m => { said.push(m.text()); if (m.type() === "error" || (m.type() === "warning" && !/WebGL|GPU stall/.test(m.text()))) wrong.push(m.text()); });
    page.on("pageerror", e => wrong.push(e.stack));
    page.on("dialog", d => { wrong.push(d.message()); d.dismiss(); });
    await page.goto(pathToFileURL(join(MODULES, "speedscope/dist/release/index.html")).href);
    await page.waitForSelector("input[type=file]", { state: "attached" });
    await page.setInputFiles("input[type=file]", join(dir, "t.json"));
    const title = await page.waitForFunction(() => /\((\d+)\/(\d+)\)/.exec(document.body.innerText)?.[0], null, { timeout: 60000 });
    assert.ok(said.some(s => s.includes("Trace Event Format")), said.join("\n"));
    assert.equal((await title.jsonValue()).replace(/.*\/(\d+)\)/, "$1"), String(tracks), "a profile a GPU");
    t.diagnostic(`${events.length} events on ${tracks} tracks`);
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
