// What all tests share: the program, the profiles, and how to read a page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { open, PATIENCE } from "./browser.mjs";

export const xhprof = resolve(process.argv[2] ?? "xhprof");
export const folder = resolve(process.argv[3] ?? ".");
export const root = fileURLToPath(new URL("../..", import.meta.url));
export const shop = (name) => join(root, "web/tests/shop/profiles", name);
export const shopSources = join(root, "web/tests/shop");
export const golden = (name) => join(root, "crates/formats/tests/golden", name);
export const native = (name) => join(root, "crates/profile/tests/native", name);
export const VIEWS = [
  ...["overview", "time", "flame", "sandwich", "functions", "graph", "spans", "hints", "source", "compare", "file"],
];

/** What the address says. */
export const state = (page) => page.evaluate(() => decodeURIComponent(location.hash));
export const text = (page, where) => page.locator(where).first().innerText();

/** Opens the shop's profile, once made, at a view. */
export async function atShop(browser, fragment, size) {
  made ??= pageOf("shop", shop("events.xhp"), "--source", shopSources);
  const opened = await open(browser, `${made.url}#v1/${fragment}`, size);
  await opened.page.locator("main > *").first().waitFor();
  return opened;
}
let made;

export function run(...parameters) {
  const { status, stdout, stderr } = spawnSync(xhprof, parameters, { maxBuffer: 1 << 28 });
  assert.equal(status, 0, `${parameters.join(" ")}: ${stderr}`);
  return stdout;
}

export function report(...parameters) {
  return JSON.parse(run("report", "--json", "--limit", "0", ...parameters));
}

/** Makes a page of profiles. */
export function pageOf(name, ...parameters) {
  const path = join(folder, `${name}.html`);
  run("html", ...parameters, "-o", path);
  return { path, url: pathToFileURL(path).href };
}

/** A page without a profile, as `xhprof view` serves it: files are dropped onto it. */
export function emptyPage(name) {
  const { path, url } = pageOf(name, golden("tiny.collapsedstack.txt"));
  return { path, url, html: readFileSync(path, "utf8").replace(/<script[^>]*data-part="profile"[^<]*<\/script>/g, "") };
}

/** What a cell says, as a number of the smallest unit, and how exact that is. */
export function number(text) {
  const scales = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, samples: 1, sample: 1, "": 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
  const found = /^([−-]?)([\d,.]+)\s*(\S*)$/.exec(text.replaceAll(/[\u202f\u00a0]/g, " ").trim());
  assert.ok(found && found[3] in scales, `a cost: ${text}`);
  const scale = scales[found[3]];
  const digits = found[2].replaceAll(",", "");
  const exactness = scale * 10 ** -(digits.split(".")[1]?.length ?? 0);
  return { value: (found[1] ? -1 : 1) * Number(digits) * scale, exactness };
}

/** Whether a cell says a number, as exactly as it can. */
export function assertSays(text, expected, what) {
  const { value, exactness } = number(text);
  assert.ok(Math.abs(value - expected) <= exactness / 2 + 1e-9, `${what}: ${text}, not ${expected}`);
}

/** The rows of a table, cell by cell. */
export async function rows(page, label = "Functions") {
  const table = page.locator(`[role=grid][aria-label="${label}"]`);
  await table.locator("[role=gridcell]").first().waitFor();
  return table.evaluate((element) => {
    const text = (part) => part.textContent.trim();
    const titles = [...element.querySelectorAll("[role=columnheader]")].map((head) => text(head).replace(/[▲▼]/g, ""));
    const found = [...element.querySelectorAll("[role=row]")].slice(1);
    return found.map((row) =>
      Object.fromEntries([...row.querySelectorAll("[role=gridcell]")].map((cell, at) => [titles[at], text(cell)])),
    );
  });
}

/** Lets go files onto the page, as a mouse would. */
export async function drop(page, files) {
  const transfer = await page.evaluateHandle(
    (list) => {
      const data = new DataTransfer();
      for (const { name, base64 } of list) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name));
      }
      return data;
    },
    files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") })),
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

/** The canvas of a flame graph and its place, once the engine's own answer is drawn: until then boxes are exchanged. */
export async function drawnGraph(page) {
  await page.locator('.flame-grid[aria-busy="false"]').waitFor();
  const canvas = page.locator(".flame canvas");
  await canvas.waitFor();
  return { canvas, box: await canvas.boundingBox() };
}

/** Waits until what a text says is what is wanted. */
export async function eventually(look, what) {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > until) throw new assert.AssertionError({ message: `${what}: ${String(seen)}` });
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Keys on the graph, with a render and without a frame between them: as on a machine that is too busy to draw. */
export async function keysInOneFrame(page, keys) {
  await page.locator(".flame").evaluate(async (graph, list) => {
    for (const key of list) {
      graph.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      // Renders are microtasks.
      for (let turn = 0; turn < 10; turn += 1) await null;
    }
  }, keys);
}

/** What axe finds that matters. */
export async function assertAccessible(page, what) {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(readFileSync(axe, "utf8"));
  // axe looks inside of frames by messages, and there are none.
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { iframes: false }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = serious.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map((node) => node.html)
        .slice(0, 3)
        .join(" ")}`,
  );
  assert.deepEqual(told, [], what);
}

export async function assertFits(page, what) {
  const overflow = await page.evaluate(() => {
    const main = document.querySelector("main");
    const within = main === null ? 0 : main.scrollWidth - main.clientWidth;
    return Math.max(document.documentElement.scrollWidth - innerWidth, within);
  });
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("main *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => `${one.tagName.toLowerCase()}.${one.className}`)
      .slice(0, 5),
  );
  assert.ok(overflow <= 0, `${what} is ${overflow} px too wide: ${wide.join(", ")}`);
}
