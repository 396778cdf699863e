// What the page shows is what `xhprof report` says.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { basename } from "node:path";

import { open } from "./browser.mjs";
import { assertSays, golden, native, number, pageOf, report, root, rows, shop, xhprof } from "./stage.mjs";

export const numbers = {
  async "numbers are those of the report"(browser) {
    for (const profile of [
      shop("events.xhp"),
      golden("0001.tiny.xhprof"),
      native("v1.2-events.xhp"),
      native("v1.2-samples.xhp"),
      `${root}crates/cli/tests/cmd/spans.in/spans.xhp`,
    ]) {
      const { url } = pageOf(basename(profile), profile);
      const expected = report(profile);
      const { page, wrong, close } = await open(browser, `${url}#v1/functions`, { height: 2_400 });
      // One or several replacement characters: how many stand for bytes that are no text differs.
      const plain = (name) => name.replaceAll("\u0000", "\ufffd").replaceAll(/\ufffd+/g, "\ufffd");
      const shown = new Map((await rows(page)).map((row) => [plain(row.Function), row]));
      assert.equal(shown.size, expected.functions.length, profile);
      for (const { name, self, inclusive } of expected.functions) {
        const row = shown.get(plain(name));
        assert.ok(row, `${profile}: ${name}`);
        const [own, whole] = ["wall_ns", "samples"]
          .map((key) => [self[key], inclusive[key]])
          .find(([one]) => one !== undefined);
        for (const [text, cost] of [
          [row.Self, own],
          [row.Inclusive, whole],
        ])
          assertSays(text, cost, `${profile}: ${name}`);
        if (row.Calls !== undefined) assert.equal(number(row.Calls).value, inclusive.calls, `${profile}: ${name}`);
      }
      assert.deepEqual(wrong, [], profile);
      await close();
    }
  },

  async "xhprof view serves the same page"(browser) {
    const viewer = spawn(xhprof, ["view", "--no-browser", native("v1.2-events.xhp")]);
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
