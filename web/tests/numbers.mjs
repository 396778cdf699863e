// What the page shows is what `xhprof report` says.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { open } from "./browser.mjs";
import { api, at, send, settled, visit, withServer } from "./servers.mjs";
import {
  assertSays,
  eventually,
  folder,
  golden,
  native,
  number,
  pageOf,
  report,
  root,
  rows,
  shop,
  xhprof,
} from "./stage.mjs";

/** The figures of a page's cards, by their labels. */
const cards = (page) =>
  page
    .locator("li.card")
    .evaluateAll((all) =>
      Object.fromEntries(
        all.map((card) => [card.querySelector(".label").textContent, card.querySelector(".figure").textContent]),
      ),
    );

/** A table, cell by cell, by the titles of its columns. */
const tableOf = (page, region) =>
  page
    .getByRole("region", { name: region, exact: true })
    .locator("table")
    .evaluate((table) => {
      const titles = [...table.querySelectorAll("thead th")].map((head) =>
        head.textContent.replace(/ ?[↑↓]/, "").trim(),
      );
      return [...table.querySelectorAll("tbody tr")].map((row) =>
        Object.fromEntries([...row.children].map((cell, place) => [titles[place], cell.textContent.trim()])),
      );
    });

/** Percents as a part of one. */
const assertShare = (text, share, what) => {
  const percent = Number(text.replace(/[\s\u202f]*%/, ""));
  assert.ok(Math.abs(percent - share * 100) <= 0.05 + 1e-9, `${what}: ${text}, not ${share}`);
};

