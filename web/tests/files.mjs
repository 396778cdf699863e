// Files: dropped, pasted, damaged, hostile, of every format, and saved again.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { goTo, open } from "./browser.mjs";
import {
  assertAccessible,
  assertFits,
  drop,
  emptyPage,
  eventually,
  folder,
  native,
  pageOf,
  report,
  root,
  rows,
  run,
  shop,
  VIEWS,
} from "./stage.mjs";

/** An empty page, opened from the disk. */
async function atStart(browser) {
  const path = join(folder, "empty.html");
  writeFileSync(path, emptyPage("empty").html);
  const opened = await open(browser, pathToFileURL(path).href);
  await opened.page.locator(".start").waitFor();
  return opened;
}

const heading = (page) => page.locator("h1").innerText();
const input = (page) => page.locator("input[type=file]:not([data-folder])");

export const files = {
  async "an empty page says how to begin, and takes what is dropped, chosen or pasted"(browser) {
    const { page, wrong, close } = await atStart(browser);
    await assertAccessible(page, "the start");
    await drop(page, [{ name: "dropped.txt", bytes: Buffer.from("main();f 10\n") }]);
    await eventually(async () => (await heading(page)) === "dropped.txt", "dropped");
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData("text/plain", "main();pasted 10\n");
      document
        .querySelector("main")
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.getByRole("button", { name: "Open instead" }).click();
    await eventually(async () => (await heading(page)) === "pasted text", "pasted");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "several files are merged or compared, as is asked"(browser) {
    const { page, wrong, close } = await atStart(browser);
    const bytes = (cost) => Buffer.from(`main();f ${cost}\nmain();g 100\n`);
    const two = [
      { name: "one.txt", bytes: bytes(10) },
      { name: "two.txt", bytes: bytes(30) },
    ];
    await drop(page, two);
    await assertAccessible(page, "the dialog");
    await page.getByRole("button", { name: "Merge all" }).click();
    await page.locator(".tile").first().waitFor();
    await goTo(page, "v1/functions");
    const merged = (await rows(page)).find(({ Function }) => Function === "f");
    assert.match(merged.Self, /^40/);
    await drop(page, two);
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await drop(page, [two[1]]);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator(".compare").waitFor();
    assert.deepEqual(wrong, []);
    await close();
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
    const long = shown.findIndex((name) => name.startsWith("xxx"));
    for (const view of [...VIEWS, `function?fn=${long}`, "sandwich?fn=1", "flame?text=1"]) {
      await goTo(page, `v1/${view}`);
      assert.equal(await page.locator("main img, main script").count(), 0, view);
      await assertFits(page, view);
    }
    await page.screenshot({ path: join(folder, "hostile.png") });
    assert.deepEqual(wrong, []);
    await close();
  },

  async "hostile files, tags and statements are text"(browser) {
    const path = join(folder, "cachegrind.out.hostile");
    const name = "</script><script>alert(1)</script>\u202e";
    const text = `version: 1\ncmd: ${name}\ndesc: ${name}: ${name}\npositions: line\nevents: Time_(ns)\n\nfl=/srv/${name}.php\nfn=${name}::run\n7 1000\n`;
    writeFileSync(path, text);
    const { url } = pageOf("hostile-files", path);
    const { page, wrong, close } = await open(browser, `${url}#v1/source`);
    await page.locator(".source-title").waitFor();
    assert.match(await page.locator(".source-title").innerText(), /<script>alert\(1\)/);
    for (const view of VIEWS) {
      await goTo(page, `v1/${view}`);
      assert.equal(await page.locator("main img, main script").count(), 0, view);
      await assertFits(page, view);
    }
    assert.deepEqual(wrong, []);
    await close();
  },

  async "a damaged profile is an error with its place, and the page lives on"(browser) {
    const good = native("v1.2-events.xhp");
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
    assert.match(await alert.innerText(), /v1\.2-events\.xhp: .*\d/, "the error names the file and the place");
    // Another one can be opened after it.
    await input(page).setInputFiles(good);
    await page.locator("main").getByText("main()").first().waitFor();
    assert.deepEqual(wrong, []);
    await close();
  },

  async "an engine that stops says so, and the page lives on"(browser) {
    const { url } = pageOf("stopped", native("v1.2-tree.xhp"));
    const { page, wrong, close } = await open(browser, `${url}#v1/overview`);
    await page.locator(".tile").first().waitFor();
    // As if a question needed more memory than there is.
    await page.evaluate(() => {
      const send = Worker.prototype.postMessage;
      globalThis.break = (kind) => {
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message.kind !== kind) return send.call(this, message, ...rest);
          Worker.prototype.postMessage = send;
          const error = { code: "engine-stopped", message: "unreachable", threshold: 0.01 };
          this.onmessage({ data: { id: message.id, reply: { error }, isDead: true } });
        };
      };
      globalThis.break("ask");
    });
    await goTo(page, "v1/flame");
    await page.getByText("The engine stopped").first().waitFor();
    assert.match(await page.innerText("main"), /--threshold/);
    await page.getByRole("button", { name: "Open the profile again" }).click();
    await page.locator(".tile, .flame canvas").first().waitFor();
    await page.evaluate(() => globalThis.break("open"));
    await input(page).setInputFiles(native("v1.2-edges.xhp"));
    await page.getByRole("button", { name: "Open instead" }).click();
    await page.getByRole("alert").waitFor();
    assert.match(await page.getByRole("alert").innerText(), /--threshold/);
    await page.getByRole("button", { name: /less than 0.01 %/ }).click();
    await eventually(async () => (await page.locator(".tile").count()) > 0, "it opens without what is cheap");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "opening can be cancelled, and what is in the page can be opened again"(browser) {
    const { url } = pageOf("cancelled", native("v1.2-tree.xhp"));
    const { page, wrong, close } = await open(browser, url);
    await page.locator(".tile").first().waitFor();
    // As if reading the file took long.
    await page.evaluate(() => {
      const send = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message, ...rest) {
        if (message.kind !== "open") return send.call(this, message, ...rest);
        Worker.prototype.postMessage = send;
      };
    });
    await input(page).setInputFiles(native("v1.2-edges.xhp"));
    await page.getByRole("button", { name: "Open instead" }).click();
    await page.getByRole("status").getByText("Opening v1.2-edges.xhp").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".start").getByText("v1.2-tree.xhp").waitFor();
    assert.equal(await page.locator(".opening").count(), 0);
    await page.getByRole("button", { name: "Open what is in this page" }).click();
    await page.locator(".tile").first().waitFor();
    assert.equal(await heading(page), "GET /hello");
    assert.deepEqual(wrong, []);
    await close();
  },

  async "a page is at most 1.15 MB larger than its profile, and says something without JavaScript"(browser) {
    const profile = shop("events.xhp");
    const { path, url } = pageOf("size", profile);
    const more = statSync(path).size - statSync(profile).size;
    assert.ok(more < 1_150_000, `${more} bytes more`);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    assert.ok((await page.locator("noscript table tbody tr, table tbody tr").count()) > 1);
    await context.close();
  },
};

