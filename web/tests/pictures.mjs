// The pictures of docs/viewer.md: `./x web-test --pictures` makes them anew.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { goTo, open } from "./browser.mjs";
import { pageOf, root, shop, shopSources } from "./stage.mjs";

const PICTURES = {
  overview: "overview",
  flame: "flame",
  time: "time",
  sandwich: "sandwich",
  source: "source",
  graph: "graph?least=5",
};

export const pictures = {
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
