// The pages of `xhprof serve`, against a real server: each flow, each size, and what axe finds.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { PATIENCE } from "./browser.mjs";
import { assertAccessible, assertFits, eventually, folder, shop, xhprof } from "./stage.mjs";

/** A name that is markup anywhere but in text. */
const HOSTILE = `/<img src=x onerror=alert(1)>"'`;

/** Starts a server, and ends it after the test. */
async function withServer(options, test) {
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

/** Sends a profile of the shop; returns the id of the run. */
async function send(
  address,
  { app = "shop", route = "/cart", release = "1", tag = "n=1", file = "old-1.xhp", token } = {},
) {
  const headers = {
    "X-Xhprof-App": app,
    "X-Xhprof-Route": route,
    "X-Xhprof-Release": release,
    "X-Xhprof-Tag": tag,
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
  const answer = await fetch(`${address}/api/v1/runs`, { method: "POST", headers, body: readFileSync(shop(file)) });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()).runs[0].id;
}

/** Opens a page of the server; `wrong` collects what its console says and requests to elsewhere. */
async function visit(browser, address, { width = 1400, height = 900, scheme = "light", script = true } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    javaScriptEnabled: script,
  });
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
  await page.goto(address);
  return { page, wrong, close: () => context.close() };
}

/** Waits until the page says so: a form's answer is another page, which may look like the one before. */
const told = (page, text) => page.locator("main [role=status]", { hasText: text }).waitFor();

const rowsOf = (page) => page.locator("form.runs tbody tr").count();

const PAGES = (route) => [
  ["runs", "/"],
  ["routes", "/routes"],
  ["route", `/route?q=${encodeURIComponent(route)}`],
  ["function", `/function?name=${encodeURIComponent("main()")}&q=${encodeURIComponent(route)}`],
  ["compare", "/compare"],
  [
    "compared",
    `/compare?before=${encodeURIComponent(`${route} release:1`)}&after=${encodeURIComponent(`${route} release:2`)}`,
  ],
  ["regressions", "/regressions"],
  ["profile-now", "/profile-now"],
  ["settings", "/settings"],
  ["policy", "/settings/policy?app=shop"],
];

/** Each page in each size and scheme. */
async function look(browser, address, pages, prefix) {
  const sizes = [
    ["light", 1400, 900],
    ["dark", 400, 800],
  ];
  if (process.argv.includes("--all")) sizes.push(["light", 2560, 1300], ["dark", 1400, 900]);
  for (const [scheme, width, height] of sizes) {
    for (const [name, path] of pages) {
      const { page, wrong, close } = await visit(browser, address + path, { scheme, width, height });
      await page.waitForLoadState("load");
      const what = `${name}, ${scheme}, ${width}`;
      await page.screenshot({ path: join(folder, `${prefix}-${name}-${width}-${scheme}.png`), fullPage: true });
      await assertFits(page, what);
      if (width < 2000) await assertAccessible(page, what);
      assert.deepEqual(wrong, [], what);
      await close();
    }
  }
}

