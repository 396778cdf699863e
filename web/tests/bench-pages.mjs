// How fast the pages of `xhprof serve` are there, on a store of 100,000 runs: a part of `./x web-bench`. The store is
// made once, with its end at the last full hour, and is kept for a day: Home shows the last hours.
//
// Playwright is not used, because it slows a page that has just begun: it asks for the stack of each request, for which
// V8 parses the app once more, and brings a script of its own. What is here asks Chromium for nothing before the end.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const RUNS = 100_000;
const ROUNDS = 7;
/** The pages, and what of them a reader waits for. */
const PAGES = {
  "a page that asks nothing of the store": ["/nothing", "h1"],
  "Home, all applications": ["/", ".card .figure"],
  "Home, one application": ["/?q=app:APP", ".card .figure"],
  Runs: ["/runs", "table.runs tbody tr"],
  "Runs, the slowest": ["/runs?sort=wall", "table.runs tbody tr"],
  "Runs, by route": ["/runs?sort=route&order=ascending", "table.runs tbody tr"],
};

/** A store of simulated runs in the last month; made anew once it is older than a day. */
function manyRuns(xhprof, folder) {
  const store = join(folder, "store");
  const isNew = existsSync(store) && Date.now() - statSync(store).birthtimeMs < 86_400_000;
  if (isNew) return store;
  rmSync(store, { recursive: true, force: true });
  const made = spawnSync(xhprof, ["simulate", "--runs", String(RUNS), "--days", "30", "--store", store], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`xhprof simulate: ${made.stderr || made.error || made.signal}`);
  return store;
}

/** The CPU time of a process so far, in milliseconds. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Waits until a process has used no CPU time for a second: a server looks at a store that it opens. */
async function idle(pid) {
  let before;
  do {
    before = cpuOf(pid);
    await wait(1000);
  } while (cpuOf(pid) !== before);
}

/** A new browser, spoken to by the DevTools protocol over two pipes: a message ends with NUL. */
function started() {
  const profile = mkdtempSync(join(tmpdir(), "xhprof-bench-"));
  const child = spawn(
    process.env.CHROMIUM ?? "/usr/bin/chromium",
    [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--window-size=1400,900"],
      ...[`--user-data-dir=${profile}`, "about:blank"],
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const [, , , to, from] = child.stdio;
  const waiting = new Map();
  let received = "";
  let last = 0;
  from.setEncoding("utf8").on("data", (part) => {
    const messages = (received + part).split("\0");
    received = messages.pop();
    for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
      const ends = waiting.get(id);
      waiting.delete(id);
      if (error) ends?.failed(new Error(error.message));
      else ends?.done(result);
    }
  });
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((done, failed) => {
      last += 1;
      waiting.set(last, { done, failed });
      to.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
  const ended = new Promise((done) => child.once("exit", done));
  const close = async () => {
    void send("Browser.close");
    await ended;
    // Its other processes end a little later.
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  };
  return { send, close };
}

/** What notes in a page when the frame is begun that follows the one with the element. */
function note(wanted) {
  const look = () => {
    if (document.querySelector(wanted) === null) requestAnimationFrame(look);
    else
      requestAnimationFrame(() => {
        window.shown = performance.now();
      });
  };
  requestAnimationFrame(look);
}

/** When an element was painted, in milliseconds since a new tab was sent to an address. */
async function opened(browser, address, selector) {
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => browser.send(method, params, sessionId);
  await send("Page.enable");
  await send("Page.addScriptToEvaluateOnNewDocument", { source: `(${note})(${JSON.stringify(selector)})` });
  await send("Page.navigate", { url: address });
  let shown;
  for (let tries = 0; shown === undefined; tries++) {
    if (tries === 20) throw new Error(`${address} shows no ${selector}`);
    // What the page asks for after it is there belongs to the server's CPU time.
    await wait(1500);
    ({ value: shown } = (await send("Runtime.evaluate", { expression: "window.shown" })).result);
  }
  await browser.send("Target.closeTarget", { targetId });
  return shown;
}

/** A page in a new browser, once more in a new tab of the same, and what the server's CPUs took for the first. */
async function openedTwice(address, selector, server) {
  const browser = started();
  try {
    const before = cpuOf(server);
    const first = await opened(browser, address, selector);
    const cpu = cpuOf(server) - before;
    return { first, again: await opened(browser, address, selector), cpu };
  } finally {
    await browser.close();
  }
}

/** `say` gets what was measured, the median, the target, and the least. */
export async function measurePages(xhprof, folder, say) {
  const server = spawn(xhprof, ["serve", "--listen", "127.0.0.1:0", "--store", manyRuns(xhprof, folder)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const address = await new Promise((done, failed) => {
      createInterface({ input: server.stdout }).once("line", done);
      server.once("exit", (status) => failed(new Error(`the server ended with ${status}`)));
    });
    const origin = address.replace(/\/$/, "");
    const [{ name }] = await (await fetch(`${origin}/api/v1/apps`)).json();
    // Home of an application asks for it, and it takes seconds once.
    await fetch(`${origin}/api/v1/pages/regressions?q=app:${name}`).then((answer) => answer.text());
    await idle(server.pid);
    for (const [what, [path, selector]] of Object.entries(PAGES)) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++)
        rounds.push(await openedTwice(origin + path.replace("APP", name), selector, server.pid));
      const milliseconds = (key) => {
        const sorted = rounds.map((one) => one[key]).sort((a, b) => a - b);
        return [sorted[ROUNDS >> 1], sorted[0]].map((ms) => `${ms.toFixed(0)} ms`);
      };
      const [first, least] = milliseconds("first");
      say(`${RUNS.toLocaleString("en")} runs: ${what}: a new browser, median; the least`, first, "300 ms", least);
      const [again, leastAgain] = milliseconds("again");
      say("  again, in a new tab", again, "300 ms", leastAgain);
      say("  CPU time of the server for all of its answers", milliseconds("cpu")[0], "");
    }
  } finally {
    server.kill();
  }
}
