// The page Settings: policies, tokens, alerts; and the login.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";

import { api, HOSTILE, look, send, settled, visit, withServer, withTokens } from "./servers.mjs";
import { assertAccessible, assertFits, eventually, folder } from "./stage.mjs";

const LONG = `${"a-very-long-name-of-an-application-".repeat(4)}${HOSTILE}`;
const PARTS = [
  ["settings", "/settings"],
  ["retention", "/settings/retention"],
  ["policy", "/settings/retention?app=shop"],
  ["tokens", "/settings/tokens"],
  ["alerts", "/settings/alerts"],
  ["uploads", "/settings/uploads"],
];

const told = (page, text) => page.locator("main [role=status]", { hasText: text }).waitFor();

/** What the console says of refused requests, which are no error of the page. */
const others = (wrong) => wrong.filter((line) => !/status of 4\d\d/.test(line));

export const settings = {
  async "settings: every part, of an empty server and of one with runs"(browser) {
    await withServer([], async ({ address }) => {
      await look(browser, address, PARTS, "settings-empty");
    });
    await withTokens(
      () => [],
      async ({ address, boss, reader }) => {
        await send(address, { token: boss });
        await send(address, { token: boss, app: LONG });
        await look(browser, address, PARTS, "settings", boss);
        await look(browser, address, [["tokens", "/settings/tokens"]], "settings-reader", reader);
        const answer = await api(address, "/api/v1/pages/settings", boss);
        const { page, wrong, close } = await visit(browser, `${address}/settings`, { token: boss });
        const row = page
          .getByRole("region", { name: "Applications" })
          .getByRole("row")
          .filter({ hasText: "very-long" });
        const app = answer.apps.find(({ name }) => name === LONG);
        assert.equal(await row.locator("td").first().innerText(), String(app.runs));
        // Each part is a link with an address of its own.
        for (const [, path] of PARTS.filter(([, path]) => !path.includes("?"))) {
          await page.locator(`.side-nav a[href="${path}"]`).click();
          await page.waitForURL((url) => url.pathname === path);
          await page.locator(`.side-nav a[href="${path}"][aria-current=page]`).waitFor();
        }
        await page.goBack();
        await page.locator('.side-nav a[href="/settings/alerts"][aria-current=page]').waitFor();
        assert.deepEqual(wrong, []);
        await close();
      },
    );
  },

  async "settings: a policy, with the reason beside a wrong field and a question before it removes"(browser) {
    await withTokens(
      () => [],
      async ({ address, boss, reader }) => {
        for (const n of ["n=1", "n=2", "n=3"]) await send(address, { token: boss, app: LONG, tag: n });
        const { page, wrong, close } = await visit(browser, `${address}/settings/retention`, { token: boss });
        // What is set as a power of two is shown as one.
        await page.getByRole("cell", { name: "20 GiB" }).first().waitFor();
        await page.getByRole("link", { name: `Change the policy of ${LONG}` }).click();
        const size = page.getByLabel("Size of all runs");
        assert.equal(await size.inputValue(), "20 GiB");
        await page.getByLabel("Age of a run, in days").fill("0");
        await size.fill("20 apples");
        await page.keyboard.press("Enter");
        await page.locator("#days-wrong").waitFor();
        assert.equal(await size.inputValue(), "20 apples");
        assert.match(await page.innerText("#days-wrong"), /0 would remove everything/);
        assert.match(await page.innerText("#bytes-wrong"), /500 MB or 20 GiB/);
        await eventually(
          () => page.getByLabel("Age of a run, in days").evaluate((field) => field === document.activeElement),
          "the first wrong field has the focus",
        );
        await assertAccessible(page, "a wrong policy");
        await assertFits(page, "a wrong policy");
        await page.screenshot({ path: join(folder, "policy-wrong.png"), fullPage: true });
        await page.getByLabel("Age of a run, in days").fill("");
        await page.getByLabel("Number of runs").fill("1");
        await size.fill("2 GB");
        await page.getByLabel("Slowest and failed runs of each route").fill("0");
        await page.getByRole("button", { name: "Count what it removes" }).click();
        await told(page, /would remove 2 runs .*Nothing was saved/);
        await page.getByRole("button", { name: "Save", exact: true }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByText("removes 2 runs").waitFor();
        await page.screenshot({ path: join(folder, "policy-asks.png") });
        // Enter does nothing that cannot be taken back.
        await page.keyboard.press("Enter");
        await dialog.waitFor({ state: "detached" });
        assert.equal((await api(address, "/api/v1/policies", boss)).apps.length, 0);
        assert.equal(await size.inputValue(), "2 GB");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("button", { name: "Save and remove" }).click();
        await told(page, /The policy of a-very-long.* is saved/);
        const [own] = (await api(address, "/api/v1/policies", boss)).apps;
        assert.deepEqual([own.policy.days, own.policy.runs, own.policy.bytes, own.policy.notable], [null, 1, 2e9, 0]);
        await page.getByRole("link", { name: `Change the policy of ${LONG}` }).click();
        assert.equal(await page.getByLabel("Size of all runs").inputValue(), "2 GB");
        await page.getByRole("button", { name: "Remove this policy" }).click();
        await page.getByRole("button", { name: "Remove the policy" }).click();
        await told(page, /has the policy of the others/);
        assert.deepEqual(others(wrong), []);
        await close();

        const read = await visit(browser, `${address}/settings/retention`, { token: reader });
        await settled(read.page);
        assert.equal(await read.page.getByRole("link", { name: /^Change the policy/ }).count(), 0);
        await read.page.goto(`${address}/settings/retention?app=shop`);
        await read.page.getByText("a token that has the scope admin").waitFor();
        assert.deepEqual(read.wrong, []);
        await read.close();
      },
    );
  },

  async "settings: a token is made, shown once, used, and removed after a question"(browser) {
    await withTokens(
      () => [],
      async ({ address, boss }) => {
        const { page, wrong, close } = await visit(browser, `${address}/settings/tokens`, { token: boss });
        await page.getByRole("button", { name: "Make the token" }).click();
        await page.locator("#name-wrong").waitFor();
        assert.match(await page.innerText("#scopes-wrong"), /Choose what the token may do/);
        await assertAccessible(page, "a token that lacks all");
        await page.getByLabel("Name").fill(`team ${HOSTILE}`);
        await page.getByLabel("Works for so many days").fill("30");
        for (const scope of ["read:", "write:"]) await page.getByLabel(scope, { exact: false }).check();
        await page.keyboard.press("Enter");
        const secret = page.locator(".made-token pre");
        await secret.waitFor();
        const token = await secret.innerText();
        await page.screenshot({ path: join(folder, "token-made.png"), fullPage: true });
        await assertAccessible(page, "a token that was made");
        assert.equal((await api(address, "/api/v1/session", token)).scopes.join(), "read,write");
        assert.equal(await page.getByLabel("Name").inputValue(), "", "the form is empty again");
        await page.reload();
        await settled(page);
        assert.ok(!(await page.content()).includes(token), "it is shown once");
        const row = page.getByRole("region", { name: "Tokens" }).getByRole("row").filter({ hasText: "team" });
        await row.getByRole("button", { name: /^Remove the token team/ }).click();
        await page.getByRole("dialog").waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        assert.equal(await row.count(), 1);
        await row.getByRole("button", { name: /^Remove the token team/ }).click();
        await page.getByRole("button", { name: "Remove the token", exact: true }).click();
        await told(page, /is removed/);
        await eventually(async () => (await row.count()) === 0, "the row is gone");
        const refused = await fetch(`${address}/api/v1/session`, { headers: { Authorization: `Bearer ${token}` } });
        assert.equal(refused.status, 401);
        assert.deepEqual(others(wrong), []);
        await close();
      },
    );
  },

  async "settings: a webhook is told, tested, and its refusal said"(browser) {
    let status = 200;
    const got = [];
    const receiver = createServer((request, answer) => {
      request.resume();
      got.push(request.url);
      answer.writeHead(status).end();
    });
    await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
    const { port } = receiver.address();
    try {
      const url = `http://127.0.0.1:${port}/secret-path`;
      await withServer(["--webhook", url, "--webhook-format", "slack"], async ({ address }) => {
        const { page, wrong, close } = await visit(browser, `${address}/settings/alerts`);
        await page.getByText("the form of Slack").waitFor();
        assert.ok(!(await page.content()).includes("secret-path"));
        await page.getByRole("button", { name: "Send a test message" }).click();
        await told(page, /The receiver took it/);
        assert.deepEqual(got, ["/secret-path"]);
        status = 403;
        await page.getByRole("button", { name: "Send a test message" }).click();
        await told(page, /did not take it.*403/);
        await page.screenshot({ path: join(folder, "alerts-refused.png"), fullPage: true });
        await assertAccessible(page, "a refused test");
        assert.deepEqual(wrong, []);
        await close();
      });
    } finally {
      receiver.close();
    }
  },

  async "login: leads back to the address, and a session that ends brings it over the page"(browser) {
    await withTokens(
      () => [],
      async ({ address, boss }) => {
        await send(address, { token: boss });
        const { page, wrong, context, close } = await visit(browser, `${address}/settings/tokens`);
        await page.waitForURL(/\/login\?next=/);
        await assertAccessible(page, "the login");
        await page.getByRole("button", { name: "Log in" }).click();
        await page.locator("#token-wrong").waitFor();
        await page.getByLabel("Token").fill("wrong");
        await page.keyboard.press("Enter");
        await page.locator("#token-wrong", { hasText: "The token is wrong" }).waitFor();
        await page.screenshot({ path: join(folder, "login-wrong.png") });
        await page.getByLabel("Token").fill(boss);
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/settings\/tokens$/);
        await page.getByLabel("Name").fill("kept while the session ended");
        await page.getByLabel("read:", { exact: false }).check();
        await context.clearCookies();
        await page.getByRole("button", { name: "Make the token" }).click();
        const dialog = page.getByRole("dialog", { name: "Your session ended" });
        await dialog.waitFor();
        await assertAccessible(page, "the login over a page");
        await page.screenshot({ path: join(folder, "login-again.png") });
        await dialog.getByLabel("Token").fill(boss);
        await page.keyboard.press("Enter");
        // The form is sent then, as it was typed.
        await page.getByRole("heading", { name: "The token kept while the session ended" }).waitFor();
        await page.getByRole("button", { name: "Log out" }).click();
        await page.waitForURL(/\/login/);
        await page.goto(`${address}/compare`);
        await page.waitForURL(/\/login\?next=%2Fcompare|\/login\?next=\/compare/);
        assert.deepEqual(others(wrong), []);
        await close();
      },
    );
  },
};
