// The pages of `xhprof serve`, against a real server: each flow, each size, and what axe finds.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { withDemo } from "./regressions.mjs";
import { HOSTILE, look, send, settled, visit, withServer } from "./servers.mjs";
import { eventually, folder, golden, shop, xhprof } from "./stage.mjs";

const rowsOf = (page) => page.locator("table.runs tbody tr").count();

const PAGES = (route) => [
  ["home", "/"],
  ["runs", "/runs"],
  ["routes", "/routes"],
  ["route", `/route?q=${encodeURIComponent(route)}`],
  ["function", `/function?name=${encodeURIComponent("main()")}&q=${encodeURIComponent(route)}`],
];

export const server = {
  async "pages of an empty store say the next command"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, PAGES("route:/cart").slice(0, 3), "empty");
      const { page, close } = await visit(browser, address);
      await page.getByText("No run is stored yet").waitFor();
      // The commands of the page are those of the program: one sends a run, the other is understood.
      const lines = await page.locator("main code").allInnerTexts();
      const words = (of) =>
        lines
          .find((line) => line.startsWith(`xhprof ${of}`))
          .split(" ")
          .slice(1);
      const push = words("push").map((word) => (word === "run.xhp" ? shop("old-1.xhp") : word));
      assert.equal(spawnSync(xhprof, push).status, 0, push.join(" "));
      assert.equal(spawnSync(xhprof, [...words("agent"), "--help"]).status, 0);
      assert.match(words("agent").join(" "), /^agent --spool \S+ --to http:/);
      await page.reload();
      await page.getByText("Routes by time").waitFor();
      await close();
    });
  },

  async "lists of an empty store lead to the ways to get runs, and a filter without runs to all"(browser) {
    await withServer([], async ({ address }) => {
      const { page, wrong, close } = await visit(browser, `${address}/routes`, { width: 360 });
      for (const path of ["/routes", "/runs"]) {
        await page.goto(address + path);
        await page.getByText("There are no runs yet.").waitFor();
      }
      await page.getByRole("button", { name: "Views" }).click();
      const { x, width } = await page.getByRole("dialog", { name: "Saved views" }).boundingBox();
      assert.ok(x >= 0 && x + width <= 360, `the views are from ${x} to ${x + width}`);
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Three ways to get some" }).click();
      await page.getByText("No run is stored yet").waitFor();
      await page.goto(`${address}/runs?q=route:/none`);
      assert.equal(await page.getByRole("link", { name: "Without the filter" }).getAttribute("href"), "/runs");
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "the viewer of a run has its menus, and counts samples"(browser) {
    await withServer([], async ({ address }) => {
      const id = await send(address, {});
      const { page, wrong, close } = await visit(browser, `${address}/run/${id}#v1/functions`);
      await page.locator("summary", { hasText: "Columns" }).click();
      await page.getByRole("checkbox", { name: "Inclusive" }).uncheck();
      await page.getByRole("columnheader", { name: "Inclusive" }).waitFor({ state: "detached" });
      assert.equal(await page.locator("main").count(), 1);
      const tooHigh = await page
        .locator("[role=grid]")
        .evaluate((grid) => grid.clientHeight - document.documentElement.clientHeight);
      assert.ok(tooHigh < 0, `the table is ${tooHigh} px higher than the window: all of its rows are in the page`);
      const sampled = { method: "POST", body: readFileSync(golden("tiny.collapsedstack.txt")) };
      const sent = await (await fetch(`${address}/api/v1/runs`, sampled)).json();
      await page.goto(`${address}/run/${sent.runs[0].id}`);
      await page.locator(".run-facts b", { hasText: /^\d+ samples$/ }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "a trace leads to its run, and the run to its trace"(browser) {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    await withServer(["--trace-url", "https://tempo.example.com/trace/{trace_id}"], async ({ address }) => {
      const id = await send(address, { tag: `trace_id=${trace}` });
      const { page, wrong, close } = await visit(browser, `${address}/trace/${trace}`);
      await page.waitForURL(new RegExp(`/run/${id}`));
      const link = page.getByRole("link", { name: "Trace", exact: true });
      assert.equal(await link.getAttribute("href"), `https://tempo.example.com/trace/${trace}`);
      await send(address, { tag: `trace_id=${trace}`, file: "new-1.xhp" });
      await page.goto(`${address}/trace/${trace}`);
      await eventually(async () => (await rowsOf(page)) === 2, "both runs");
      assert.deepEqual(wrong, []);
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
      const { page, wrong, close } = await visit(browser, `${address}/runs`);
      await eventually(async () => (await rowsOf(page)) === 13, "all runs");
      assert.match(await page.innerText("table.runs"), /<img src=x/);
      assert.equal(await page.locator("main img").count(), 0);
      // What the document asks early, the app does not ask again.
      const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.deepEqual(asked, [...new Set(asked)]);
      await page.locator("table.runs").getByRole("link", { name: HOSTILE, exact: true }).first().click();
      await page.locator("h1", { hasText: "<img src=x" }).waitFor();
      // Back, forward and reload show the same pages.
      await page.goBack();
      await page.locator("table.runs").waitFor();
      await page.goForward();
      await page.locator("h1", { hasText: "<img src=x" }).waitFor();
      await page.reload();
      await page.locator("h1", { hasText: "<img src=x" }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "tables of routes fit on a small screen, however long a name is"(browser) {
    await withServer([], async ({ address }) => {
      const fits = async (path, width) => {
        const { page, close } = await visit(browser, address + path, { width });
        await settled(page);
        const hidden = await page
          .locator(".scroll-x")
          .evaluateAll((tables) => tables.map((table) => table.scrollWidth - table.clientWidth));
        assert.ok(hidden.length > 0 && Math.max(...hidden) <= 0, `${path} at ${width}: ${hidden} px are hidden`);
        await close();
      };
      await send(address, { route: `/${"a-name-without-an-end/".repeat(5)}` });
      for (const width of [1001, 1280, 1400]) await fits("/", width);
      await send(address, { app: "an-application-with-a-long-name" });
      for (const path of ["/", "/routes"]) await fits(path, 1280);
    });
  },

  async "a route, a function and a page that there are not are no errors of the server"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, {});
      const { page, close } = await visit(browser, address);
      for (const [path, text] of [
        ["/route?q=route:/none", "No run matches."],
        ["/function?name=none", "No run calls none."],
        ["/run/%zz", "Not a run id"],
        ["/nowhere", "Nothing is at this address."],
      ]) {
        await page.goto(address + path);
        await page.getByText(text).waitFor();
        assert.equal(await page.getByRole("alert").count(), 0, path);
      }
      assert.equal(await page.locator("nav [aria-current]").count(), 0, "no page of the navigation is this one");
      await close();
    });
  },

  async "the latest release is the first to choose"(browser) {
    await withServer([], async ({ address }) => {
      for (const [release, tag] of [
        ["4.9", "n=1"],
        ["4.9", "n=2"],
        ["4.10", "n=3"],
      ])
        await send(address, { release, tag });
      const { page, wrong, close } = await visit(browser, `${address}/runs`);
      const choice = page.getByRole("combobox", { name: "Release" });
      await choice.focus();
      const shown = async () => (await choice.locator("option").allInnerTexts()).join();
      await eventually(async () => (await shown()) === "All releases,4.10,4.9", "the releases");
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "new runs appear in a live list, unless runs are chosen"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, { tag: "n=1" });
      const { page, wrong, close } = await visit(browser, `${address}/runs?live=1`);
      await eventually(async () => (await rowsOf(page)) === 1, "a row");
      await send(address, { tag: "n=2" });
      await eventually(async () => (await rowsOf(page)) === 2, "a second row");
      await page.locator("table.runs input").first().check();
      await send(address, { tag: "n=3" });
      await page.waitForTimeout(4000);
      assert.equal(await rowsOf(page), 2, "no new rows while a run is chosen");
      await page.locator("table.runs input").first().uncheck();
      await eventually(async () => (await rowsOf(page)) === 3, "a third row");
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "two runs are chosen by keyboard and open in the viewer, compared"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, { file: "old-1.xhp" });
      await send(address, { file: "new-1.xhp" });
      const { page, wrong, close } = await visit(browser, `${address}/runs`);
      const button = page.getByRole("button", { name: "Compare the two chosen runs" });
      assert.ok(await button.isDisabled());
      for (const row of [0, 1]) {
        await page.locator("table.runs input").nth(row).focus();
        await page.keyboard.press("Space");
      }
      await eventually(() => button.isEnabled(), "two are chosen");
      await button.focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/compare\/runs\?base=/);
      await page.locator("nav[aria-label=Views]").waitFor();
      // More files are not opened here: the page that has groups of runs does what they would.
      await page.getByText("says nothing about chance").getByRole("link", { name: "Compare" }).waitFor();
      await page.screenshot({ path: join(folder, "two-runs.png") });
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "a run opens in the viewer, with the numbers of the API, and search finds its route"(browser) {
    await withServer([], async ({ address }) => {
      const id = await send(address, {});
      const run = await (await fetch(`${address}/api/v1/runs/${id}`)).json();
      const { page, wrong, close } = await visit(browser, `${address}/run/${id}`);
      await page.locator("nav[aria-label=Views]").waitFor();
      await page
        .getByRole("link", { name: /Functions/ })
        .first()
        .waitFor();
      assert.match(await page.locator(".run-title h1").innerText(), new RegExp(run.route.replaceAll("/", "\\/")));
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Routes, functions" }).fill("none");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Routes, functions" }).fill("cart");
      await page
        .getByRole("option", { name: /\/cart/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/route\?q=/);
      await page.locator("h1", { hasText: run.route }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "the average run of a filter opens in the viewer"(browser) {
    await withServer([], async ({ address }) => {
      await send(address, { tag: "n=1" });
      await send(address, { tag: "n=2" });
      const { page, wrong, close } = await visit(browser, `${address}/tree?q=app:shop`);
      await page.locator("nav[aria-label=Views]").waitFor();
      assert.equal(await page.locator("h1").innerText(), "app:shop");
      const wall = await page.locator(".tile-value").first().innerText();
      await page.getByRole("link", { name: "Runs", exact: true }).last().click();
      await eventually(async () => (await rowsOf(page)) === 2, "its runs");
      // Both runs are the same file, so their average is each of them.
      await page.locator("table.runs tbody a").first().click();
      await page.locator("nav[aria-label=Views]").waitFor();
      assert.equal(await page.locator(".tile-value").first().innerText(), wall);
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "names of functions lead to their pages, and from there to their callers"(browser) {
    await withServer([], async ({ address }) => {
      await send(address);
      const { page, wrong, close } = await visit(
        browser,
        `${address}/route?q=${encodeURIComponent("app:shop route:/cart")}`,
      );
      const link = page.getByRole("region", { name: "Functions by self time" }).getByRole("link").first();
      const name = (await link.innerText()).trim();
      await link.click();
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      const caller = page.getByRole("region", { name: "Callers" }).getByRole("link").first();
      const called = (await caller.innerText()).trim();
      await caller.click();
      await page.getByRole("heading", { level: 1, name: called, exact: true }).waitFor();
      await page.getByRole("heading", { name: "Callees" }).waitFor();
      assert.deepEqual(wrong, []);
      await close();
    });
  },
};

export const longServer = {
  async "the demo: every page says so, and finds what it was made with"(browser) {
    await withDemo(async ({ address }) => {
      const route = (await (await fetch(`${address}/api/v1/routes`)).json())[0];
      const pages = PAGES(`app:${route.app} route:${route.route}`);
      await look(browser, address, pages, "demo");
      for (const [name, path] of pages) {
        const { page, close } = await visit(browser, address + path);
        assert.match(await page.innerText("body"), /Simulated data/, name);
        await close();
      }
    });
  },
};
