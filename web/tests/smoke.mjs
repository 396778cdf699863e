// `smoke.mjs XHPROF FOLDER`: makes pages of profiles with the program, opens
// them from disk in Chromium, and looks at what they show.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { goTo, open, start } from "./browser.mjs";

const [xhprof, folder] = process.argv.slice(2).map((path) => resolve(path));
const root = fileURLToPath(new URL("../..", import.meta.url));
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VIEWS = ["overview", "flame", "time", "sandwich", "functions", "graph", "spans", "file"];

function run(...parameters) {
  const { status, stdout, stderr } = spawnSync(xhprof, parameters, { maxBuffer: 1 << 28 });
  assert.equal(status, 0, `${parameters.join(" ")}: ${stderr}`);
  return stdout;
}

function pageOf(name, ...parameters) {
  const path = join(folder, `${name}.html`);
  run("html", ...parameters, "-o", path);
  return { path, url: pathToFileURL(path).href };
}

/** What a cell says, as a number of the smallest unit, and how exact that is. */
function number(text) {
  const scales = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, samples: 1, sample: 1, "": 1 };
  const found = /^([−-]?)([\d,.]+)\s*(\S*)$/.exec(text.replaceAll(/[\u202f\u00a0]/g, " ").trim());
  assert.ok(found && found[3] in scales, `a cost: ${text}`);
  const scale = scales[found[3]];
  const digits = found[2].replaceAll(",", "");
  const exactness = scale * 10 ** -(digits.split(".")[1]?.length ?? 0);
  return { value: (found[1] ? -1 : 1) * Number(digits) * scale, exactness };
}

/** The rows of the table of functions, cell by cell. */
async function rows(page) {
  await page.locator('[role=table][aria-label="Functions"] [role=cell]').first().waitFor();
  return page.locator('[role=table][aria-label="Functions"]').evaluate((table) => {
    const text = (element) => element.textContent.trim();
    const titles = [...table.querySelectorAll("[role=columnheader]")].map((head) =>
      text(head).replace(/[▲▼]/g, ""),
    );
    const found = [...table.querySelectorAll("[role=row]")].slice(1);
    return found.map((row) =>
      Object.fromEntries([...row.querySelectorAll("[role=cell]")].map((cell, at) => [titles[at], text(cell)])),
    );
  });
}

