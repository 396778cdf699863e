// `./x web-bench`: how fast the viewer opens and draws large profiles, beside
// speedscope's released page with the same data; and how fast the pages of
// `xhprof serve` are there, on a store of 100,000 runs.
//
// bench.mjs XHPROF FOLDER SPEEDSCOPE: FOLDER has the profiles that
// `cargo run --example large` made, SPEEDSCOPE is the unpacked npm package.
// Both pages get the same file by the same way, and run in the same Chromium on
// two cores, one after the other. More words choose parts (program, tree,
// collapsed, events, pages), and `--viewer` leaves speedscope out. What fails is
// told, and the next part is measured.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { measurePages } from "./bench-pages.mjs";

const [xhprof, folder, speedscope] = process.argv.slice(2, 5).map((path) => resolve(path));
const words = process.argv.slice(5);
const isAlone = words.includes("--viewer");
const chosen = words.filter((word) => !word.startsWith("--"));
const VIEWPORT = { width: 1400, height: 900 };
const PATIENCE = 180_000;

/**
 * What runs in a page before its own scripts: notes the worker's answers, and how
 * long frames that draw take: from the first event or callback of a frame until
 * the page is painted. Waiting for the screen, 60 times a second, is not in it.
 * A task of more than 50 ms counts as a frame, whatever it does.
 */
function watch() {
  const seen = { frames: [], answers: [], asked: new Map(), isDrawn: false, begin: null, shown: null };
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
  const begins = () => {
    seen.begin ??= performance.now();
  };
  // A browser hands these over at the beginning of a frame.
  for (const type of ["wheel", "pointermove", "mousemove"])
    window.addEventListener(type, begins, { capture: true, passive: true });
  const { port1, port2 } = new window.MessageChannel();
  port1.onmessage = () => {
    if (seen.isDrawn) seen.frames.push(performance.now() - seen.begin);
    seen.isDrawn = false;
    seen.begin = null;
  };
  // A graph or an overview that can be read: that of the engine, or what came with the page.
  const isShown = () =>
    document.querySelector(".flame-grid canvas") !== null ||
    (document.querySelector(".card .bars") !== null && document.querySelector(".card .path") !== null);
  const frame = () => {
    begins();
    if (seen.shown === null && isShown()) seen.shown = performance.timeOrigin + performance.now();
    // It arrives after this frame was painted.
    port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new window.PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.frames.push(duration);
  }).observe({ type: "longtask" });
  window.Worker = class extends Worker {
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => {
        const asked = seen.asked.get(data?.id);
        const failure = data.reply?.error?.message;
        if (asked) seen.answers.push({ ...asked, failure, ms: performance.now() - asked.at });
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
    ],
  });
  started.all.push(browser);
  const context = await browser.newContext({ viewport: VIEWPORT });
  await context.addInitScript(watch);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  return { browser, page };
}

/** The CPU time of the page's process so far, its workers included, in milliseconds: what others do is not in it. */
async function cpuTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  return metrics.find(({ name }) => name === "ProcessTime").value * 1000;
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

/** All that run. */
started.all = [];

/** When the first frame was drawn that has a graph or an overview, as the page saw it, whose clock is this one's. */
const shownAt = (page) => page.waitForFunction(() => window.bench.shown).then((handle) => handle.jsonValue());

const now = () => performance.timeOrigin + performance.now();

/** The engine has answered, for this window. */
const flameDrawn = () => {
  const grid = document.querySelector(".flame-grid");
  return grid?.getAttribute("aria-busy") === "false" && grid.querySelector("canvas") !== null;
};

/** A page of ours, from its address to its drawn flame graph. */
async function openPage(file) {
  const html = join(folder, "bench.html");
  const made = spawnSync(xhprof, ["html", join(folder, file), "-o", html], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`xhprof html: ${made.stderr || made.error || made.signal}`);
  return openDrawn(html);
}

/** The overview, with which a page begins. */
async function openOverview() {
  const { browser, page } = await started();
  const html = join(folder, "bench.html");
  const begin = now();
  await page.goto(pathToFileURL(html).href);
  return { browser, shown: (await shownAt(page)) - begin };
}

/** A page that has nothing but what is waited for: what the browser takes itself. */
function openEmpty() {
  const html = join(folder, "empty.html");
  writeFileSync(
    html,
    '<!doctype html><title>empty</title><div class="flame-grid" aria-busy="false"><canvas></canvas></div>',
  );
  return openDrawn(html);
}

async function openDrawn(html) {
  const { browser, page } = await started();
  const begin = now();
  await page.goto(`${pathToFileURL(html).href}#v1/flame`);
  await page.waitForFunction(flameDrawn);
  const ms = now() - begin;
  const shown = (await shownAt(page)) - begin;
  // A page from the disk is in a process of its own.
  return { browser, page, shown, ms, cpu: await cpuTime(page) };
}

