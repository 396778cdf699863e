// How it looks: sizes, light and dark, print, motion, and what axe finds.
import assert from "node:assert/strict";
import { join } from "node:path";

import { goTo, open } from "./browser.mjs";
import {
  assertAccessible,
  assertFits,
  eventually,
  folder,
  golden,
  pageOf,
  shop,
  shopSources,
  VIEWS,
} from "./stage.mjs";

export const look = {
  async "every view opens in every size, without an error, and axe finds nothing serious"(browser) {
    const { url } = pageOf("look", shop("events.xhp"), "--source", shopSources);
    const sizes = [
      ["light", 1400, 900],
      ["dark", 400, 800],
      ["light", 360, 640],
    ];
    if (process.argv.includes("--all")) sizes.push(["dark", 1400, 900], ["light", 3840, 2160]);
    for (const [scheme, width, height] of sizes) {
      const { page, wrong, close } = await open(browser, url, { scheme, width, height });
      await page.locator("main > *").first().waitFor();
      for (const view of [...VIEWS, "function?fn=2"]) {
        await goTo(page, `v1/${view}`);
        await eventually(async () => (await page.innerText("main")).length > 10, `${view} is empty`);
        await page.screenshot({ path: join(folder, `${view.split("?")[0]}-${width}-${scheme}.png`) });
        assert.equal(await page.getByRole("alert").count(), 0, `${view}: ${await page.innerText("body")}`);
        await assertFits(page, `${view} at ${width}`);
        if (width === 1400 || width === 400) await assertAccessible(page, `${view}, ${scheme}, ${width}`);
      }
      assert.deepEqual(wrong, []);
      await close();
    }
  },

  async "profiles with little in them have no empty views"(browser) {
    for (const profile of [
      golden("0001.tiny.xhprof"),
      golden("tiny.collapsedstack.txt"),
      golden("0003.tinysampled.xhprof"),
    ]) {
      const { url } = pageOf("little", profile);
      const { page, wrong, close } = await open(browser, url);
      for (const view of VIEWS) {
        await goTo(page, `v1/${view}`);
        await eventually(async () => (await page.innerText("main")).length > 10, `${view} of ${profile} is empty`);
      }
      assert.deepEqual(wrong, [], profile);
      await close();
    }
  },

  async "print is on white paper, and has the rows that were out of view"(browser) {
    const { url } = pageOf("print", shop("events.xhp"));
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`, { scheme: "dark" });
    await page.locator("[role=gridcell]").first().waitFor();
    const count = () => page.locator(".vrow").count();
    const before = await count();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await eventually(async () => (await count()) > before, "more rows");
    await eventually(async () => (await theme()) === "light", "white paper");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await eventually(async () => (await theme()) === "dark", "as before");
    const pdf = await page.pdf({ path: join(folder, "functions.pdf"), printBackground: true });
    assert.ok(pdf.length > 10_000);
    assert.deepEqual(wrong, []);
    await close();
  },

  async "nothing moves for those who asked for it"(browser) {
    const { url } = pageOf("still", golden("tiny.collapsedstack.txt"));
    const { page, close } = await open(browser, url);
    await page.emulateMedia({ reducedMotion: "reduce" });
    const animated = await page.evaluate(() => {
      const part = document.createElement("div");
      part.className = "progress";
      document.body.append(part);
      const { animationName } = getComputedStyle(part);
      part.remove();
      return animationName;
    });
    assert.equal(animated, "none");
    await close();
  },
};
