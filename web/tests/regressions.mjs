// The page Regressions, on the demo's month: what it was made with is found, and said.
import assert from "node:assert/strict";
import { join } from "node:path";

import { api, at, look, send, settled, visit, withServer } from "./servers.mjs";
import { assertAccessible, assertSays, eventually, folder } from "./stage.mjs";

/** A server with the demo's whole month. */
export async function withDemo(test) {
  await withServer(["--demo"], async (server) => {
    const from = Date.now();
    while (!server.log().includes("data are complete")) {
      assert.ok(Date.now() - from < 600_000, "the demo is filled within ten minutes");
      await new Promise((done) => setTimeout(done, 1000));
    }
    await test(server);
  });
}

export const regressions = {
  async "regressions: without runs, and without enough of them"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, [["empty", "/regressions"]], "regressions");
      await send(address);
      await send(address, { app: "other" });
      const { page, wrong, close } = await visit(browser, `${address}/regressions`);
      await page.getByRole("link", { name: "other", exact: true }).click();
      await page.waitForURL(/q=app%3Aother/);
      await settled(page);
      await page.locator(".nothing-title").waitFor();
      // The choice of the page and that of the bar are one: back, forward and a reload keep it.
      const chosen = page.getByRole("combobox", { name: "Application" });
      const is = async (app) => {
        await eventually(async () => (await chosen.inputValue()) === app, `${app} in the bar`);
        await settled(page);
        const note = await page.locator(".page-note").allInnerTexts();
        assert.ok(
          note.every((text) => text.startsWith(app) || text === ""),
          note.join(),
        );
      };
      await is("other");
      await chosen.selectOption("shop");
      await is("shop");
      await page.getByRole("combobox", { name: "Time" }).selectOption("7d");
      await page.waitForURL(/since%3A7d/);
      await page.goBack();
      await page.goBack();
      await is("other");
      await page.goForward();
      await is("shop");
      await page.reload();
      await is("shop");
      assert.match(page.url(), /q=app%3Ashop$/);
      await page.goto(`${address}/regressions?app=other&route=%2Fa`);
      await page.waitForURL(/q=app%3Aother\+route%3A%2Fa$/);
      await page.goto(`${address}/regressions?q=app:other+host:web1`);
      await page.getByText("host:web1 does not limit them").waitFor();
      await page.goto(`${address}/regressions?q=app:other`);
      await page.locator(".nothing-title").waitFor();
      await page.screenshot({ path: join(folder, "regressions-few.png"), fullPage: true });
      await page.goto(`${address}/regressions?q=app:none`);
      await page.getByRole("alert").waitFor();
      assert.deepEqual(
        wrong.filter((line) => !line.includes("status of 404")),
        [],
      );
      await close();
    });
  },
};

export const longRegressions = {
  async "regressions: the demo's are found, the peak of memory among them, with the API's numbers"(browser) {
    await withDemo(async ({ address }) => {
      const answer = await api(address, "/api/v1/pages/regressions?q=app:shop");
      await look(browser, address, [["demo", "/regressions?q=app:shop"]], "regressions");
      const { page, wrong, close } = await visit(browser, `${address}/regressions?q=app:shop`);
      await settled(page);
      const all = answer.releases.flatMap(({ found }) => found);
      assert.equal(await page.locator(".finding-card").count(), all.length);
      const shown = await page.locator(".finding-card h3").allInnerTexts();
      assert.deepEqual(
        shown,
        all.map(({ sentence }) => sentence),
      );
      const release = answer.releases.find(({ release }) => release === "4.7.0");
      const [peak] = release.found;
      assert.equal(peak.kind, "higher_peak", "the peak stands first");
      const card = page.locator(`[id="${peak.id}"]`);
      const cells = await card.locator("tbody tr").first().locator("td").allInnerTexts();
      assertSays(cells[0], peak.places[0].before.memory, "the peak before");
      assertSays(cells[1], peak.places[0].after.memory, "the peak after");
      // The path opens by keyboard, and its names are links.
      const more = card.getByRole("button", { name: /more functions of the path/ });
      if ((await more.count()) > 0) {
        await more.focus();
        await page.keyboard.press("Enter");
        assert.equal(await card.locator(".cause-path a").count(), peak.path.length);
      }
      await card.locator("summary", { hasText: "Over time" }).click();
      await card.locator(".chart canvas").waitFor();
      await card.screenshot({ path: join(folder, "regressions-peak.png") });
      // An address names a finding.
      await page.goto(`${address}${at("/regressions", { q: "app:shop" })}#${peak.id}`);
      await page.locator(`[id="${peak.id}"].named`).waitFor();
      await assertAccessible(page, "a named finding");
      const call = all.find(({ kind }) => kind === "new_call");
      await page.locator(`[id="${call.id}"]`).getByRole("link", { name: "Compare the runs before and after" }).click();
      await page.waitForURL(/\/compare\?/);
      await settled(page);
      // The new caller stands before the callee whose time it causes.
      await page.getByRole("heading", { name: /What explains the mean/ }).waitFor();
      const finding = page.locator(".finding").first();
      assert.match(await finding.innerText(), /a new call/);
      const names = await page.locator("table").first().locator("tbody th").allInnerTexts();
      const [cause, callee] = ["ReviewRepository::average", "PDOStatement::execute"].map((name) =>
        names.findIndex((text) => text.split("\n")[0].endsWith(name)),
      );
      assert.ok(cause >= 0 && cause < callee, names.join(" | "));
      await page.goBack();
      await page.waitForURL(/\/regressions/);
      await eventually(async () => (await page.locator(".finding-card").count()) > 0, "the findings again");
      await page.locator(`[id="${call.id}"]`).getByRole("link", { name: "the difference" }).click();
      await page.waitForURL(/\/compare\/runs\?/);
      await page
        .getByRole("link", { name: "Flame graph of the difference" })
        .or(page.getByRole("button", { name: "Flame graph of the difference" }))
        .click();
      await eventually(async () => (await page.locator("main canvas").count()) > 0, "a flame graph");
      assert.deepEqual(wrong, []);
      await close();
      const route = call.places[0].route;
      const one = await visit(browser, address + at("/regressions", { q: `app:shop route:"${route}"` }));
      await settled(one.page);
      const ofRoute = all.filter(({ places }) => places.some((place) => place.route === route));
      assert.equal(await one.page.locator(".finding-card").count(), ofRoute.length);
      assert.deepEqual(one.wrong, []);
      await one.close();
    });
  },
};