export const numbers = {
  async "numbers of the server's pages are those of the API, and of the report"(browser) {
    await withServer([], async ({ address }) => {
      let id;
      for (let n = 0; n < 12; n++) {
        const file = n % 3 === 0 ? "new-1.xhp" : "old-1.xhp";
        id = await send(address, { release: n < 6 ? "1" : "2", tag: `n=${n}`, route: n < 9 ? "/cart" : "/b", file });
      }
      const { page, wrong, close } = await visit(browser, address);
      const go = async (path) => {
        await page.goto(address + path);
        await settled(page);
      };
      // The profiles of the shop are of one day, which is in the filter.
      const day = "since:2000-01-01 until:1d";
      const newest = await api(address, at("/api/v1/runs", { limit: 1 }));
      const q = newest.runs[0].started_us / 1e6 > Date.now() / 1000 - 86_400 ? "" : day;
      await go(at("/", { q }));
      const home = await api(address, at("/api/v1/pages/home", { q }));
      assert.ok(home.runs[1] === 12, JSON.stringify(home.runs));
      const figures = await cards(page);
      if (home.throughput.now < 0.005) assert.equal(figures["Requests a minute"], "<0.01");
      else assertSays(figures["Requests a minute"], home.throughput.now, "throughput");
      assertSays(figures["p95"], home.figures.p95.now, "p95");
      assertShare(figures["Errors"], home.figures.failed.now, "errors");
      if (home.figures.peak.now !== null) assertSays(figures["Peak, mean"], home.figures.peak.now, "peak");
      if (home.figures.sql.now !== null) assertSays(figures["SQL a request"], home.figures.sql.now, "SQL");
      const assertRoutes = (shown, expected) => {
        assert.equal(shown.length, expected.length);
        for (const [place, row] of expected.entries()) {
          assert.equal(shown[place].Route, row.route);
          assertShare(shown[place]["Share of time"], row.share, "share");
          assertSays(shown[place].Requests, row.requests, "requests");
          assertSays(shown[place].p50, row.p50, "p50");
          assertSays(shown[place].p95, row.p95, "p95");
          if (row.mean_peak !== null) assertSays(shown[place].Peak, row.mean_peak, "peak");
        }
      };
      assertRoutes(await tableOf(page, "Routes by time"), home.routes);

      await go("/runs?sort=wall");
      const runs = (await api(address, "/api/v1/runs?sort=wall")).runs;
      const listed = await tableOf(page, "Runs");
      for (const [place, run] of runs.entries()) {
        assertSays(listed[place].Time, run.wall, "time");
        if (listed[place].Calls !== undefined) assertSays(listed[place].Calls, run.calls, "calls");
        if (listed[place].Peak !== undefined) assertSays(listed[place].Peak, run.peak, "peak");
      }

      await go(at("/route", { q: "app:shop route:/cart" }));
      const [whole] = (await api(address, at("/api/v1/routes", { q: "app:shop route:/cart" }))).filter(Boolean);
      const ofRoute = await cards(page);
      assertSays(ofRoute.Requests, whole.requests, "requests");
      for (const name of ["p50", "p95", "p99"]) assertSays(ofRoute[name], whole[name], name);

      await go(at("/function", { name: "main()", q: "app:shop" }));
      const main = await api(address, at("/api/v1/pages/function", { name: "main()", q: "app:shop" }));
      const ofMain = await cards(page);
      assertSays(ofMain["Self, of a run"], main.per_run.own, "self");
      assertSays(ofMain["Inclusive, of a run"], main.per_run.wall, "inclusive");
      assertSays(ofMain.Runs, main.runs, "runs");

      // A run, against the API and against the report of its file.
      const run = await api(address, `/api/v1/runs/${id}`);
      const file = join(folder, "served.xhp");
      writeFileSync(file, Buffer.from(await (await fetch(`${address}/api/v1/runs/${id}/file`)).arrayBuffer()));
      const expected = report(file);
      assert.equal(expected.total.wall_ns, run.wall);
      // Only the rows in view are in the page.
      await page.setViewportSize({ width: 1400, height: 4_000 });
      await go(`/run/${id}#v1/functions?`);
      assertSays(await page.locator(".run-facts b").first().innerText(), run.wall, "the run's time");
      const inTable = await eventually(async () => {
        const found = await rows(page);
        return found.length === expected.functions.length ? found : null;
      }, "the functions of the run");
      const byName = new Map(inTable.map((row) => [row.Function, row]));
      for (const { name, self, inclusive } of expected.functions) {
        const row = byName.get(name);
        assertSays(row.Self, self.wall_ns, name);
        assertSays(row.Inclusive, inclusive.wall_ns, name);
        assert.equal(number(row.Calls).value, inclusive.calls, name);
      }
      assert.deepEqual(wrong, []);
      await close();
    });
  },

  async "numbers are those of the report"(browser) {
    for (const profile of [
      shop("events.xhp"),
      golden("0001.tiny.xhprof"),
      native("v1.2-events.xhp"),
      native("v1.2-samples.xhp"),
      `${root}crates/cli/tests/cmd/spans.in/spans.xhp`,
    ]) {
      const { url } = pageOf(basename(profile), profile);
      const expected = report(profile);
      const { page, wrong, close } = await open(browser, `${url}#v1/functions`, { height: 2_400 });
      // One or several replacement characters: how many stand for bytes that are no text differs.
      const plain = (name) => name.replaceAll("\u0000", "\ufffd").replaceAll(/\ufffd+/g, "\ufffd");
      const shown = new Map((await rows(page)).map((row) => [plain(row.Function), row]));
      assert.equal(shown.size, expected.functions.length, profile);
      for (const { name, self, inclusive } of expected.functions) {
        const row = shown.get(plain(name));
        assert.ok(row, `${profile}: ${name}`);
        const [own, whole] = ["wall_ns", "samples"]
          .map((key) => [self[key], inclusive[key]])
          .find(([one]) => one !== undefined);
        for (const [text, cost] of [
          [row.Self, own],
          [row.Inclusive, whole],
        ])
          assertSays(text, cost, `${profile}: ${name}`);
        if (row.Calls !== undefined) assert.equal(number(row.Calls).value, inclusive.calls, `${profile}: ${name}`);
      }
      assert.deepEqual(wrong, [], profile);
      await close();
    }
  },

  async "xhprof view serves the same page"(browser) {
    const viewer = spawn(xhprof, ["view", "--no-browser", native("v1.2-events.xhp")]);
    const url = await new Promise((found, failed) => {
      viewer.once("exit", (code) => failed(new Error(`it ended with ${code}`)));
      viewer.stdout.once("data", (text) => found(String(text).split("\n")[0]));
    });
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
    assert.ok((await rows(page)).length > 1);
    assert.deepEqual(wrong, []);
    await close();
    const ended = new Promise((found) => viewer.once("exit", found));
    viewer.kill("SIGINT");
    assert.equal(await ended, 0);
  },
};
