// The first view, which is there before the engine: its answers came with the page.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { gunzipSync, gzipSync } from "node:zlib";

import { open } from "./browser.mjs";
import { assertFits, eventually, folder, golden, native, pageOf, run, shop, state } from "./stage.mjs";

const PROFILES = {
  events: [shop("events.xhp")],
  merged: [shop("old-1.xhp"), shop("old-2.xhp"), "--title", "two"],
  cpu: [shop("events.xhp"), "--metric", "cpu"],
  edges: [golden("0001.tiny.xhprof")],
  stacks: [golden("tiny.collapsedstack.txt")],
  samples: [native("v1.2-samples.xhp")],
  tree: [native("v1.2-tree.xhp")],
};

const part = (name) => new RegExp(`(<script[^>]*data-part="${name}"[^>]*>)([^<]*)<`);
const bytesOf = (html, name) => Buffer.from(part(name).exec(html)[2], "base64");
const unpacked = (html, name) => gunzipSync(bytesOf(html, name));

/** The engine of a page, here. */
function engineOf(html) {
  const worker = unpacked(html, "worker").toString();
  const glue = runInThisContext(`(self) => { ${worker}; return wasm_bindgen; }`)({});
  glue.initSync({ module: new globalThis.WebAssembly.Module(unpacked(html, "engine")) });
  const engine = new glue.Engine();
  for (const [head, text] of html.matchAll(/<script[^>]*data-part="profile"[^>]*>([^<]*)</g)) {
    const bytes = Buffer.from(text, "base64");
    const name = /data-name="([^"]*)"/.exec(head)[1];
    engine.add_file(name, false, head.includes("data-packed") ? gunzipSync(bytes) : bytes);
  }
  assert.equal(engine.open(), '"opened"');
  return engine;
}

/** A page whose engine never answers. */
function withoutEngine(name, html) {
  const path = join(folder, `${name}-waits.html`);
  const silent = gzipSync("self.onmessage = () => undefined;").toString("base64");
  writeFileSync(
    path,
    html.replace(part("worker"), (_, head) => `${head}${silent}<`),
  );
  return pathToFileURL(path).href;
}

/** A page that knows nothing before its engine says it. */
function withoutAnswers(name, html) {
  const path = join(folder, `${name}-asks.html`);
  const asks = html.replace(/<script[^>]*data-part="answers"[^<]*<\/script>/, "");
  assert.notEqual(asks, html);
  writeFileSync(path, asks);
  return pathToFileURL(path).href;
}

export const first = {
  async "answers that come with a page are those of its engine"() {
    const pages = Object.entries(PROFILES).map(([name, options]) => pageOf(`first-${name}`, ...options).path);
    const flame = join(folder, "first.flame.html");
    run("flamegraph", shop("events.xhp"), "-o", flame);
    for (const path of [...pages, flame]) {
      const html = readFileSync(path, "utf8");
      const pairs = JSON.parse(unpacked(html, "answers").toString());
      const asked = pairs.map(([question]) => question.ask);
      assert.deepEqual(asked.slice(0, 6), ["summary", "functions", "criticalPath", "hints", "spans", "classes"], path);
      const engine = engineOf(html);
      for (const [question, answer] of pairs) {
        const reply = JSON.parse(engine.ask(JSON.stringify({ question })));
        assert.deepEqual(answer, reply.answer, `${path}: ${JSON.stringify(question)}`);
      }
    }
    const base = pageOf("first-base", shop("new-1.xhp"), "--base", shop("old-1.xhp"));
    const estimate = pageOf("first-estimate", golden("0001.tiny.xhprof"), "--estimate");
    for (const { path } of [base, estimate]) assert.doesNotMatch(readFileSync(path, "utf8"), /data-part="answers"/);
  },

  async "the overview is whole before the engine is there"(browser) {
    for (const name of ["events", "cpu", "edges", "samples"]) {
      const html = readFileSync(pageOf(`first-${name}`, ...PROFILES[name]).path, "utf8");
      const asks = await open(browser, withoutAnswers(`first-${name}`, html));
      await asks.page.locator(".card .bars, .card .empty").first().waitFor();
      const waits = await open(browser, withoutEngine(`first-${name}`, html));
      await waits.page.locator(".card .bars, .card .empty").first().waitFor();
      assert.equal(await waits.page.locator(".opening, .busy").count(), 0, "nothing is waited for");
      const shown = await waits.page.innerText("body");
      assert.match(shown, /Critical path/);
      await eventually(async () => (await asks.page.innerText("body")) === shown, `${name}: ${shown}`);
      await assertFits(waits.page, name);
      assert.deepEqual([...asks.wrong, ...waits.wrong], [], name);
      await asks.close();
      await waits.close();
    }
  },

  async "a flame graph is there before the engine, and its details come later"(browser) {
    const html = readFileSync(pageOf("first-flame", shop("events.xhp")).path, "utf8");
    const { page, wrong, close } = await open(browser, `${withoutEngine("first-flame", html)}#v1/flame`);
    await page.locator('.flame-grid[aria-busy="true"] .flame canvas').waitFor();
    const box = await page.locator(".flame canvas").boundingBox();
    await page.mouse.click(box.x + box.width * 0.7, box.y + 30);
    const selected = () => page.locator(".details-name").innerText();
    await eventually(async () => (await selected()) !== "main()", "a box is selected");
    await page.keyboard.press("4");
    await page.locator(".busy").first().waitFor();
    assert.doesNotMatch(await state(page), /level=/);
    await page.keyboard.press("o");
    await page.locator(".bar").first().waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "a link to a place of a flame graph shows it when the engine is there"(browser) {
    // Seen in a narrow window of the engine's, but joined in what came with the page.
    const stack = Array.from({ length: 100 }, (_, at) => `level_${at}`);
    const tower = join(folder, "narrow.txt");
    writeFileSync(tower, `main();${stack.join(";")} 15\nmain();wide 9985\n`);
    const { url } = pageOf("narrow", tower);
    const { page, wrong, close } = await open(browser, `${url}#v1/flame?level=40`, { width: 1600, height: 600 });
    await page.locator('.flame-grid[aria-busy="false"]').waitFor();
    const top = () => page.locator(".flame").evaluate((element) => element.scrollTop);
    await eventually(async () => (await top()) === 800, "forty rows");
    // Longer than scrolling has to rest before the address follows it.
    await page.waitForTimeout(500);
    assert.match(await state(page), /level=40/);
    assert.deepEqual(wrong, []);
    await close();
  },
};