/** What no reader takes back. */
const ONLY_WRITTEN = new Set(["sentry", "csv", "dot", "markdown", "html", "flamegraph", "flamegraph-html"]);

/** Watches what a page opens: returns what waits for the next file, whose title may be that of the one before. */
async function openings(page) {
  await page.evaluate(() => {
    const send = Worker.prototype.postMessage;
    globalThis.replies = 0;
    Worker.prototype.postMessage = function (message, ...rest) {
      const count = ({ data }) => void (globalThis.replies += data.id === message.id);
      if (message.kind === "open") this.addEventListener("message", count);
      return send.call(this, message, ...rest);
    };
  });
  const instead = page.getByRole("button", { name: "Open instead" });
  let seen = 0;
  return async (what) => {
    await eventually(async () => {
      if (await instead.isVisible()) await instead.click();
      return (await page.evaluate(() => globalThis.replies)) > seen && (await page.locator(".opening").count()) === 0;
    }, what);
    seen = await page.evaluate(() => globalThis.replies);
  };
}

/** These take a minute. */
export const longFiles = {
  async "every format that is saved opens again"(browser) {
    const { url } = pageOf("formats", shop("old-1.xhp"));
    const { functions } = report(shop("old-1.xhp"));
    const costliest = functions.reduce((most, one) => (one.self.wall_ns > most.self.wall_ns ? one : most)).name;
    const { page, wrong, close } = await open(browser, `${url}#v1/file`);
    await page.locator(".formats button").first().waitFor();
    await page.locator(".more-formats summary").click();
    const other = await atStart(browser);
    const settled = await openings(other.page);
    const ids = await page.locator(".formats code").allInnerTexts();
    assert.ok(ids.length > 20 && !ids.includes(""), ids.join(" "));
    for (const id of ids) {
      const button = page.locator(".formats button", { has: page.locator(`code:text-is("${id}")`) });
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      const path = join(folder, `saved-${id}-${download.suggestedFilename()}`);
      await download.saveAs(path);
      assert.ok(statSync(path).size > 100, id);
      if (ONLY_WRITTEN.has(id)) continue;
      await input(other.page).setInputFiles(path);
      await settled(id);
      assert.equal(await other.page.getByRole("alert").count(), 0, id);
      await goTo(other.page, "v1/functions");
      const names = (await rows(other.page)).map(({ Function }) => Function);
      // Some formats write names of PHP's own functions in their own way.
      assert.ok(
        names.some((name) => name.includes(costliest)),
        `${id}: ${names.join(" ")}`,
      );
      await goTo(other.page, "v1/overview");
    }
    assert.deepEqual([...wrong, ...other.wrong], []);
    await close();
    await other.close();
  },

  async "all samples in the repository open, and damaged ones are errors"(browser) {
    const { page, wrong, close } = await atStart(browser);
    const all = ["crates/formats/tests/golden", "crates/profile/tests/native"].flatMap((place) =>
      readdirSync(join(root, place)).map((name) => join(root, place, name)),
    );
    const isKnown = (path) => {
      try {
        run("report", "--json", path);
        return true;
      } catch {
        return false;
      }
    };
    const settled = await openings(page);
    let opened = 0;
    const put = async (name, bytes) => {
      await page.evaluate(() => document.querySelector('[aria-label="Close the message"]')?.click());
      await drop(page, [{ name, bytes }]);
      await settled(`${name} is opened, or is an error`);
      return page.getByRole("alert").count();
    };
    for (const path of all.filter((path) => statSync(path).isFile() && isKnown(path))) {
      const bytes = readFileSync(path);
      assert.equal(await put(basename(path), bytes), 0, `${path}: ${await page.innerText("body")}`);
      opened++;
      // Cut off: it opens with what there is, or says what is wrong. It never hangs.
      await put(`cut-${basename(path)}`, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
      assert.ok((await page.innerText("body")).length > 50);
    }
    assert.ok(opened > 40, `${opened} samples`);
    assert.deepEqual(wrong, []);
    await close();
  },
};