export const server = {
  async "pages of an empty store say the next command"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, PAGES("route:/cart"), "empty");
      const { page, close } = await visit(browser, address);
      assert.match(await page.innerText("main"), /xhprof push/);
      await close();
    });
  },

  async "pages of a small store, with hostile names as text"(browser) {
    await withServer([], async ({ address }) => {
      for (let n = 0; n < 12; n++) {
        const file = n % 2 === 0 ? "old-1.xhp" : "new-1.xhp";
        await send(address, { release: n < 6 ? "1" : "2", tag: `n=${n}`, file });
      }
      await send(address, { app: "shop", route: HOSTILE, release: HOSTILE, tag: `x=${HOSTILE}` });
      await look(browser, address, PAGES("app:shop route:/cart"), "small");
      const { page, wrong, close } = await visit(browser, address);
      assert.match(await page.innerText("tbody"), /<img src=x/);
      assert.equal(await page.locator("tbody img").count(), 0);
      await page.getByRole("link", { name: HOSTILE, exact: true }).first().click();
      await page.locator("h1", { hasText: "<img src=x" }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "new runs appear in the list, unless runs are chosen"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, { tag: "n=1" });
      const { page, wrong, close } = await visit(browser, address);
      assert.equal(await rowsOf(page), 1);
      await send(address, { tag: "n=2" });
      await eventually(async () => (await rowsOf(page)) === 2, "a second row");
      await page.locator("input[name=run]").first().check();
      await send(address, { tag: "n=3" });
      await page.waitForTimeout(6000);
      assert.equal(await rowsOf(page), 2, "no new rows while a run is chosen");
      await page.locator("input[name=run]").first().uncheck();
      await eventually(async () => (await rowsOf(page)) === 3, "a third row");
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "two runs are chosen by keyboard and open in the viewer, compared"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, { file: "old-1.xhp" });
      await send(address, { file: "new-1.xhp" });
      const { page, wrong, close } = await visit(browser, address);
      const button = page.getByRole("button", { name: "Compare the two chosen runs" });
      assert.ok(await button.isDisabled());
      for (const row of [0, 1]) {
        await page.locator("input[name=run]").nth(row).focus();
        await page.keyboard.press("Space");
      }
      await eventually(() => button.isEnabled(), "two are chosen");
      await button.focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/compare\/runs\?base=/);
      await page.getByText("compared with").first().waitFor();
      await eventually(async () => (await page.locator("main canvas, main svg").count()) > 0, "a flame graph");
      await page.screenshot({ path: join(folder, "two-runs.png") });
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "two groups are compared by their filters, also without JavaScript"(browser) {
    await withServer([], async ({ address }) => {
      for (let n = 0; n < 40; n++) {
        const [release, file] = n % 2 === 0 ? ["1", "old-1.xhp"] : ["2", "new-1.xhp"];
        await send(address, { release, tag: `n=${n}`, file });
      }
      for (const script of [true, false]) {
        const { page, wrong, close } = await visit(browser, `${address}/?q=release:1`, { script });
        await page.getByRole("link", { name: "Compare these runs with others" }).click();
        // Both pages have a filter: this is the second one's.
        await page.locator(".note", { hasText: "Before: release:1" }).waitFor();
        await page.getByRole("searchbox", { name: "Filter" }).fill("release:2");
        await page.getByRole("button", { name: "Filter" }).click();
        await page.waitForURL(/release(:|%3A)2/);
        assert.match(await page.innerText(".note"), /Before: release:1/);
        await page.getByRole("link", { name: "compare", exact: true }).click();
        await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
        assert.match(await page.innerText("main"), /20 runs → 20 runs/);
        await page.screenshot({ path: join(folder, `groups-${script}.png`), fullPage: true });
        if (script) {
          await page.getByRole("link", { name: "Flame graph of the difference" }).click();
          await eventually(async () => (await page.locator("main canvas, main svg").count()) > 0, "a flame graph");
          await page.screenshot({ path: join(folder, "groups-viewer.png") });
        }
        assert.deepEqual(wrong, []);
        await close();
      }
    });
  },

  async "names of functions lead to their pages, and from there to their callers"(browser) {
    await withServer([], async ({ address }) => {
      await send(address);
      const { page, wrong, close } = await visit(
        browser,
        `${address}/route?q=${encodeURIComponent("app:shop route:/cart")}`,
      );
      const link = page.getByRole("region", { name: "Functions with the most self time" }).getByRole("link").first();
      const name = await link.innerText();
      await link.click();
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      const caller = page.getByRole("region", { name: "Callers" }).getByRole("link").first();
      const called = await caller.innerText();
      await caller.click();
      await page.getByRole("heading", { level: 1, name: called, exact: true }).waitFor();
      await page.getByRole("heading", { name: "Callees" }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "a policy is changed without JavaScript, with the reason beside a wrong field"(browser) {
    const place = mkdtempSync(join(tmpdir(), "xhprof-tokens-"));
    const file = join(place, "tokens");
    const add = (token) =>
      spawnSync(xhprof, ["serve", "--token-file", file, "--add-token", token], { encoding: "utf8" }).stdout.trim();
    const [reader, boss] = [add("reader:read"), add("boss:read,write,admin")];
    const app = `${"a-very-long-name-of-an-application-".repeat(4)}${HOSTILE}`;
    await withServer(["--token-file", file], async ({ address }) => {
      await send(address, { token: boss });
      for (const n of ["n=1", "n=2", "n=3"]) await send(address, { token: boss, app, tag: n });
      for (const width of [1400, 400]) {
        const { page, wrong, close } = await visit(browser, address, { script: false, width });
        await page.getByLabel("Token").fill(boss);
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: "Settings" }).click();
        await page.waitForURL(/settings$/);
        await assertFits(page, `settings with a long name, ${width}`);
        await page.getByRole("link", { name: `Change the policy of ${app}` }).click();
        assert.equal(await page.getByLabel("Size of all runs").inputValue(), "20 GiB");
        await page.getByLabel("Age of a run, in days").fill("0");
        await page.getByLabel("Size of all runs").fill("20 apples");
        await page.getByRole("button", { name: "Save" }).click();
        const size = page.getByLabel("Size of all runs");
        await size.and(page.locator("[aria-invalid=true]")).waitFor();
        assert.equal(await size.inputValue(), "20 apples");
        assert.match(await page.innerText("#days-wrong"), /0 would remove everything/);
        assert.match(await page.innerText("#bytes-wrong"), /512M or 20 GiB/);
        await page.waitForLoadState("load");
        await assertFits(page, `wrong policy, ${width}`);
        await page.screenshot({ path: join(folder, `policy-wrong-${width}.png`), fullPage: true });
        await page.getByLabel("Age of a run, in days").fill("");
        await page.getByLabel("Number of runs").fill("1");
        await size.fill("2 GiB");
        await page.getByLabel("Slowest and failed runs of each route").fill("0");
        await page.getByRole("button", { name: "Count what it removes" }).click();
        await told(page, /would remove 2 runs .*Nothing was saved/);
        await page.getByRole("button", { name: "Save" }).click();
        await told(page, /The policy of a-very-long/);
        const row = page.getByRole("region", { name: "Retention" }).getByRole("row").filter({ hasText: "a-very-long" });
        assert.match(await row.innerText(), /2\.0 GiB/);
        await page.screenshot({ path: join(folder, `policy-saved-${width}.png`), fullPage: true });
        await row.getByRole("link", { name: "Change" }).click();
        await page.getByRole("button", { name: "Remove this policy" }).click();
        await told(page, /has the policy of the others/);
        // The browser's console has the status of the form that came back.
        assert.deepEqual(
          wrong.filter((line) => !line.includes("status of 422")),
          [],
        );
        await close();
      }
      const { page, close } = await visit(browser, address, { script: false });
      await page.getByLabel("Token").fill(reader);
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Settings" }).click();
      await page.waitForURL(/settings$/);
      assert.equal(await page.getByRole("link", { name: /^Change the policy/ }).count(), 0);
      await page.goto(`${address}/settings/policy`);
      assert.match(await page.innerText("main"), /lacks the scope admin/);
      await close();
    });
    rmSync(place, { recursive: true });
  },

  async "only an admin sees the trigger's secret; a session ends by its button"(browser) {
    const place = mkdtempSync(join(tmpdir(), "xhprof-tokens-"));
    const file = join(place, "tokens");
    const add = (token) =>
      spawnSync(xhprof, ["serve", "--token-file", file, "--add-token", token], { encoding: "utf8" }).stdout.trim();
    const [reader, boss] = [add("reader:read"), add("boss:read,write,admin")];
    const secret = join(place, "secret");
    spawnSync("sh", ["-c", 'umask 077; printf "%s\\n" "hush\'x" >"$1"', "sh", secret]);
    await withServer(["--token-file", file, "--trigger-secret-file", secret], async ({ address }) => {
      await send(address, { token: boss });
      for (const [token, isShown] of [
        [reader, false],
        [boss, true],
      ]) {
        const { page, wrong, close } = await visit(browser, address);
        assert.match(page.url(), /\/login$/);
        await page.getByLabel("Token").fill(token);
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: "Profile now" }).click();
        await page.waitForURL(/profile-now$/);
        assert.equal((await page.content()).includes("hush"), isShown);
        if (isShown) {
          const href = await page.getByRole("link", { name: "Profile on" }).getAttribute("href");
          assert.equal(href, "javascript:void(document.cookie='XHPROF=hush%27x;path=/;SameSite=Strict')");
        }
        await page.getByRole("button", { name: "Log out" }).click();
        await page.waitForURL(/\/login$/);
        await page.goto(`${address}/settings`);
        assert.match(page.url(), /\/login$/);
        assert.deepEqual(wrong, []);
        await close();
      }
    });
    rmSync(place, { recursive: true });
  },
};

