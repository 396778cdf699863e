// The page Profile now: the trigger's secret, one click, and the run that opens.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";

import { at, look, send, settled, visit, withServer, withTokens } from "./servers.mjs";
import { assertAccessible, eventually, folder } from "./stage.mjs";

const SECRET = "hush'x";

/** A file with the secret that only its owner reads. */
function secretIn(place) {
  const file = join(place, "secret");
  spawnSync("sh", ["-c", 'umask 077; printf "%s\\n" "$2" >"$1"', "sh", file, SECRET]);
  return file;
}

/** The application: it answers each request, and keeps the addresses that were asked for. */
async function withApplication(test) {
  const asked = [];
  const application = createServer((request, answer) => {
    asked.push(request.url);
    answer.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>shop</title>");
  });
  await new Promise((done) => application.listen(0, "127.0.0.1", done));
  try {
    await test(`http://127.0.0.1:${application.address().port}/cart`, asked);
  } finally {
    application.closeAllConnections();
    application.close();
  }
}

export const profileNow = {
  async "profile now: one click asks with a ticket, waits for the run of the address and opens it"(browser) {
    await withApplication((shop, asked) =>
      withTokens(
        (place) => ["--trigger-secret-file", secretIn(place)],
        async ({ address, boss }) => {
          await send(address, { token: boss, route: "/before" });
          const { page, wrong, context, close } = await visit(browser, `${address}/profile-now`, { token: boss });
          await page.getByLabel("Address of the page").fill("shop");
          await page.keyboard.press("Enter");
          await page.locator("#url-wrong").waitFor();
          await page.getByLabel("Address of the page").fill(shop);
          await page.keyboard.press("Enter");
          await page.waitForURL((url) => url.searchParams.get("url") === shop);
          const opened = context.waitForEvent("page");
          await page.getByRole("button", { name: /^Profile 127\.0\.0\.1/ }).click();
          await (await opened).waitForLoadState();
          await page.getByText("Waiting for the run of that address").waitFor();
          await page.screenshot({ path: join(folder, "profile-now-waiting.png"), fullPage: true });
          await eventually(
            async () => asked.some((url) => /^\/cart\?XHPROF=ticket-\d+-[0-9a-f]{64}$/.test(url)),
            "the request with a ticket",
          );
          assert.ok(!asked.join().includes("hush"), "the secret stays here");
          // That of another address is not opened.
          await send(address, { token: boss, route: "/other", title: "/other", tag: "n=2" });
          await page.locator("tr.new").first().waitFor();
          assert.match(page.url(), /profile-now/);
          const id = await send(address, { token: boss, title: `GET ${shop}`, tag: "n=3", file: "new-1.xhp" });
          await page.waitForURL(new RegExp(`/run/${id}`));
          assert.deepEqual(wrong, []);
          await close();
        },
      ),
    );
  },

  async "profile now: a bookmark on a page of another site leads to the button, also past the login"(browser) {
    await withApplication((shop) =>
      withTokens(
        (place) => ["--trigger-secret-file", secretIn(place)],
        async ({ address, boss }) => {
          await send(address, { token: boss });
          const { page, wrong, context, close } = await visit(browser, `${address}/profile-now`, { token: boss });
          const href = await page.getByRole("link", { name: "Profile this page" }).getAttribute("href");
          assert.ok(!href.includes("hush"));
          // Another site: its name, not its port, decides whether the session's cookie is sent.
          const other = await context.newPage();
          await other.goto(shop.replace("127.0.0.1", "localhost"));
          const opened = context.waitForEvent("page");
          await other.evaluate(href.replace("javascript:", ""));
          const asking = await opened;
          await asking.getByRole("button", { name: /^Profile localhost/ }).waitFor();
          assert.deepEqual(wrong, []);
          await close();
        },
      ),
    );
  },

  async "profile now: only an admin sees the secret, and gets a ticket"(browser) {
    await withTokens(
      (place) => ["--trigger-secret-file", secretIn(place)],
      async ({ address, boss, reader }) => {
        await send(address, { token: boss });
        const other = at("/profile-now", { url: "https://shop.example.com/cart" });
        for (const [token, isShown] of [
          [reader, false],
          [boss, true],
        ]) {
          const { page, wrong, close } = await visit(browser, address + other, { token });
          await settled(page);
          assert.equal((await page.content()).includes("hush"), isShown);
          await page
            .getByText(isShown ? "Profile shop.example.com/cart" : "Only tokens with the scope admin")
            .waitFor();
          if (isShown) {
            const line = await page.getByLabel("Command with the trigger", { exact: true }).innerText();
            assert.match(line, /^curl .*'XHPROF: hush'\\''x' 'https:\/\/shop\.example\.com\/cart'$/);
          }
          // Here a bookmark does nothing but say what it is for.
          await page.getByRole("link", { name: "Profile this page" }).click();
          assert.match(page.url(), /profile-now/);
          await assertAccessible(page, "profile now");
          assert.deepEqual(wrong, []);
          await close();
        }
        await look(browser, address, [["other", other]], "profile-now", boss);
      },
    );
  },

  async "profile now: new runs appear, and an empty server says what to do"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, [["empty", "/profile-now"]], "profile-now");
      const { page, wrong, close } = await visit(browser, `${address}/profile-now`);
      await page.getByText("None yet.").waitFor();
      await send(address);
      await eventually(async () => (await page.locator("tr.new").count()) === 1, "the new run");
      await page.locator("tr.new a").first().click();
      await page.waitForURL(/\/run\//);
      assert.deepEqual(wrong, []);
      await close();
    });
  },
};
