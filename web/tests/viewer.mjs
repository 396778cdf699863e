// The viewer's classes, menus, hidden functions, editors, compared statements and searched pictures, by mouse and by keyboard.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { goTo, open } from "./browser.mjs";
import {
  atShop,
  drawnGraph,
  eventually,
  folder,
  pageOf,
  report,
  run,
  shop,
  shopSources,
  state,
  text,
} from "./stage.mjs";

/** What was copied: a page from disk may not read the clipboard. */
async function watchClipboard(page) {
  await page.evaluate(() => {
    globalThis.copied = [];
    Object.defineProperty(globalThis.navigator, "clipboard", {
      value: { writeText: (words) => Promise.resolve(void globalThis.copied.push(words)) },
    });
  });
  return () => page.evaluate(() => globalThis.copied.at(-1));
}

const functionNumber = async (page, name) => {
  await goTo(page, `v1/functions?filter=${encodeURIComponent(name)}`);
  const link = page.locator("[role=gridcell] .fn", { hasText: name.split("\\").at(-1) }).first();
  await link.waitFor();
  return Number(/fn=(\d+)/.exec(await link.getAttribute("href"))[1]);
};

export const viewer = {
  async "classes: the legend has their shares, and leaves the colour to those that are chosen"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame");
    const legend = page.locator(".flame-bar .code-legend");
    await legend.getByRole("button").first().waitFor();
    const names = await legend.getByRole("button").allInnerTexts();
    for (const name of ["own code", "PHP", "waiting", "loading"])
      assert.ok(
        names.some((one) => one.startsWith(name)),
        `${name} in ${names}`,
      );
    const own = legend.getByRole("button", { name: /^own code/ });
    await own.click();
    await eventually(async () => (await state(page)).includes("only=0"), "in the address");
    assert.equal(await own.getAttribute("aria-pressed"), "true");
    await page.reload();
    await legend.getByRole("button", { name: "All classes" }).press("Enter");
    await eventually(async () => !(await state(page)).includes("only="), "all classes again");
    await goTo(page, "v1/time");
    await page.locator(".code-legend button").first().waitFor();
    await page.locator(".memory-track canvas").waitFor();
    assert.match(await text(page, ".memory-track h2"), /at most [\d.]+\skB more/);
    assert.deepEqual(wrong, []);
    await close();
  },

  async "the overview as one text, as the program writes it"(browser) {
    const { page, wrong, close } = await atShop(browser, "overview");
    const copied = await watchClipboard(page);
    await page.getByRole("button", { name: "Copy for an assistant" }).click();
    await page.getByRole("button", { name: "Copied as Markdown" }).waitFor();
    const text = await copied();
    const costliest = report(shop("events.xhp")).functions[0].name;
    assert.ok(text.includes(costliest), `${costliest} is in ${text}`);
    assert.ok(text.length < 10_000 && /^#+ /m.test(text), text);
    assert.deepEqual(wrong, []);
    await close();
  },

  async "menu of a box: by mouse and by keyboard; focus, hide, copy"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame");
    const { box } = await drawnGraph(page);
    const copied = await watchClipboard(page);
    const at = [box.x + box.width * 0.7, box.y + 30];
    // A graph that is drawn anew has no tip until the mouse moves.
    await eventually(async () => {
      await page.mouse.move(at[0] + Math.random(), at[1]);
      return (await page.locator(".tip").count()) > 0;
    }, "a tip");
    const name = await text(page, ".tip strong");
    const total = report(shop("events.xhp")).functions.find((one) => one.name === name);
    assert.ok(total, `${name} is a function`);
    await page.mouse.click(...at, { button: "right" });
    const menu = page.getByRole("menu");
    await menu.waitFor();
    assert.equal(await page.locator(".tip").count(), 0, "the tip makes room");
    await menu.getByRole("menuitem", { name: "Copy stack" }).click();
    assert.equal(await copied(), `main()\n${name}`);
    // The same by keyboard: the box is selected already.
    await page.locator(".flame").focus();
    await page.keyboard.press("m");
    await menu.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "menuitem");
    await page.keyboard.press("Escape");
    await eventually(async () => (await menu.count()) === 0, "closed");
    await page.keyboard.press("Shift+F10");
    await menu.getByRole("menuitem", { name: "Copy as Markdown" }).press("Enter");
    assert.match(await copied(), /- Calls: \d/);
    assert.ok((await copied()).startsWith(`**\`${name}\`** in `));
    await page.keyboard.press("m");
    await menu.getByRole("menuitem", { name: "Focus on it" }).press("Enter");
    await eventually(async () => (await state(page)).includes("zoom="), "zoomed into it");
    await page.getByRole("button", { name: "Show all" }).click();
    await eventually(async () => !(await state(page)).includes("zoom="), "the whole graph");
    const before = await text(page, ".details .facts dd");
    await page.locator(".flame").focus();
    await page.mouse.click(...at, { button: "right" });
    await menu.getByRole("menuitem", { name: /^Hide it/ }).click();
    await page.locator(".reshaped .chip").waitFor();
    await eventually(async () => (await text(page, ".details .facts dd")) !== before, "its cost is gone");
    // In all views, and back.
    await goTo(page, `${(await state(page)).slice(1).replace("/flame", "/functions")}`);
    await page.locator("[role=gridcell]").first().waitFor();
    assert.equal(await page.locator("[role=gridcell] .fn", { hasText: name.split("\\").at(-1) }).count(), 0);
    await page.getByRole("button", { name: /^Undo/ }).click();
    await eventually(async () => (await page.locator(".reshaped").count()) === 0, "shown again");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "the wheel alone zooms nothing, and a zoom can be reset at once"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame");
    const { box } = await drawnGraph(page);
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(300);
    assert.ok(!(await state(page)).includes("view="));
    assert.equal(await page.locator(".crumbs").count(), 0);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await page.locator(".crumbs .reset").click();
    await eventually(async () => (await page.locator(".crumbs").count()) === 0, "all of it");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "search says what is outside of the zoom"(browser) {
    const { page, wrong, close } = await atShop(browser, "flame?q=PDO");
    await eventually(async () => /\d box/.test(await text(page, ".search-result")), "found");
    const connect = await functionNumber(page, "Shop\\Page::prices");
    await goTo(page, `v1/flame?q=PDO&zoom=${connect}`);
    await eventually(async () => /0 boxes here, \d+ outside/.test(await text(page, ".search-result")), "outside");
    await page.locator(".search").getByRole("button", { name: "Show all" }).click();
    await eventually(async () => !/outside/.test(await text(page, ".search-result")), "inside");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "an editor opens a file only if the page was made for it"(browser) {
    const asked = ["--editor", "phpstorm", "--editor-path", "/srv/shop=/home/me/my shop"];
    const { url } = pageOf("editor", shop("events.xhp"), "--source", shopSources, ...asked);
    const { page, wrong, close } = await open(browser, url);
    const fn = await functionNumber(page, "Shop\\Page::prices");
    const wanted = /^phpstorm:\/\/open\?file=\/home\/me\/my%20shop\/src\/Page\.php&line=\d+$/;
    for (const view of ["function", "source", "sandwich"]) {
      await goTo(page, `v1/${view}?fn=${fn}`);
      const link = page.locator("a.editor-link").first();
      await link.waitFor();
      assert.match(await link.getAttribute("href"), view === "source" ? /&line=\d+$/ : wanted, view);
    }
    await page.locator(".flame").last().focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Open in PhpStorm" }).waitFor();
    assert.deepEqual(wrong, []);
    await close();
    const plain = await atShop(browser, `function?fn=${fn}`);
    await plain.page.locator(".function-name").waitFor();
    assert.equal(await plain.page.locator("a.editor-link").count(), 0);
    await plain.close();
  },

  async "function: its source and its graph stand beside its costs"(browser) {
    const { page, wrong, close } = await atShop(browser, "overview");
    await page.locator(".small-flame canvas").waitFor();
    const fn = await functionNumber(page, "Shop\\Page::prices");
    await goTo(page, `v1/function?fn=${fn}`);
    await page.locator(".excerpt-lines").waitFor();
    assert.match(await text(page, ".excerpt-lines"), /function prices/);
    assert.equal(await page.locator(".halves.small canvas").count(), 2);
    await page.locator(".excerpt").getByRole("link", { name: "whole file" }).click();
    await page.locator(".source-text").waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "compare: statements are those of both sides, by count and time"(browser) {
    const base = ["--base", shop("old-1.xhp"), "--base", shop("old-2.xhp")];
    const { url } = pageOf("statements", shop("new-1.xhp"), shop("new-2.xhp"), ...base);
    const { page, wrong, close } = await open(browser, `${url}#v1/spans`);
    const rows = page.locator(".wide-table tbody tr");
    await rows.first().waitFor();
    assert.match(await text(page, ".table-note"), /in the base/);
    const spans = (name) => report("--spans", shop(name)).spans;
    const statement = spans("new-1.xhp").find((one) => one.text !== "");
    const row = rows.filter({ hasText: statement.text.slice(0, 40) }).first();
    const mean = (names) =>
      names.reduce((sum, name) => sum + (spans(name).find((one) => one.text === statement.text)?.calls ?? 0), 0) /
      names.length;
    const [now, before] = [mean(["new-1.xhp", "new-2.xhp"]), mean(["old-1.xhp", "old-2.xhp"])].map(Math.round);
    const shown = (await row.locator("td").nth(1).innerText()).split("\n");
    assert.equal(Number(shown[0].replaceAll(",", "")), now);
    assert.equal(Number(shown[1].replaceAll(",", "").replace("−", "-")), now - before);
    assert.deepEqual(wrong, []);
    await close();
  },

  async "file: five formats, and the others folded"(browser) {
    const { page, wrong, close } = await atShop(browser, "file");
    await page.locator(".more-formats summary").waitFor();
    assert.equal(await page.locator(".formats button:visible").count(), 5);
    await page.locator(".more-formats summary").press("Enter");
    await eventually(async () => (await page.locator(".formats button:visible").count()) > 20, "all formats");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "an SVG is searched and zoomed by its own script, and still without it"(browser) {
    const path = join(folder, "picture.svg");
    run("flamegraph", shop("events.xhp"), "-o", path);
    const { page, wrong, close } = await open(browser, pathToFileURL(path).href);
    await page.keyboard.press("/");
    await page.keyboard.type("prices");
    await eventually(async () => /^\d+ boxes, [\d.]+%$/.test(await page.locator("output").innerText()), "found");
    assert.ok((await page.locator(".graph .found").count()) >= 2);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".graph .found").count(), 0);
    const narrow = page.locator(".graph > g", { hasText: "prices" }).first();
    const wide = Number(await page.locator(".graph > g rect").first().getAttribute("width"));
    await narrow.click();
    assert.equal(Number(await narrow.locator("rect").getAttribute("width")), wide);
    await page.keyboard.press("0");
    assert.ok(Number(await narrow.locator("rect").getAttribute("width")) < wide);
    assert.deepEqual(wrong, []);
    await close();
    run("flamegraph", shop("events.xhp"), "--still", "-o", path);
    const still = await open(browser, pathToFileURL(path).href);
    assert.equal(await still.page.locator("input, script").count(), 0);
    await still.close();
  },
};
