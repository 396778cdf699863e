// The pictures of docs/viewer.md and docs/serve.md: `./x web-test --pictures` makes them anew.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { goTo, open } from "./browser.mjs";
import { withDemo } from "./regressions.mjs";
import { api, settled, visit } from "./servers.mjs";
import { pageOf, root, shop, shopSources } from "./stage.mjs";

const PICTURES = {
  overview: "overview",
  flame: "flame",
  time: "time",
  sandwich: "sandwich",
  source: "source",
  graph: "graph?least=5",
};

/** The most bytes of a picture of the server's pages. */
const MOST = 150_000;

/** Writes what is in view as WebP, which Playwright has no name for. */
async function webp(page, path) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  await session.detach();
  const picture = Buffer.from(data, "base64");
  assert.ok(picture.length < MOST, `${path}: ${picture.length} bytes`);
  writeFileSync(path, picture);
}

export const pictures = {
  async "pictures of the server's pages"(browser) {
    const place = join(root, "docs/pages");
    mkdirSync(place, { recursive: true });
    await withDemo(async ({ address }) => {
      const run = (await api(address, "/api/v1/runs?q=route:/category*+release:4.7.0&sort=sql&limit=1")).runs[0];
      const pages = [
        ["home", "/?q=app:shop", "light"],
        ["run", `/run/${run.id}`, "light"],
        ["regressions", "/regressions?q=app:shop", "dark"],
        ["compare", "/compare?before=app:shop+release:4.4.0&after=app:shop+release:4.5.0", "dark"],
      ];
      for (const [name, path, scheme] of pages) {
        const { page, wrong, close } = await visit(browser, address + path, { width: 1280, height: 860, scheme });
        await settled(page);
        if (name === "run") await page.locator(".small-flame canvas").waitFor();
        await page.waitForTimeout(500);
        await webp(page, join(place, `${name}.webp`));
        assert.deepEqual(wrong, [], name);
        await close();
      }
    });
  },

  async "pictures for the documents"(browser) {
    const place = join(root, "docs/viewer");
    mkdirSync(place, { recursive: true });
    const { url } = pageOf("pictures", shop("events.xhp"), "--source", shopSources);
    const size = { width: 1000, height: 560 };
    const { page, close } = await open(browser, url, size);
    await page.locator("main > *").first().waitFor();
    for (const [name, view] of Object.entries(PICTURES)) {
      await goTo(page, `v1/${view}`);
      await page.waitForTimeout(name === "graph" ? 2_000 : 500);
      await page.screenshot({ path: join(place, `${name}.png`) });
    }
    await close();
    const base = ["old-1.xhp", "old-2.xhp"].flatMap((file) => ["--base", shop(file)]);
    const change = pageOf("pictures-compare", shop("new-1.xhp"), shop("new-2.xhp"), ...base);
    const compared = await open(browser, `${change.url}#v1/compare`, size);
    await compared.page.locator("[role=gridcell]").first().waitFor();
    await compared.page.screenshot({ path: join(place, "compare.png") });
    await compared.close();
  },
};
