// Graphs beyond the usual window and profile: phones, long stacks, calls alone.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { goTo, open } from "./browser.mjs";
import { atShop, eventually, folder, pageOf, rows, state, text } from "./stage.mjs";

export const graphs = {
  async "call graph: threshold, size, links"(browser) {
    const { page, wrong, close } = await atShop(browser, "graph");
    await page.locator(".node").first().waitFor();
    const few = await page.locator(".node").count();
    assert.match(await text(page, ".graph [role=status]"), /costs are exact/);
    assert.ok((await page.locator(".node.critical").count()) > 1);
    await page.getByRole("slider").focus();
    // Once: a second graph would come at any time, and scroll to its beginning.
    await page.keyboard.press("ArrowLeft");
    await eventually(async () => (await page.locator(".node").count()) > few, "a lower threshold shows more");
    const frame = page.locator(".graph-frame");
    const width = () => frame.locator("svg").getAttribute("width").then(Number);
    const overflow = () =>
      frame.evaluate((part) => [part.scrollWidth - part.clientWidth, part.scrollHeight - part.clientHeight]);
    await frame.focus();
    await page.keyboard.press("0");
    await eventually(async () => (await overflow()).join() === "0,0", "0 shows all of it");
    const before = await width();
    await page.keyboard.press("+");
    await eventually(async () => (await width()) > before, "+ makes it larger");
    await page.keyboard.press("0");
    await eventually(async () => (await width()) === before, "0 shows all");
    // The wheel zooms around the mouse.
    const node = page.locator(".node", { hasText: "Page::prices" }).locator("rect");
    const from = await node.boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.keyboard.down("Control");
    for (let step = 0; step < 8; step++) await page.mouse.wheel(0, -120);
    await page.keyboard.up("Control");
    await eventually(async () => (await node.boundingBox()).width > from.width * 1.5, "the wheel zooms");
    const to = await node.boundingBox();
    assert.ok(Math.abs(to.x + to.width / 2 - from.x - from.width / 2) < 40, "what is below the mouse stays there");
    await page.locator(".node", { hasText: "Page::prices" }).click();
    await eventually(async () => (await text(page, ".function-name")) === "Shop\\Page::prices", "a function's page");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "call graph on a phone: text that can be read, and the critical path"(browser) {
    const { page, wrong, close } = await atShop(browser, "graph", { width: 360, height: 640 });
    const main = page.locator(".node", { hasText: "main()" }).locator("rect");
    await main.waitFor();
    const letter = await page
      .locator(".node-name")
      .first()
      .evaluate((text) => 12 * text.getScreenCTM().a);
    assert.ok(letter >= 9, `letters of ${letter} px`);
    const frame = await page.locator(".graph-frame").boundingBox();
    const inView = async (node) => {
      const { x, y, width, height } = await node.boundingBox();
      return x >= frame.x && y >= frame.y && x + width <= frame.x + frame.width && y + height <= frame.y + frame.height;
    };
    await eventually(() => inView(main), "main() is in view");
    await page.getByRole("button", { name: "Fit" }).click();
    const wide = () => page.locator(".graph-frame").evaluate((part) => part.scrollWidth - part.clientWidth);
    await eventually(async () => (await wide()) === 0, "all of it on demand");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "how far a graph is scrolled is in the address"(browser) {
    // A tower of functions that do not call themselves: none of them is joined.
    const stack = Array.from({ length: 200 }, (_, at) => `level_${at}`);
    const tower = join(folder, "tower.txt");
    writeFileSync(tower, `main();${stack.join(";")} 90\nmain();other 10\n`);
    const { url } = pageOf("tower", tower);
    const { page, wrong, close } = await open(browser, `${url}#v1/flame`, { width: 1000, height: 500 });
    const graph = page.locator(".flame");
    await graph.waitFor();
    const top = () => graph.evaluate((element) => element.scrollTop);
    const scrollTo = (place) => graph.evaluate((element, to) => (element.scrollTop = to), place);
    await page.waitForTimeout(400);
    assert.doesNotMatch(await state(page), /level=/, "where a graph begins by itself is not");
    const states = await page.evaluate(() => globalThis.history.length);
    for (const place of [200, 600, 1000]) await scrollTo(place);
    await eventually(async () => /level=50/.test(await state(page)), "levels of the flame graph");
    assert.equal(await page.evaluate(() => globalThis.history.length), states, "scrolling makes no history");
    await goTo(page, "v1/functions");
    await page.goBack();
    await eventually(async () => (await graph.count()) === 1 && (await top()) === 1000, "back");
    const linked = await open(browser, `${url}#v1/flame?level=30`, { width: 1000, height: 500 });
    const other = linked.page.locator(".flame");
    await other.waitFor();
    await eventually(() => other.evaluate((element) => element.scrollTop === 600), "a link");
    assert.deepEqual(linked.wrong, []);
    await linked.close();
    // The halves of the sandwich are not in the address, but the selected box is, and is shown.
    const path = Array.from({ length: 98 }, (_, at) => at + 2).join(".");
    const half = await open(browser, `${url}#v1/sandwich?fn=1&half=callees&box=${path}`, { width: 1000, height: 500 });
    const callees = half.page.locator('section[aria-label="Callees"] .flame');
    await eventually(async () => (await text(half.page, ".details-name")) === "level_98", "the selected box");
    await eventually(() => callees.evaluate((element) => element.scrollTop > 1_000), "is in view");
    assert.deepEqual(half.wrong, []);
    await half.close();
    await page.getByRole("button", { name: "Upwards" }).click();
    await eventually(async () => !/level=/.test(await state(page)), "another graph begins by itself");
    assert.deepEqual(wrong, []);
    await close();

    const small = await atShop(browser, "time?level=3", { width: 1000, height: 200 });
    const order = small.page.locator(".flame");
    await order.waitFor();
    await eventually(() => order.evaluate((element) => element.scrollTop === 54), "rows of the order of time");
    await order.evaluate((element) => (element.scrollTop = 18));
    await eventually(async () => /level=1(?!\d)/.test(await state(small.page)), "scrolling in the order of time");
    assert.deepEqual(small.wrong, []);
    await small.close();
  },

  async "a profile with calls and no times is shown by its calls"(browser) {
    const file = join(folder, "calls.xhprof");
    const calls = { "main()": 1, "main()==>a": 2, "a==>b": 3, "b==>c": 94 };
    const entries = Object.entries(calls).map(([edge, ct]) => [edge, { ct, wt: 0 }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
    const { url } = pageOf("calls", file);
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
    const table = await rows(page);
    const shares = table.map((row) => [row.Function, row.Calls, row.Share.replace(/\s/g, "")]);
    assert.deepEqual(shares, [
      ["c", "94", "94.0%"],
      ["b", "3", "3.0%"],
      ["a", "2", "2.0%"],
      ["main()", "1", "1.0%"],
    ]);
    assert.ok(!("Self" in table[0]), "calls are one column");
    await goTo(page, "v1/graph?least=50");
    await eventually(async () => (await page.locator(".node").count()) === 4, "the way to what is called most");
    await goTo(page, "v1/function?fn=3");
    await eventually(async () => /94 calls, 94.0/.test(await page.innerText("main")), "its page");
    // Stacks are not known: that is all, and nothing goes on.
    await goTo(page, "v1/sandwich?fn=3");
    await page.getByRole("button", { name: "Show the estimate" }).waitFor();
    await page.waitForTimeout(400);
    await eventually(async () => (await page.locator(".busy").count()) === 0, "nothing is computed");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "help shows its beginning in a small window"(browser) {
    const { page, wrong, close } = await atShop(browser, "overview", { width: 360, height: 640 });
    await page.getByRole("button", { name: "Help: keys" }).click();
    const dialog = page.locator("dialog.help");
    await dialog.waitFor();
    const [top, hidden] = await dialog.evaluate((part) => [part.scrollTop, part.scrollHeight - part.clientHeight]);
    assert.ok(hidden > 0, "it is larger than the window");
    assert.equal(top, 0);
    assert.deepEqual(wrong, []);
    await close();
  },
};