export const longServer = {
  async "the demo: every page says so, and finds what it was made with"(browser) {
    await withServer(["--demo"], async ({ address, log }) => {
      const from = Date.now();
      while (!log().includes("data are complete")) {
        assert.ok(Date.now() - from < 600_000, "the demo is filled within ten minutes");
        await new Promise((done) => setTimeout(done, 1000));
      }
      const route = (await (await fetch(`${address}/api/v1/routes`)).json())[0];
      const pages = PAGES(`app:${route.app} route:${route.route}`);
      const compare = (before, after) =>
        `/compare?before=${encodeURIComponent(before)}&after=${encodeURIComponent(after)}`;
      pages.push(["compared-releases", compare("release:4.3.0", "release:4.4.0")]);
      await look(browser, address, pages, "demo");
      for (const [name, path] of pages) {
        const { page, close } = await visit(browser, address + path);
        assert.match(await page.innerText("body"), /Demo data/, name);
        await close();
      }
      const { page, close } = await visit(browser, `${address}/regressions`);
      assert.ok((await page.locator(".finding").count()) >= 3, "three findings");
      await page.getByRole("link", { name: "Compare two usual runs" }).first().click();
      await page.getByText("demo data").first().waitFor();
      await eventually(async () => (await page.locator("main canvas, main svg").count()) > 0, "a flame graph");
      await page.screenshot({ path: join(folder, "demo-viewer.png") });
      await close();
    });
  },
};
