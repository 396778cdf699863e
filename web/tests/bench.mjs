// `./x web-bench`: how fast the viewer opens and draws large profiles, beside
// speedscope's released page with the same data.
//
// bench.mjs XHPROF FOLDER SPEEDSCOPE: FOLDER has the profiles that
// `cargo run --example large` made, SPEEDSCOPE is the unpacked npm package.
// Both pages get the same file by the same way, and run in the same Chromium on
// two cores, one after the other.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [xhprof, folder, speedscope] = process.argv.slice(2).map((path) => resolve(path));
const VIEWPORT = { width: 1400, height: 900 };
const PATIENCE = 180_000;

/** What runs in a page before its own scripts: notes frames that draw, and the worker's answers. */
function watch() {
  const seen = { frames: [], answers: [], asked: new Map(), isDrawn: false, last: performance.now() };
  window.bench = seen;
  const note = (prototype, names) => {
    for (const name of names) {
      const native = prototype[name];
      prototype[name] = function (...values) {
        seen.isDrawn = true;
        return native.apply(this, values);
      };
    }
  };
  note(CanvasRenderingContext2D.prototype, ["fillRect", "clearRect", "fillText"]);
  note(WebGLRenderingContext.prototype, ["drawArrays", "drawElements", "clear"]);
  if (window.WebGL2RenderingContext) note(WebGL2RenderingContext.prototype, ["drawArrays", "drawElements", "clear"]);
  const frame = (now) => {
    if (seen.isDrawn) seen.frames.push(now - seen.last);
    seen.isDrawn = false;
    seen.last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.Worker = class extends Worker {
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        const asked = seen.asked.get(data?.id);
        if (asked) seen.answers.push({ ...asked, ms: performance.now() - asked.at });
      });
    }
    postMessage(message, ...rest) {
      if (message?.id !== undefined) {
        const what = message.question?.ask ?? message.kind;
        seen.asked.set(message.id, { what, isPart: Boolean(message.scope?.range), at: performance.now() });
      }
      super.postMessage(message, ...rest);
    }
  };
}

async function started() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", "--allow-file-access-from-files"],
      // A frame takes as long as its work: nothing waits for a screen.
      ...["--disable-frame-rate-limit", "--disable-gpu-vsync"],
    ],
  });
  const context = await browser.newContext({ viewport: VIEWPORT });
  await context.addInitScript(watch);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  return { browser, page };
}

/** The greatest memory of any of the pages' processes, in MB. */
async function memory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
    });
  return Math.max(...peaks);
}

const flameDrawn = () => {
  const grid = document.querySelector(".flame-grid");
  return grid?.getAttribute("aria-busy") === "false" && grid.querySelector("canvas") !== null;
};

/** A page of ours, from its address to its drawn flame graph. */
async function openPage(file) {
  const { browser, page } = await started();
  const html = join(folder, "bench.html");
  const made = spawnSync(xhprof, ["html", join(folder, file), "--memory", "8G", "-o", html], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`xhprof html: ${made.stderr || made.error || made.signal}`);
  const begin = performance.now();
  await page.goto(`${pathToFileURL(html).href}#v1/flame`);
  await page.waitForFunction(flameDrawn);
  return { browser, page, ms: performance.now() - begin };
}

/** Speedscope with a file, from the moment that it gets the file. */
async function openSpeedscope(file) {
  const { browser, page } = await started();
  await page.goto(pathToFileURL(join(speedscope, "dist/release/index.html")).href);
  await page.waitForSelector('input[type="file"]', { state: "attached" });
  const begin = performance.now();
  await page.setInputFiles('input[type="file"]', join(folder, file));
  await page.waitForFunction(() => document.title !== "speedscope" && document.querySelector("canvas") !== null);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { browser, page, ms: performance.now() - begin };
}

/** The times of the frames that draw while `act` runs. */
async function frames(page, act) {
  await page.waitForTimeout(500);
  await page.evaluate(() => void (window.bench.frames = []));
  await act();
  await page.waitForTimeout(300);
  return page.evaluate(() => window.bench.frames);
}

function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Moves the mouse over the largest canvas: the flame graph. */
async function point(page) {
  const boxes = await Promise.all((await page.locator("canvas").all()).map((canvas) => canvas.boundingBox()));
  const [largest] = boxes.filter(Boolean).sort((a, b) => b.width * b.height - a.width * a.height);
  await page.mouse.move(largest.x + largest.width / 2, Math.min(largest.y + largest.height / 2, VIEWPORT.height - 20));
}

