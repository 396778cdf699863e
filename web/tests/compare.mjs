// The page Compare, and differences in the viewer.
import assert from "node:assert/strict";
import { join } from "node:path";

import { api, at, look, send, settled, visit, withServer } from "./servers.mjs";
import { assertAccessible, assertSays, eventually, folder } from "./stage.mjs";

const BEFORE = "app:shop route:/cart release:1";
const AFTER = "app:shop route:/cart release:2";
const COMPARED = at("/compare", { before: BEFORE, after: AFTER });

/** So many runs of each of two releases. */
async function fill(address, [before, after]) {
  const ids = [];
  for (let n = 0; n < before; n++) ids.push(await send(address, { release: "1", tag: `n=${n}`, file: "old-1.xhp" }));
  for (let n = 0; n < after; n++) ids.push(await send(address, { release: "2", tag: `m=${n}`, file: "new-1.xhp" }));
  return ids;
}

/** The figure on a card, and the one before. */
async function card(page, label) {
  const found = page.locator(".figure-card", { has: page.locator(".label", { hasText: new RegExp(`^${label}$`) }) });
  const before = await found.locator(".small").innerText();
  return { now: await found.locator(".figure").innerText(), before: before.replace(/^before /, "") };
}

const viewerIsDrawn = (page) =>
  eventually(async () => (await page.locator("main canvas, main svg.chart, main [role=grid]").count()) > 0, "a graph");

export const compare = {
  async "compare: two groups by their filters, with the API's numbers of one run"(browser) {
    await withServer([], async ({ address }) => {
      await fill(address, [36, 34]);
      const answer = await api(address, at("/api/v1/pages/compare", { before: BEFORE, after: AFTER }));
      assert.equal(answer.judged, "judged");
      const { page, wrong, close } = await visit(browser, `${address}/compare`);
      await page.getByLabel("Before", { exact: true }).fill(BEFORE);
      await page.keyboard.press("Tab");
      await page.getByLabel("After", { exact: true }).fill(AFTER);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get("after"), AFTER);
      assert.match(await page.innerText("main"), /36 runs before.*34 runs after/s);
      for (const [label, name] of [
        ["Mean", "mean"],
        ["p95", "p95"],
        ["CPU, mean", "cpu"],
        ["Peak, mean", "peak"],
      ]) {
        const { before, now } = await card(page, label);
        assertSays(before, answer.figures[name].before, `${label} before`);
        assertSays(now, answer.figures[name].now, label);
      }
      // All that is said of a function is of one run, in the order of the server.
      const names = await page.locator("table").first().locator("tbody th a").allInnerTexts();
      const rows = answer.mean.rows.length > 0 ? answer.mean.rows : answer.mean.rest;
      assert.deepEqual(
        names.slice(0, 5),
        rows.slice(0, 5).map(({ name }) => name),
      );
      const cells = await page.locator("table").first().locator("tbody tr").first().locator("td").allInnerTexts();
      assertSays(cells[3], rows[0].own_before, "self before");
      assertSays(cells[4], rows[0].own_after, "self after");
      // Back to the empty form, forward to the answer, and the same after a reload.
      await page.goBack();
      await page.getByText("release 2 against 1", { exact: false }).waitFor();
      await page.goForward();
      await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
      assert.equal(await page.getByLabel("Before", { exact: true }).inputValue(), BEFORE);
      await page.getByRole("button", { name: "Exchange before and after" }).click();
      await eventually(
        async () => (await page.getByLabel("Before", { exact: true }).inputValue()) === AFTER,
        "the other way round",
      );
      assert.deepEqual(wrong, []);
      await close();
      await look(browser, address, [["compared", COMPARED]], "compare");
    });
  },

  async "compare: too few runs is said as such, and not as no change"(browser) {
    await withServer([], async ({ address }) => {
      await fill(address, [18, 14]);
      const { page, wrong, close } = await visit(browser, address + COMPARED);
      await page.getByText("18 and 14 runs are too few").waitFor();
      const text = await page.innerText("main");
      assert.doesNotMatch(text, /No function changed/);
      assert.equal(await page.locator(".delta.bad, .delta.good").count(), 0, "no colour without a verdict");
      assert.deepEqual(wrong, []);
      await close();
      await look(browser, address, [["few", COMPARED]], "compare");
    });
  },

  async "compare: an empty store says what to do, and a wrong filter stands beside its field"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, [["empty", "/compare"]], "compare");
      await send(address);
      const { page, wrong, close } = await visit(browser, `${address}/compare`);
      await page.getByLabel("Before", { exact: true }).fill("app:shop");
      await page.getByLabel("After", { exact: true }).fill("wall:>many");
      await page.keyboard.press("Enter");
      const after = page.getByLabel("After", { exact: true });
      await page.locator("[aria-invalid=true]").waitFor();
      assert.equal(await after.inputValue(), "wall:>many");
      assert.equal(await page.getByLabel("Before", { exact: true }).inputValue(), "app:shop");
      await assertAccessible(page, "a wrong filter");
      await after.fill("release:none");
      await page.keyboard.press("Enter");
      await page.locator("#after-wrong", { hasText: "release:none" }).waitFor();
      await page.screenshot({ path: join(folder, "compare-wrong.png"), fullPage: true });
      // The browser's console has the status of each refusal.
      const others = wrong.filter((line) => !/status of 40[04]/.test(line));
      assert.deepEqual(others, []);
      await close();
    });
  },

  async "compare: differences open in the viewer inside of the shell, and lead back"(browser) {
    await withServer([], async ({ address }) => {
      const ids = await fill(address, [31, 31]);
      const { page, wrong, close } = await visit(browser, address + COMPARED);
      await page.getByRole("link", { name: "Open the difference in the viewer" }).click();
      await page.waitForURL(/\/compare\/tree\?/);
      await viewerIsDrawn(page);
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
      const h1 = page.getByRole("heading", { level: 1 });
      assert.match(await h1.innerText(), /route:\/cart/);
      await page.screenshot({ path: join(folder, "compare-trees.png") });
      await page.getByRole("link", { name: "Figures and causes" }).click();
      await page.waitForURL(/\/compare\?/);
      await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
      await page.goto(address + at("/compare/runs", { base: ids[0], new: ids[40] }));
      await viewerIsDrawn(page);
      assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Two runs of /cart");
      await page.screenshot({ path: join(folder, "compare-runs.png") });
      await page.getByRole("link", { name: "Exchange" }).click();
      await page.waitForURL((url) => url.searchParams.get("base") === ids[40]);
      await viewerIsDrawn(page);
      await page.locator(`.page-note a[href="/run/${ids[0]}"]`).click();
      await page.waitForURL(new RegExp(`/run/${ids[0]}`));
      await settled(page);
      assert.deepEqual(wrong, []);
      await close();
    });
  },
};
