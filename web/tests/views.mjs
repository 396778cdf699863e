// Each view by mouse and by keyboard, on a profile of the shop.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { goTo, open } from "./browser.mjs";
import {
  assertSays,
  atShop,
  drop,
  drawnGraph,
  eventually,
  golden,
  keysInOneFrame,
  pageOf,
  report,
  rows,
  run,
  shop,
  shopSources,
  state,
  text,
} from "./stage.mjs";

export const views = {
  async "overview: what it came to is what the report says"(browser) {
    const expected = report(shop("events.xhp"));
    const { page, wrong, close } = await atShop(browser, "overview");
    await page.locator(".bar").first().waitFor();
    const tile = (title) => text(page, `.tile:has(dt:text-is("${title}")) .tile-value`);
    assertSays(await tile("Wall time"), expected.total.wall_ns, "wall");
    assertSays(await tile("Peak memory"), expected.meta.peak_memory_bytes, "peak");
    assert.equal(await tile("Spans"), "204");
    const top = [...expected.functions].sort((a, b) => b.self.wall_ns - a.self.wall_ns)[0];
    assert.equal(await text(page, ".bar .fn"), top.name);
    // Each card has its own answer.
    await eventually(async () => /N\+1/.test(await text(page, ".hints-card")), "hints");
    await eventually(async () => /Page::prices/.test(await text(page, ".path")), "the critical path");
    await page.locator(".hints-card a").nth(1).click();
    await page.locator(".function-name").waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "flame graph: click, double click, wheel, drag and keys"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame");
    const { canvas, box } = await drawnGraph(page);
    const details = () => text(page, ".details-name");
    assert.equal(await details(), "main()", "the box that fills the window");
    // Its first row reaches from edge to edge.
    const corner = await canvas.evaluate((element) => {
      const { data } = element.getContext("2d").getImageData(0, 16, element.width, 1);
      const at = (x) => [...data.slice(4 * x, 4 * x + 3)].join();
      return [at(0), at(element.width - 1)];
    });
    assert.equal(corner[0], corner[1], "the root ends where the window does");
    await page.mouse.click(box.x + box.width * 0.7, box.y + 30);
    await eventually(async () => (await details()) !== "main()", "a box is selected");
    const name = await details();
    const shown = await text(page, ".details .facts dd");
    const row = report(shop("events.xhp")).functions.find((one) => one.name === name);
    assertSays(shown, row.inclusive.wall_ns, name);
    await page.mouse.dblclick(box.x + box.width * 0.7, box.y + 30);
    await eventually(async () => (await state(page)).includes("zoom="), "zoomed into the box");
    await eventually(async () => (await text(page, ".crumbs")).includes(name), "the way to the box");
    await page.keyboard.press("Backspace");
    await eventually(async () => !(await state(page)).includes("zoom="), "zoomed out");
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    await eventually(async () => (await state(page)).includes("view="), "the wheel zooms");
    const before = await state(page);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 50, { steps: 4 });
    await page.mouse.up();
    await eventually(
      async () => (await state(page)) !== before && (await state(page)).includes("view="),
      "a drag moves",
    );
    await page.locator(".flame").focus();
    await page.keyboard.press("0");
    await eventually(async () => !(await state(page)).includes("view="), "0 shows all");
    for (const key of ["Escape", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
    const live = page.locator(".flame-frame [aria-live]");
    await eventually(async () => / · /.test(await live.innerText()), "the selected box is read out");
    await page.keyboard.press("+");
    await eventually(async () => (await state(page)).includes("view="), "+ zooms");
    await keysInOneFrame(page, ["0", "w", "d"]);
    await eventually(async () => (await state(page)).includes("view="), "keys that are faster than frames zoom");
    await page.keyboard.press("0");
    await page.keyboard.press("/");
    await page.keyboard.type("prices");
    await eventually(
      async () => /2 functions.* [1-9]\d* box/.test(await text(page, ".search-result")),
      "the search counts",
    );
    await page.keyboard.press("Enter");
    await eventually(async () => /prices/.test(await details()), "Enter goes to a match");
    await page.keyboard.press("Escape");
    await page.locator(".flame").focus();
    await page.keyboard.press("t");
    await page.locator('[role="treeitem"]').first().waitFor();
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "Left heavy" }).click();
    await eventually(async () => (await state(page)).includes("by=leftHeavy"), "left heavy");
    await eventually(async () => (await details()) === "main()", "the root is that of the tree");
    await page.getByRole("button", { name: "Inverted" }).click();
    await eventually(async () => (await state(page)).includes("by=inverted"), "inverted");
    await page.locator('.flame-grid[aria-busy="false"]').waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "flame graph: what was too narrow can be opened, and recursion is one box"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame", { width: 500, height: 700 });
    await page.getByRole("button", { name: "As text" }).click();
    const joined = page.locator('[role="treeitem"]', { hasText: / more$/ }).first();
    await joined.click();
    const inside = page.locator(".joined button").first();
    await inside.waitFor();
    const joinedName = await text(page, ".details-name");
    await eventually(async () => /more=\d/.test(await state(page)), "the joined box is in the address");
    await page.reload();
    await inside.waitFor();
    await eventually(async () => (await text(page, ".details-name")) === joinedName, "and is selected again");
    const name = await inside.getAttribute("title");
    await inside.click();
    await eventually(async () => (await state(page)).includes("zoom="), "zoomed into a joined box");
    // Its name comes with the answer: the box was joined before.
    const zoomed = () => page.locator(".crumbs [aria-current]").getAttribute("title");
    await eventually(async () => `Zoom into ${await zoomed()}` === name, "its name");
    const deep = Buffer.from(`main();${"rec;".repeat(2000)}leaf 100\nmain();${"rec;".repeat(2000)}other 50\n`);
    await drop(page, [{ name: "deep.txt", bytes: deep }]);
    await page.getByRole("button", { name: "Open instead" }).click();
    await page.getByRole("heading", { name: "deep.txt" }).waitFor();
    await goTo(page, "v1/flame?text=1");
    await eventually(async () => (await page.locator('[role="treeitem"]').count()) === 4, "four boxes, not 2,002");
    const turns = Buffer.from(
      `main();${"odd;even;".repeat(1000)}leaf 100\nmain();${"odd;even;".repeat(1000)}other 50\n`,
    );
    await drop(page, [{ name: "turns.txt", bytes: turns }]);
    await page.getByRole("button", { name: "Open instead" }).click();
    await page.getByRole("heading", { name: "turns.txt" }).waitFor();
    await goTo(page, "v1/flame?text=1");
    await eventually(
      async () => (await page.locator('[role="treeitem"]').count()) === 4,
      "four boxes for functions in turn",
    );
    const tower = page.locator('[role="treeitem"]', { hasText: "odd → even" });
    assert.match(await tower.innerText(), /1,000×/);
    await tower.click();
    await eventually(async () => /call each other in turn/.test(await text(page, ".details")), "its details say so");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "time order: a dragged range is what all views show"(browser) {
    const { page, wrong, close } = await atShop(browser, "time");
    const canvas = page.locator(".flame canvas");
    await canvas.waitFor();
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 30);
    await eventually(async () => (await text(page, ".details-name")) === "main()", "a call is selected");
    await page.locator(".flame").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("f");
    await eventually(async () => (await state(page)).includes("part="), "f zooms to the call");
    await page.keyboard.press("0");
    await eventually(async () => !(await state(page)).includes("part="), "0 shows all");
    await page.keyboard.press("w");
    await page.keyboard.press("d");
    await eventually(async () => (await state(page)).includes("part="), "w zooms");
    await keysInOneFrame(page, ["0", "w", "d"]);
    await eventually(async () => (await state(page)).includes("part="), "keys that are faster than frames zoom");
    await keysInOneFrame(page, ["w", "0"]);
    // Longer than the address takes to follow what moves.
    await page.waitForTimeout(300);
    assert.ok(!(await state(page)).includes("part="), "0 shows all, and what was zoomed before does not come back");
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await page.locator(".chip").waitFor();
    const [from, to] = /range=(\d+)-(\d+)/
      .exec(await state(page))
      .slice(1)
      .map(Number);
    await page.keyboard.press("4");
    const some = await rows(page);
    const all = report(shop("events.xhp"));
    assert.ok(some.length < all.functions.length, "fewer functions ran then");
    await page.keyboard.press("o");
    await eventually(
      async () => /Wall time of the range/.test(await text(page, ".tiles")),
      "the overview is of the range",
    );
    assertSays(await text(page, ".tile-value"), to - from, "the range's length");
    await page.locator(".chip").click();
    await eventually(async () => !(await state(page)).includes("range="), "the range is cleared");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "sandwich: any function, from the list and by double click"(browser) {
    const { page, wrong, close } = await atShop(browser, "sandwich");
    await page.locator(".picker-list a", { hasText: "PDO::query" }).click();
    await eventually(async () => (await text(page, ".details-name")) === "PDO::query", "its details");
    const callers = page.locator('section[aria-label="Callers"] canvas');
    await callers.waitFor();
    const box = await callers.boundingBox();
    await page.mouse.dblclick(box.x + 20, box.y + box.height - 30);
    await eventually(async () => (await text(page, ".details-name")) !== "PDO::query", "the caller's sandwich");
    await page.goBack();
    const chosen = () => text(page, ".picker-list [aria-current]");
    await eventually(async () => /PDO::query/.test(await chosen()), "back is the function before");
    await page.locator('section[aria-label="Callers"] .flame').focus();
    await page.keyboard.press("Escape");
    await eventually(async () => (await text(page, ".details-name")) === "PDO::query", "Escape clears the selection");
    await page.locator('section[aria-label="Callers"] .flame').focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await eventually(async () => /half=callers/.test(await state(page)), "the selected box is in the address");
    await page.reload();
    await eventually(async () => (await text(page, ".details-name")) !== "PDO::query", "and is selected again");
    await page.keyboard.press("/");
    await page.keyboard.type("sort");
    await eventually(async () => (await page.locator(".picker-list li").count()) === 1, "the list is filtered");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "functions: sorted, filtered, chosen columns, CSV, keys"(browser) {
    const { page, wrong, close } = await atShop(browser, "functions");
    const expected = report(shop("events.xhp")).functions;
    const first = async () => (await rows(page))[0].Function;
    for (const [title, key] of [
      ["Inclusive", (one) => one.inclusive.wall_ns],
      ["Calls", (one) => one.inclusive.calls],
    ]) {
      await page.getByRole("columnheader", { name: title }).getByRole("button").click();
      const keys = [...expected].map(key).sort((a, b) => b - a);
      const inOrder = async () =>
        (await rows(page)).map((row) => key(expected.find(({ name }) => name === row.Function)));
      await eventually(async () => {
        const shown = await inOrder();
        return shown.length > 5 && shown.every((value, at) => value === keys[at]);
      }, title);
    }
    await page.getByRole("columnheader", { name: "Function" }).getByRole("button").click();
    await eventually(async () => (await first()) === expected.map(({ name }) => name).sort()[0], "by name");
    await page.keyboard.press("/");
    await page.keyboard.type("PDO");
    await eventually(async () => (await rows(page)).every((row) => row.Function.includes("PDO")), "filtered");
    await page.getByText("Columns").click();
    await page.getByLabel("Self CPU").check();
    await eventually(async () => "Self CPU" in (await rows(page))[0], "another column");
    const query = expected.find(({ name }) => name === "PDO::query");
    const row = (await rows(page)).find(({ Function }) => Function === "PDO::query");
    assertSays(row["Self CPU"], query.self.cpu_ns, "CPU time");
    assertSays(row["Self per call"], query.self.wall_ns / query.inclusive.calls, "per call");
    await page.getByText("Columns").click();
    await page.getByLabel("Functions", { exact: true }).and(page.getByRole("grid")).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.locator(".function-name").waitFor();
    await page.goBack();
    await page.locator(".vrow.current").waitFor();
    assert.match(await state(page), /row=\d/, "back is the row that was left");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    assert.equal(
      readFileSync(await download.path(), "utf8"),
      run("convert", shop("events.xhp"), "--to", "csv", "-o", "-").toString(),
    );
    assert.deepEqual(wrong, []);
    await close();
  },

  async "functions: back and a reload show the rows that were in view"(browser) {
    const { page, wrong, close } = await atShop(browser, "functions", { height: 420 });
    const grid = page.getByRole("grid", { name: "Functions" });
    const place = () => grid.evaluate((element) => element.scrollTop);
    await grid.locator("[role=gridcell]").first().waitFor();
    await grid.evaluate((element) => element.scrollTo(0, 150));
    await eventually(async () => /top=5/.test(await state(page)), "the first row in view is in the address");
    await page.reload();
    await eventually(async () => (await place()) === 150, "a reload shows it again");
    // In view as it is: a click on another would scroll to it first.
    await grid.locator(".vrow .fn").nth(2).click();
    await page.locator(".function-name").waitFor();
    assert.doesNotMatch(await state(page), /top=/, "another page has no part in it");
    await page.goBack();
    await eventually(async () => (await place()) === 150, "back shows it again");
    await page.keyboard.press("/");
    await page.keyboard.type("PDO");
    await eventually(async () => /filter=PDO/.test(await state(page)), "filtered");
    assert.doesNotMatch(await state(page), /top=/, "another list begins with its first row");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "function: callers and callees are links, and add up"(browser) {
    const { page, wrong, close } = await atShop(browser, "functions?filter=withReviews");
    await page.locator(".vrow .fn").first().click();
    const callees = await rows(page, "Callees");
    const called = callees.find(({ Function }) => Function === "Shop\\Catalogue::reviews");
    assert.equal(called.Calls, "40");
    await page.locator('[aria-label="Callees"] .fn', { hasText: "reviews" }).click();
    await eventually(
      async () => (await text(page, ".function-name")) === "Shop\\Catalogue::reviews",
      "the callee's page",
    );
    await page.getByTitle("Show the source").click();
    await page.locator(".source-text").waitFor();
    await page.goBack();
    await page.goBack();
    await eventually(async () => (await text(page, ".function-name")) === "Shop\\Catalogue::withReviews", "back");
    await page.goForward();
    await eventually(async () => (await text(page, ".function-name")) === "Shop\\Catalogue::reviews", "forward");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "spans: groups, their callers, and what repeats"(browser) {
    const { page, wrong, close } = await atShop(browser, "spans");
    const repeated = page.locator("tr", { hasText: "FROM review WHERE product" });
    await repeated.getByText("N+1").waitFor();
    assert.match(await repeated.innerText(), /40/);
    assert.match(await repeated.innerText(), /Catalogue::reviews/);
    await page.getByRole("columnheader", { name: "Count" }).getByRole("button").click();
    await eventually(async () => /INSERT INTO review/.test(await text(page, "tbody tr")), "by count");
    await repeated.getByText("N+1").click();
    await page.locator(".hint").first().waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "hints: those of the report, with their evidence and a way to the place"(browser) {
    const expected = JSON.parse(run("report", "--json", "--hints", shop("events.xhp"))).hints;
    const { page, wrong, close } = await atShop(browser, "hints");
    await page.locator(".hint").first().waitFor();
    const titles = await page.locator(".hint h2").allInnerTexts();
    assert.deepEqual(
      titles,
      expected.map(({ title }) => title),
    );
    assert.match(await text(page, ".evidence"), /SELECT stars, text FROM review/);
    await page.locator(".hint").first().getByRole("link", { name: "Sandwich" }).click();
    await eventually(async () => (await text(page, ".details-name")) === expected[0].function, "its sandwich");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "source: the text that came with the page, or is dropped onto it"(browser) {
    const { page, wrong, close } = await atShop(browser, "source");
    const marked = page.locator(".source-line.marked");
    await marked.first().waitFor();
    await page.getByRole("link", { name: /Catalogue\.php/ }).click();
    await eventually(async () => /Catalogue\.php/.test(await text(page, ".source-title h2")), "another file");
    const prices = page.locator(".source-line", { hasText: "public function prices" });
    await prices.waitFor();
    const cells = await prices.locator("[role=gridcell]").allInnerTexts();
    const row = report(shop("events.xhp")).functions.find(({ name }) => name === "Shop\\Catalogue::prices");
    assertSays(cells[0], row.self.wall_ns, "self");
    assertSays(cells[1], row.inclusive.wall_ns, "inclusive");
    await page.locator(".source-text").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    await page.locator(".function-name").waitFor();
    assert.deepEqual(wrong, []);
    await close();
    // Without the texts: the same numbers, until the file is dropped.
    const { url } = pageOf("shop-bare", shop("events.xhp"));
    const bare = await open(browser, `${url}#v1/source`);
    await bare.page.locator(".note").waitFor();
    assert.ok((await rows(bare.page, "Functions of the file")).length > 2);
    const file = join(shopSources, "src/Page.php");
    await drop(bare.page, [{ name: "Page.php", bytes: readFileSync(file) }]);
    await bare.page.locator(".source-line.marked").first().waitFor();
    await drop(bare.page, [{ name: "Other.php", bytes: Buffer.from("<?php") }]);
    await bare.page
      .getByRole("alert")
      .getByText(/No function of this profile/)
      .waitFor();
    assert.deepEqual(bare.wrong, []);
    await bare.close();
  },

  async "source: costs of lines, where the profile has them"(browser) {
    const { url } = pageOf("lines", golden("cachegrind.out.calls"));
    const { page, wrong, close } = await open(browser, `${url}#v1/source`);
    await page.locator(".source-title").waitFor();
    assert.match(await text(page, ".source-title"), /with costs/);
    const lines = await rows(page, "Lines of the file");
    assert.ok(lines.length > 0);
    assert.ok(lines.every(({ Line }) => Number(Line) > 0));
    assert.deepEqual(wrong, []);
    await close();
  },

  async "compare: groups of profiles, the largest change first"(browser) {
    const base = ["old-1.xhp", "old-2.xhp"].flatMap((name) => ["--base", shop(name)]);
    const { url } = pageOf("compare", shop("new-1.xhp"), shop("new-2.xhp"), ...base);
    const { page, wrong, close } = await open(browser, `${url}#v1/compare`);
    const changes = await rows(page, "Changes, the largest first");
    const gone = changes.find(({ Function }) => Function.startsWith("Shop\\Catalogue::reviews"));
    assert.match(gone.Function, /only in the base/);
    const before = report(shop("old-1.xhp")).functions.find(({ name }) => name === "Shop\\Catalogue::reviews");
    const after = report(shop("old-2.xhp")).functions.find(({ name }) => name === "Shop\\Catalogue::reviews");
    assertSays(gone.Base, Math.round((before.self.wall_ns + after.self.wall_ns) / 2), "the mean of the base");
    assert.match(await text(page, ".tiles"), /mean of 2 profiles, ±/);
    await page.getByRole("link", { name: "Flame graph of the difference" }).click();
    await page.locator(".flame canvas").waitFor();
    assert.match(await text(page, ".legend"), /less/);
    await page.keyboard.press("9");
    await page.locator("[role=gridcell]").first().waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "file: what it says of itself; a limited range says so"(browser) {
    const { page, wrong, close } = await atShop(browser, "file");
    await page.locator(".formats button").first().waitFor();
    assert.match(await text(page, ".facts"), /every call with its time/);
    assert.ok((await page.locator(".formats button").count()) > 20);
    const { url } = pageOf("edges", golden("0001.tiny.xhprof"));
    const edges = await open(browser, `${url}#v1/file`);
    await edges.page.getByLabel("estimate stacks").check();
    await eventually(async () => /guess=1/.test(await state(edges.page)), "the choice is in the address");
    await edges.page.reload();
    await eventually(() => edges.page.getByLabel("estimate stacks").isChecked(), "and is made again");
    assert.deepEqual(edges.wrong, []);
    await edges.close();
    await goTo(page, "v1/file?range=0-1000000");
    await eventually(async () => /Only the chosen range/.test(await text(page, ".file-page")), "it says what is saved");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "keys open views, help lists them, and the address has a history"(browser) {
    const { page, wrong, close } = await atShop(browser, "overview");
    const views = {
      1: "time",
      2: "flame",
      3: "sandwich",
      4: "functions",
      5: "graph",
      6: "spans",
      7: "hints",
      8: "source",
      i: "file",
      o: "overview",
    };
    for (const [key, view] of Object.entries(views)) {
      await page.keyboard.press(key);
      await eventually(async () => (await state(page)).startsWith(`#v1/${view}`), `${key} opens ${view}`);
    }
    await page.goBack();
    await eventually(async () => (await state(page)).startsWith("#v1/file"), "back");
    await page.goForward();
    await eventually(async () => (await state(page)).startsWith("#v1/overview"), "forward");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual(wrong, []);
    await close();
  },
};