/** Speedscope with a file, from the moment that it gets the file. */
async function openSpeedscope(file) {
  const { browser, page } = await started();
  await page.goto(pathToFileURL(join(speedscope, "dist/release/index.html")).href);
  await page.waitForSelector('input[type="file"]', { state: "attached" });
  const before = await cpuTime(page);
  const begin = performance.now();
  await page.setInputFiles('input[type="file"]', join(folder, file));
  await page.waitForFunction(() => document.title !== "speedscope" && document.querySelector("canvas") !== null);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const ms = performance.now() - begin;
  return { browser, page, ms, cpu: (await cpuTime(page)) - before };
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

const say = (what, ours, target, beside = "") => {
  console.log(`  ${what.padEnd(80)} ${ours.padStart(10)} ${target.padStart(9)} ${beside.padStart(12)}`);
};
const milliseconds = (ms) => (Number.isFinite(ms) ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toString()} ms` : "–");
const megabytes = (amount) => (Number.isFinite(amount) ? `${Math.round(amount)} MB` : "–");
const reason = (error) =>
  String(error.message ?? error)
    .split("\n")[0]
    .slice(0, 60);

/** Speedscope's numbers; its failure is a result, too. */
async function other(file, measure) {
  if (isAlone) return { failure: "" };
  let opened;
  try {
    opened = await openSpeedscope(file);
    return { ...opened, ...(await measure?.(opened)), peak: await memory(opened.browser) };
  } catch (error) {
    return { failure: reason(error) };
  } finally {
    await opened?.browser.close();
  }
}

const size = (file) => `${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`;

/** The frames while zooming, panning and searching. */
async function moves(page, searchKey) {
  const times = {};
  for (const [what, act] of Object.entries({ zoom: wheel, pan, search: (of) => search(of, searchKey) })) {
    times[what] = await frames(page, () => act(page));
  }
  return { times };
}

function sayOpened(what, ours, theirs) {
  say(`${what}: usable`, milliseconds(ours.ms), "2,500 ms", theirs.failure ?? milliseconds(theirs.ms));
  say("  CPU time of it", milliseconds(ours.cpu), "", theirs.failure ?? milliseconds(theirs.cpu));
  say(
    "  greatest memory of the page's process",
    megabytes(ours.peak),
    "800 MB",
    theirs.failure ?? megabytes(theirs.peak),
  );
}

const parts = {
  async program() {
    const [opened, overview, empty] = [[], [], []];
    // In turn, so that all meet the same machine.
    for (let round = 0; round < 5; round++) {
      for (const [list, open] of [
        [empty, openEmpty],
        [opened, () => openPage("program.xhp")],
        [overview, openOverview],
      ]) {
        const { browser, shown, ms, cpu } = await open();
        await browser.close();
        list.push({ shown, ms, cpu });
      }
    }
    const median = (list, key) =>
      milliseconds(
        quantile(
          list.map((one) => one[key]),
          0.5,
        ),
      );
    say("program.xhp, 8,000 call paths: the overview is there", median(overview, "shown"), "300 ms");
    say("  the flame graph is there, and boxes can be selected", median(opened, "shown"), "300 ms");
    say("  the engine has answered for this window: zoom, search", median(opened, "ms"), "");
    say("  CPU time of it", median(opened, "cpu"), "");
    say("  an empty page, by the same measure", median(empty, "ms"), "");
    say("  CPU time of it", median(empty, "cpu"), "");
  },

  async tree() {
    const { browser, page, ms, cpu } = await openPage("tree.xhp");
    const { times } = await moves(page, "/");
    const ours = { ms, cpu, peak: await memory(browser) };
    await browser.close();
    const theirs = await other("tree.speedscope.json", ({ page: of }) => moves(of, "Control+f"));
    sayOpened(
      `2.2 million call paths, best format (${size("tree.xhp")}, ${size("tree.speedscope.json")})`,
      ours,
      theirs,
    );
    for (const [what, list] of Object.entries(times)) {
      const beside = theirs.times?.[what] ?? [];
      say(
        `  ${what}: 95 % of ${list.length} frames below`,
        milliseconds(quantile(list, 0.95)),
        "16 ms",
        milliseconds(quantile(beside, 0.95)),
      );
      say(`  ${what}: longest frame`, milliseconds(quantile(list, 1)), "100 ms", milliseconds(quantile(beside, 1)));
    }
  },

  async collapsed() {
    const { browser, ms, cpu } = await openPage("tree.collapsed.txt");
    const ours = { ms, cpu, peak: await memory(browser) };
    await browser.close();
    const theirs = await other("tree.collapsed.txt");
    sayOpened(`the same as collapsed text (${size("tree.collapsed.txt")})`, ours, theirs);
  },

  async events() {
    const { browser, page, ms, cpu } = await openPage("events.xhp");
    say(`5 million events (${size("events.xhp")}): usable`, milliseconds(ms), "");
    say("  CPU time of it", milliseconds(cpu), "");
    const before = await cpuTime(page);
    await page.evaluate(() => {
      window.bench.answers = [];
      location.hash = "#v1/functions?range=1000000000-3000000000";
    });
    await page.waitForFunction(() => window.bench.answers.some(({ what, isPart }) => what === "functions" && isPart));
    const answers = await page.evaluate(() => window.bench.answers.filter(({ isPart }) => isPart));
    const failed = answers.find(({ failure }) => failure !== undefined);
    if (failed) throw new Error(failed.failure);
    say(
      "  a range of two seconds: first answer",
      milliseconds(Math.max(...answers.map((answer) => answer.ms))),
      "300 ms",
    );
    say("  CPU time of it", milliseconds((await cpuTime(page)) - before), "");
    say("  greatest memory of the page's process", megabytes(await memory(browser)), "");
    await browser.close();
  },

  pages: () => measurePages(xhprof, folder, say),
};

console.log(
  `  ${cpus().length} cores, ${cpus()[0]?.model ?? ""}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}`,
);
console.log(`  ${new Date().toISOString().slice(0, 16)}Z`);
say("", "viewer", "target", "speedscope");
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  try {
    await measure();
  } catch (error) {
    say(name, "failed", "", "");
    console.log(`    ${reason(error)}`);
    process.exitCode = 1;
  }
  // Browsers that a failed part left open.
  for (const browser of started.all.splice(0)) await browser.close();
}
console.log(`  load ${loadavg()[0].toFixed(1)} at the end`);
