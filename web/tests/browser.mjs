// Chromium as the tests use it: every page is watched for what no page may do.
import { chromium } from "playwright-core";

/** How long a page may take, in milliseconds: a machine that has much else to do is no failure. */
export const PATIENCE = 60_000;

/** Starts it; `close()` ends it. */
export function start() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync"],
    ],
  });
}

/** Opens a page; `wrong` collects what its console says and what it asks the network for. */
export async function open(browser, url, { width = 1400, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const own = url.split("#")[0];
  page.on("request", (request) => {
    const asked = request.url();
    if (asked.split("#")[0] !== own && !/^(blob|data):/.test(asked)) wrong.push(`request: ${asked.slice(0, 100)}`);
  });
  await page.goto(url);
  return { page, wrong, close: () => context.close() };
}

/** Goes to another view of an open page. */
export async function goTo(page, fragment) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, fragment);
  await page.waitForTimeout(200);
}