async function wheel(page) {
  await point(page);
  await page.keyboard.down("Control");
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, step < 30 ? -120 : 120);
    await page.waitForTimeout(16);
  }
  await page.keyboard.up("Control");
}

async function pan(page) {
  await point(page);
  await page.keyboard.down("Control");
  for (let step = 0; step < 10; step++) await page.mouse.wheel(0, -120);
  await page.keyboard.up("Control");
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(step < 30 ? 60 : -60, 0);
    await page.waitForTimeout(16);
  }
}

async function search(page, key) {
  await page.keyboard.press(key);
  for (const letter of "f17") {
    await page.keyboard.type(letter);
    await page.waitForTimeout(150);
  }
}

const rows = [];
const say = (what, ours, target, other = "") => {
  rows.push([what, ours, target, other]);
  console.log(`  ${what.padEnd(52)} ${ours.padStart(10)} ${target.padStart(12)} ${other.padStart(12)}`);
};
const milliseconds = (ms) => (Number.isFinite(ms) ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toString()} ms` : "–");
const median = async (times, make) => {
  const list = [];
  for (let round = 0; round < times; round++) {
    const { browser, ms } = await make();
    await browser.close();
    list.push(ms);
  }
  return quantile(list, 0.5);
};

/** A failure of the other page is a result, too. */
async function tried(make) {
  try {
    return await make();
  } catch (error) {
    return { failure: String(error.message ?? error).split("\n")[0].slice(0, 60) };
  }
}

const size = (file) => `${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`;
console.log(`  ${cpus().length} cores, ${cpus()[0]?.model ?? ""}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}`);
console.log(`  ${new Date().toISOString().slice(0, 16)}Z`);
say("", "viewer", "target", "speedscope");
say("program.xhp, 8,000 call paths: usable", milliseconds(await median(3, () => openPage("program.xhp"))), "300 ms");
{
  const { browser, page, ms } = await openPage("tree.xhp");
  const other = await tried(() => openSpeedscope("tree.speedscope.json"));
  say(
    `2.2 million call paths, best format (${size("tree.xhp")}, ${size("tree.speedscope.json")}): usable`,
    milliseconds(ms),
    "2,500 ms",
    other.failure ?? milliseconds(other.ms),
  );
  for (const [what, act, key] of [
    ["zoom", wheel],
    ["pan", pan],
    ["search", (of, key) => search(of, key), ["/", "Control+f"]],
  ]) {
    const ours = await frames(page, () => act(page, key?.[0]));
    const theirs = other.failure ? [] : await frames(other.page, () => act(other.page, key?.[1]));
    say(`  ${what}: 95 % of ${ours.length} frames below`, milliseconds(quantile(ours, 0.95)), "16 ms", milliseconds(quantile(theirs, 0.95)));
    say(`  ${what}: longest frame`, milliseconds(Math.max(...ours)), "100 ms", milliseconds(theirs.length ? Math.max(...theirs) : NaN));
  }
  const [mine, theirs] = [await memory(browser), other.failure ? NaN : await memory(other.browser)];
  say("  greatest memory of the page's process", `${Math.round(mine)} MB`, "800 MB", Number.isFinite(theirs) ? `${Math.round(theirs)} MB` : "–");
  await browser.close();
  if (!other.failure) await other.browser.close();
}
{
  const { browser, ms } = await openPage("tree.collapsed.txt");
  const peak = await memory(browser);
  await browser.close();
  const other = await tried(() => openSpeedscope("tree.collapsed.txt"));
  say(`the same as collapsed text (${size("tree.collapsed.txt")}): usable`, milliseconds(ms), "2,500 ms", other.failure ?? milliseconds(other.ms));
  const theirs = other.failure ? NaN : await memory(other.browser);
  say("  greatest memory of the page's process", `${Math.round(peak)} MB`, "800 MB", Number.isFinite(theirs) ? `${Math.round(theirs)} MB` : "–");
  if (!other.failure) await other.browser.close();
}
{
  const { browser, page, ms } = await openPage("events.xhp");
  say(`5 million events (${size("events.xhp")}): usable`, milliseconds(ms), "");
  await page.evaluate(() => {
    window.bench.answers = [];
    location.hash = "#v1/functions?range=1000000000-3000000000";
  });
  await page.waitForFunction(() => window.bench.answers.some(({ what, isPart }) => what === "functions" && isPart));
  const answers = await page.evaluate(() => window.bench.answers.filter(({ isPart }) => isPart));
  say("  a range of two seconds: first answer", milliseconds(Math.max(...answers.map(({ ms }) => ms))), "300 ms");
  await browser.close();
}
