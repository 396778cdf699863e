// The pages of `xhprof serve`, against a real server: each flow, each size, and what axe finds.
import assert from "node:assert/strict";
import { join } from "node:path";

import { withDemo } from "./regressions.mjs";
import { HOSTILE, look, send, visit, withServer } from "./servers.mjs";
import { eventually, folder } from "./stage.mjs";

const rowsOf = (page) => page.locator("form.runs tbody tr").count();

const PAGES = (route) => [
  ["runs", "/"],
  ["routes", "/routes"],
  ["route", `/route?q=${encodeURIComponent(route)}`],
  ["function", `/function?name=${encodeURIComponent("main()")}&q=${encodeURIComponent(route)}`],
];

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
};

export const longServer = {
  async "the demo: every page says so, and finds what it was made with"(browser) {
    await withDemo(async ({ address }) => {
      const route = (await (await fetch(`${address}/api/v1/routes`)).json())[0];
      const pages = PAGES(`app:${route.app} route:${route.route}`);
      await look(browser, address, pages, "demo");
      for (const [name, path] of pages) {
        const { page, close } = await visit(browser, address + path);
        assert.match(await page.innerText("body"), /Demo data/, name);
        await close();
      }
    });
  },
};
