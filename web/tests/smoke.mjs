// `smoke.mjs XHPROF FOLDER [--all] [--pictures] [PATTERN]`: makes pages of
// profiles with the program, opens them from disk in Chromium, and looks at what
// they show.
import { mkdirSync, rmSync } from "node:fs";

import { start } from "./browser.mjs";
import { compare } from "./compare.mjs";
import { files, longFiles } from "./files.mjs";
import { first } from "./first.mjs";
import { graphs } from "./graphs.mjs";
import { look } from "./look.mjs";
import { numbers } from "./numbers.mjs";
import { pictures } from "./pictures.mjs";
import { profileNow } from "./profilenow.mjs";
import { longRegressions, regressions } from "./regressions.mjs";
import { saved } from "./saved.mjs";
import { longServer, server } from "./server.mjs";
import { serverTiming } from "./servertiming.mjs";
import { settings } from "./settings.mjs";
import { folder } from "./stage.mjs";
import { viewer } from "./viewer.mjs";
import { views } from "./views.mjs";

const options = process.argv.slice(4);
const pattern = options.find((option) => !option.startsWith("--")) ?? "";
const tests = {
  ...numbers,
  ...first,
  ...views,
  ...viewer,
  ...graphs,
  ...files,
  ...look,
  ...server,
  ...compare,
  ...regressions,
  ...profileNow,
  ...serverTiming,
  ...settings,
  ...saved,
  ...(options.includes("--all") ? { ...longFiles, ...longServer, ...longRegressions } : {}),
  ...(options.includes("--pictures") ? pictures : {}),
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await start();
const failed = [];
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(pattern))) {
  const from = Date.now();
  try {
    await test(browser);
    console.log(`ok      ${name} (${Date.now() - from} ms)`);
  } catch (error) {
    failed.push(`FAILED  ${name}\n        ${error.stack}`);
    console.log(failed.at(-1));
  }
  // Pages that a failed test left open.
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
// Again, because only the end of a long log is shown.
if (failed.length > 0) console.log(`\n${failed.length} failed:\n${failed.join("\n")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
