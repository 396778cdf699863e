// Saved views: addresses with a name, kept in the browser.
import assert from "node:assert/strict";
import { join } from "node:path";

import { at, HOSTILE, send, settled, visit, withServer } from "./servers.mjs";
import { assertAccessible, eventually, folder } from "./stage.mjs";

export const saved = {
  async "views: an address is saved under a name, opened, renamed and removed"(browser) {
    await withServer([], async ({ address }) => {
      await send(address);
      const filtered = at("/compare", { before: "app:shop release:1", after: "app:shop" });
      const { page, wrong, close } = await visit(browser, address + filtered);
      await settled(page);
      const button = page.getByRole("button", { name: "Views" });
      const menu = page.getByRole("dialog", { name: "Saved views" });
      const name = page.getByLabel("Save this page as");
      await button.focus();
      await page.keyboard.press("Enter");
      await menu.getByText("No view has a name yet").waitFor();
      await name.fill(" ");
      await page.keyboard.press("Enter");
      await page.locator("#view-name-wrong").waitFor();
      await name.fill(`carts ${HOSTILE}`);
      await page.keyboard.press("Enter");
      const link = menu.getByRole("link", { name: `carts ${HOSTILE}` });
      await link.waitFor();
      await assertAccessible(page, "saved views");
      await page.screenshot({ path: join(folder, "saved-views.png") });
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
      assert.ok(await button.evaluate((element) => element === document.activeElement));
      await page.goto(`${address}/settings`);
      await settled(page);
      await button.click();
      await link.click();
      await page.waitForURL((url) => url.pathname + url.search === filtered);
      await menu.waitFor({ state: "detached" });
      await button.click();
      await menu.getByRole("button", { name: /^Rename carts/ }).click();
      await page.getByLabel(/^New name of carts/).fill("second");
      await page.keyboard.press("Enter");
      await menu.getByRole("link", { name: "second" }).waitFor();
      await page.reload();
      await settled(page);
      await button.click();
      await menu.getByRole("button", { name: "Remove second" }).click();
      await eventually(async () => (await menu.getByRole("link").count()) === 0, "no view is left");
      // A click elsewhere closes the list.
      await page.getByRole("heading", { level: 1 }).click();
      await menu.waitFor({ state: "detached" });
      assert.deepEqual(
        wrong.filter((line) => !line.includes("status of 404")),
        [],
      );
      await close();
    });
  },
};