const tests = {
  async "numbers are those of the report"(browser) {
    for (const path of [
      "crates/formats/tests/golden/0001.tiny.xhprof",
      "crates/profile/tests/native/v1.2-events.xhp",
      "crates/profile/tests/native/v1.2-samples.xhp",
      "crates/cli/tests/cmd/spans.in/spans.xhp",
    ]) {
      const profile = join(root, path);
      const { url } = pageOf(basename(path), profile);
      const report = JSON.parse(run("report", "--json", "--limit", "0", profile));
      const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
      // One or several replacement characters: how many stand for bytes that are no text differs.
      const plain = (name) => name.replaceAll("\u0000", "\ufffd").replaceAll(/\ufffd+/g, "\ufffd");
      const shown = new Map((await rows(page)).map((row) => [plain(row.Function), row]));
      assert.equal(shown.size, report.functions.length, path);
      for (const { name, self, inclusive } of report.functions) {
        const row = shown.get(plain(name));
        assert.ok(row, `${path}: ${name}`);
        const [own, whole] = ["wall_ns", "samples"].map((key) => [self[key], inclusive[key]]).find(([one]) => one !== undefined);
        for (const [text, expected] of [[row.Own, own], [row["With callees"], whole]]) {
          const { value, exactness } = number(text);
          assert.ok(Math.abs(value - expected) <= exactness / 2, `${path}: ${name}: ${text}, not ${expected}`);
        }
        if (row.Calls !== undefined) assert.equal(number(row.Calls).value, inclusive.calls, `${path}: ${name}`);
      }
      assert.deepEqual(wrong, [], path);
      await close();
    }
  },

  async "every view opens, without an error, and axe finds nothing serious"(browser) {
    const { url } = pageOf("views", join(root, "crates/cli/tests/cmd/spans.in/spans.xhp"));
    for (const [scheme, width, height] of [["light", 1400, 900], ["dark", 400, 800], ["light", 2560, 1440]]) {
      const { page, wrong, close } = await open(browser, url, { scheme, width, height });
      for (const view of VIEWS) {
        await goTo(page, `v1/${view}`);
        await page.screenshot({ path: join(folder, `${view}-${width}-${scheme}.png`) });
        assert.equal(await page.getByRole("alert").count(), 0, `${view}: ${await page.innerText("body")}`);
        assert.ok((await page.innerText("main")).length > 10, `${view} is empty`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${view} is ${overflow} px too wide at ${width}`);
        if (width === 2560) continue;
        await page.evaluate(readFileSync(axe, "utf8"));
        // axe looks inside of frames by messages, and there are none.
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { iframes: false }));
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
        assert.deepEqual(told, [], `${view}, ${scheme}`);
      }
      await page.goBack();
      assert.match(page.url(), /spans|graph/, "the address has a history");
      assert.deepEqual(wrong, []);
      await close();
    }
  },

  async "hostile names are text"(browser) {
    const path = join(folder, "hostile<b>&.txt");
    const line = (name, cost) => Buffer.concat([Buffer.from("main();"), name, Buffer.from(` ${cost}\n`)]);
    const names = [
      Buffer.from("</script><script>alert(1)</script>"),
      Buffer.from("\u202egnirts"),
      Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe]),
      Buffer.alloc(1_000_000, "x"),
      Buffer.from("<img src=x onerror=alert(2)>\"quoted'"),
    ];
    writeFileSync(path, Buffer.concat(names.map((name, at) => line(name, 10 * (at + 1)))));
    const { url } = pageOf("hostile", path, "--title", "</title><script>alert(3)</script>");
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
    const shown = (await rows(page)).map((row) => row.Function);
    assert.equal(shown.length, names.length + 1);
    for (const name of ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>\"quoted'"]) {
      assert.ok(shown.includes(name), `${name} is shown as it is`);
    }
    for (const view of VIEWS) {
      await goTo(page, `v1/${view}`);
      assert.equal(await page.locator("main img, main script").count(), 0, view);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${view} is ${overflow} px too wide`);
    }
    await page.screenshot({ path: join(folder, "hostile.png") });
    assert.deepEqual(wrong, []);
    await close();
  },

  async "a damaged profile is an error, and the page lives on"(browser) {
    const good = join(root, "crates/profile/tests/native/v1.2-events.xhp");
    const { path, url } = pageOf("damaged", good);
    const html = readFileSync(path, "utf8");
    const bytes = readFileSync(good);
    bytes.fill(0xaa, Math.floor(bytes.length / 2));
    const damaged = html.replace(
      /(data-part="profile"[^>]*?)(?: data-packed="gzip")?>[^<]*</,
      (_, head) => `${head}>${bytes.toString("base64")}<`,
    );
    assert.notEqual(damaged, html);
    writeFileSync(path, damaged);
    const { page, wrong, close } = await open(browser, url);
    const alert = page.getByRole("alert").first();
    await alert.waitFor();
    assert.match(await alert.innerText(), /v1\.2-events\.xhp/, "the error names the file");
    // Another one can be opened after it.
    await page.locator("input[type=file]").first().setInputFiles(good);
    await page.locator("main").getByText("main()").first().waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "an exported file opens again"(browser) {
    const profile = join(root, "crates/profile/tests/native/v1.2-events.xhp");
    const { url } = pageOf("export", profile);
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
    await rows(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
    const csv = readFileSync(await download.path(), "utf8");
    assert.equal(csv, run("convert", profile, "--to", "csv", "-o", "-").toString());
    assert.deepEqual(wrong, []);
    await close();
  },

  async "a page is at most 1.1 MB larger than its profile in base64, and says something without JavaScript"(browser) {
    const profile = join(root, "crates/profile/tests/native/v1.2-long.xhp");
    const { path, url } = pageOf("size", profile);
    const more = statSync(path).size - Math.ceil(statSync(profile).size / 3) * 4;
    assert.ok(more < 1_100_000, `${more} bytes more`);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    assert.ok((await page.locator("noscript table tbody tr, table tbody tr").count()) > 1);
    await context.close();
  },

  async "a comparison shows both sides"(browser) {
    const golden = (name) => join(root, "crates/formats/tests/golden", name);
    const { url } = pageOf("compare", golden("0002.tiny.xhprof"), "--base", golden("0001.tiny.xhprof"));
    const { page, wrong, close } = await open(browser, `${url}#v1/compare`);
    await page.locator("main [role=cell]").first().waitFor();
    await page.screenshot({ path: join(folder, "compare.png") });
    assert.deepEqual(wrong, []);
    await close();
  },

  async "xhprof view serves the same page"(browser) {
    const profile = join(root, "crates/profile/tests/native/v1.2-events.xhp");
    const viewer = spawn(xhprof, ["view", "--no-browser", profile]);
    const url = await new Promise((found, failed) => {
      viewer.once("exit", (code) => failed(new Error(`it ended with ${code}`)));
      viewer.stdout.once("data", (text) => found(String(text).split("\n")[0]));
    });
    const { page, wrong, close } = await open(browser, `${url}#v1/functions`);
    assert.ok((await rows(page)).length > 1);
    assert.deepEqual(wrong, []);
    await close();
    const ended = new Promise((found) => viewer.once("exit", found));
    viewer.kill("SIGINT");
    assert.equal(await ended, 0);
  },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await start();
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const from = Date.now();
  try {
    await test(browser);
    console.log(`ok      ${name} (${Date.now() - from} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n        ${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed > 0 ? 1 : 0;
