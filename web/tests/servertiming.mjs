// The header Server-Timing in the browser's own API, from PHP's built-in server with the extension.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { eventually, xhprof } from "./stage.mjs";

const SETTINGS = {
  "xhprof.auto_enable": "trigger",
  "xhprof.trigger": "XHPROF",
  "xhprof.trigger_secret": "hush",
};

const PAGE = `<?php
eval('$made = 1;');
echo '<!doctype html><link rel="icon" href="data:,"><title>shop</title>';
`;

/** A free port. */
async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

export const serverTiming = {
  async "server timing: the browser's own API has the sums of a request with the trigger, and of no other"(browser) {
    const extension = join(dirname(xhprof), "libxhprof.so");
    if (!existsSync(extension)) {
      console.log(`skipped: there is no ${extension}`);
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), "xhprof-timing-"));
    writeFileSync(join(folder, "index.php"), PAGE);
    const port = await freePort();
    const settings = Object.entries({ extension, ...SETTINGS, "xhprof.output_dir": folder });
    const options = settings.flatMap(([name, value]) => ["-d", `${name}=${value}`]);
    const php = spawn(process.env.PHP ?? "php", ["-n", ...options, "-S", `127.0.0.1:${port}`, "-t", folder], {
      stdio: "ignore",
    });
    try {
      const url = `http://127.0.0.1:${port}/`;
      const answers = async () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(answers, "PHP's server");
      const context = await browser.newContext();
      const page = await context.newPage();
      const timings = async (query) => {
        await page.goto(url + query);
        return page.evaluate(() =>
          performance
            .getEntriesByType("navigation")[0]
            .serverTiming.map(({ name, duration, description }) => ({ name, duration, description })),
        );
      };
      const entries = await timings("?XHPROF=hush");
      assert.deepEqual(
        entries.map(({ name }) => name),
        ["total", "compile", "memory"],
      );
      const [total, compile, memory] = entries;
      assert.ok(total.duration > 0 && compile.duration <= total.duration, JSON.stringify(entries));
      assert.equal(total.description, "until the headers");
      assert.match(compile.description, /^\d+ files?$/);
      assert.match(memory.description, /^\d+\.\d MB at most$/);
      assert.deepEqual(await timings(""), []);
      assert.deepEqual(await timings("?XHPROF=wrong"), []);
      await context.close();
    } finally {
      php.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
