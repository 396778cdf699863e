// Servers for the tests of their pages: started for a test, filled, and visited.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { PATIENCE } from "./browser.mjs";
import { assertAccessible, assertFits, folder, shop, xhprof } from "./stage.mjs";

/** A name that is markup anywhere but in text. */
export const HOSTILE = `/<img src=x onerror=alert(1)>"'`;

/** Starts a server, and ends it after the test. */
export async function withServer(options, test) {
  const place = mkdtempSync(join(tmpdir(), "xhprof-pages-"));
  const store = options.includes("--demo") ? [] : ["--store", join(place, "store")];
  const server = spawn(xhprof, ["serve", "--listen", "127.0.0.1:0", ...store, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  server.stderr.on("data", (text) => {
    log += text;
  });
  try {
    const [address] = await once(createInterface({ input: server.stdout }), "line", server);
    await test({ address: address.replace(/\/$/, ""), place, log: () => log });
  } finally {
    const ended = new Promise((done) => server.once("exit", done));
    server.kill("SIGTERM");
    await ended;
    rmSync(place, { recursive: true, force: true });
  }
}

function once(emitter, event, server) {
  return new Promise((resolve, reject) => {
    emitter.once(event, (...values) => resolve(values));
    server.once("exit", (status) => reject(new Error(`the server ended with ${status}`)));
  });
}

/** A server that asks for tokens: one reads, the other may do all. */
export async function withTokens(options, test) {
  const place = mkdtempSync(join(tmpdir(), "xhprof-tokens-"));
  const file = join(place, "tokens");
  const add = (token) =>
    spawnSync(xhprof, ["serve", "--token-file", file, "--add-token", token], { encoding: "utf8" }).stdout.trim();
  const tokens = { reader: add("reader:read"), boss: add("boss:read,write,admin") };
  try {
    await withServer(["--token-file", file, ...options(place)], (server) => test({ ...server, ...tokens }));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Sends a profile of the shop; returns the id of the run. */
export async function send(
  address,
  { app = "shop", route = "/cart", release = "1", tag = "n=1", file = "old-1.xhp", title, token } = {},
) {
  const headers = {
    "X-Xhprof-App": app,
    "X-Xhprof-Route": route,
    "X-Xhprof-Release": release,
    "X-Xhprof-Tag": tag,
    ...(title ? { "X-Xhprof-Title": title } : {}),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
  const answer = await fetch(`${address}/api/v1/runs`, { method: "POST", headers, body: readFileSync(shop(file)) });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()).runs[0].id;
}

/** Opens a page of the server; `wrong` collects what its console says and requests to elsewhere. */
export async function visit(browser, address, { width = 1400, height = 900, scheme = "light", token } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    // Advice of Chromium about forms, which not every version gives, is no error.
    if (!message.text().startsWith("[DOM]")) wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const { origin } = new URL(address);
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${origin}/`) && !/^(blob|data):/.test(asked)) wrong.push(`request: ${asked.slice(0, 100)}`);
  });
  if (token !== undefined) {
    const answer = await context.request.post(`${origin}/api/v1/session`, { data: { token } });
    assert.equal(answer.status(), 200);
  }
  await page.goto(address);
  return { page, wrong, context, close: () => context.close() };
}

/** Asks the API as the page does. */
export async function api(address, path, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(address + path, { headers });
  assert.equal(answer.status, 200, path);
  return answer.json();
}

/** An address with a query. */
export const at = (path, query) => `${path}?${new URLSearchParams(query)}`;

/** The sizes and schemes in which a page is looked at. */
export const LOOKS = [
  ["light", 1400, 900],
  ["dark", 400, 800],
  ...(process.argv.includes("--all")
    ? [
        ["light", 360, 800],
        ["light", 2560, 1300],
        ["dark", 1400, 900],
      ]
    : []),
];

/** Each page in each size and scheme: a screenshot, nothing too wide or too small, nothing that axe finds. */
export async function look(browser, address, pages, prefix, token) {
  for (const [scheme, width, height] of LOOKS) {
    for (const [name, path] of pages) {
      const { page, wrong, close } = await visit(browser, address + path, { scheme, width, height, token });
      const what = `${name}, ${scheme}, ${width}`;
      await settled(page);
      await page.screenshot({ path: join(folder, `${prefix}-${name}-${width}-${scheme}.png`), fullPage: true });
      await assertFits(page, what);
      await assertTargets(page, what);
      if (width < 2000) await assertAccessible(page, what);
      assert.deepEqual(wrong, [], what);
      await close();
    }
  }
}

/** Waits until the page has its answers. */
export async function settled(page) {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(
    () => !document.querySelector(".loading, [aria-busy=true]") && document.querySelector("main")?.textContent !== "",
  );
}

/** Whatever is pressed is 24 px in both directions, links within text excepted. */
export async function assertTargets(page, what) {
  const small = await page.evaluate(() => {
    const isInText = (element) =>
      getComputedStyle(element).display === "inline" || element.closest("td, th, p, li, dd") !== null;
    const targets = [...document.querySelectorAll("a, button, input, select, summary")];
    return targets
      .filter(
        (target) =>
          !(target.tagName === "A" && isInText(target)) && target.type !== "checkbox" && !target.matches(".skip"),
      )
      .map((target) => ({ box: target.getBoundingClientRect(), text: target.outerHTML.slice(0, 120) }))
      .filter(({ box }) => box.width > 1 && box.height > 1 && (box.width < 24 || box.height < 24))
      .map(({ box, text }) => `${Math.round(box.width)}x${Math.round(box.height)} ${text}`);
  });
  assert.deepEqual(small, [], `${what}: targets below 24 px`);
}
