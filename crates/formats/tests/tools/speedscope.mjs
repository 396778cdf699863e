// Our files in speedscope's own importer (npm package `speedscope`).
//
// speedscope.mjs PACKAGE FOLDER: PACKAGE is where npm put it; FOLDER holds
// files named by their format: `csv`, `speedscope`, `speedscope-evented`,
// `chrome-trace`, `cpuprofile`, `callgrind`, `callgrind-plain`, `callgrind-xdebug`.
//
// The package has no entry for Node, only the bundle of its page. So this script runs
// the bundle without a page, with one added line that exports the importer.

import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [packageFolder, folder] = process.argv.slice(2);

function importer() {
  const release = path.join(packageFolder, "dist/release");
  const name = fs.readdirSync(release).find((it) => /^speedscope-.*\.js$/.test(it));
  let bundle = fs.readFileSync(path.join(release, name), "utf8");
  // The code that loads the file of a URL: `importer(name, await x.arrayBuffer())`.
  const found = /await ([\w$]+)\(\w+,await \w+\.arrayBuffer\(\)\)/.exec(bundle);
  if (!found) throw new Error("the importer is not where it was");
  const start = /^("use strict";)?\(\(\)=>\{/.exec(bundle);
  if (!start) throw new Error("the bundle begins in another way");
  bundle = start[0] + `globalThis.importProfiles=(...a)=>${found[1]}(...a);` + bundle.slice(start[0].length);
  // An empty page: every property exists and does nothing.
  const nothing = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => 0 : nothing),
    apply: () => nothing,
    construct: () => nothing,
    set: () => true,
  });
  const quiet = { ...console, log() {}, time() {}, timeEnd() {} };
  const page = {
    console: quiet,
    document: nothing,
    navigator: { userAgent: "", platform: "" },
    location: { protocol: "http:", hash: "", href: "http://x/" },
    localStorage: nothing,
    setTimeout,
    clearTimeout,
    requestAnimationFrame() {},
    addEventListener() {},
    removeEventListener() {},
    TextDecoder,
    TextEncoder,
    URL,
    Blob,
    performance,
    atob,
    btoa,
    matchMedia: () => nothing,
  };
  page.window = page.self = page.globalThis = page;
  const context = vm.createContext(page);
  try {
    vm.runInContext(bundle, context);
  } catch (error) {
    // The page itself may fail: the importer exists before it starts.
    if (!page.importProfiles) throw error;
  }
  return context.importProfiles;
}

function totals() {
  const rows = [];
  const text = fs.readFileSync(path.join(folder, "csv"), "utf8");
  for (const line of text.split("\r\n").slice(1)) {
    if (!line) continue;
    const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((it) => it.replace(/,$/, ""));
    const quoted = fields[0].replace(/^"(.*)"$/s, "$1").replaceAll('""', '"');
    // The CSV writer puts an apostrophe before a name that a spreadsheet would compute.
    const name = quoted.replace(/^'(?= *[=+\-@\t\r])/, "");
    rows.push({ name, calls: +fields[1], own: +fields[2], inclusive: +fields[3] });
  }
  return rows;
}

const clean = (name) =>
  name
    .replace(/\s+/g, " ")
    .replace(/\ufffd+/g, "\ufffd")
    .trim() || "???";

// Self and total weight by clean name. The total of a name that occurs twice is not usable.
function sums(profile) {
  const functions = new Map();
  profile.forEachFrame((frame) => {
    const name = clean(frame.name);
    const it = functions.get(name) ?? { own: 0, inclusive: 0, frames: 0 };
    it.own += frame.getSelfWeight();
    it.inclusive += frame.getTotalWeight();
    it.frames += 1;
    functions.set(name, it);
  });
  return functions;
}

// Recursive functions and their callees, from the file with names in full.
function aroundRecursion() {
  const calls = new Map();
  let name;
  for (const line of fs.readFileSync(path.join(folder, "callgrind-plain"), "utf8").split("\n")) {
    if (line.startsWith("fn=")) name = clean(line.slice(3));
    if (line.startsWith("cfn=")) calls.set(name, (calls.get(name) ?? new Set()).add(clean(line.slice(4))));
  }
  const around = new Set();
  for (const start of calls.keys()) {
    const seen = new Set();
    const todo = [...calls.get(start)];
    while (todo.length) {
      const at = todo.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      todo.push(...(calls.get(at) ?? []));
    }
    if (seen.has(start)) for (const it of [start, ...calls.get(start)]) around.add(it);
  }
  return around;
}

// Whether a call took no time. At equal times speedscope handles ends before
// beginnings, whatever their order in the file.
function hasEmptyCalls(events) {
  const open = [];
  for (const { ph, ts } of events) {
    if (ph === "B") open.push(ts);
    else if (ph === "E" && open.pop() === ts) return true;
  }
  return false;
}

const load = importer();
const rows = totals();
let failed = 0;
let recursion = null;

for (const [format, exact] of [
  ["speedscope", true],
  ["speedscope-evented", true],
  ["chrome-trace", true],
  ["cpuprofile", true],
  ["callgrind", false],
  ["callgrind-plain", false],
  ["callgrind-xdebug", false],
]) {
  const file = path.join(folder, format);
  if (!fs.existsSync(file)) continue;
  const bytes = fs.readFileSync(file);
  if (format === "chrome-trace" && hasEmptyCalls(JSON.parse(bytes).traceEvents)) {
    console.log("speedscope, chrome-trace: calls of no length, which it cannot nest: not compared");
    continue;
  }
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const fileName = format.startsWith("callgrind")
    ? "callgrind.out"
    : ({ "chrome-trace": "x.trace.json", cpuprofile: "x.cpuprofile" }[format] ?? "x.speedscope.json");
  // Times of a trace are fractions; times of a CPU profile are whole microseconds.
  const rounding = (times) => ({ "chrome-trace": 1, cpuprofile: 1e3 * (times + 2) })[format] ?? 0;
  const group = await load(fileName, buffer);
  const wall = group.profiles.find((it) =>
    ["nanoseconds", "milliseconds", "microseconds", "seconds", "none"].includes(it.getWeightUnit()),
  );
  const unit = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9, none: 1 }[wall.getWeightUnit()];
  const theirs = sums(wall);
  let agreed = 0;
  const failures = [];
  const equal = (what, a, b, slack = 0) => {
    if (Math.abs(a - b) <= slack + Math.abs(b) * 1e-9) agreed += 1;
    else failures.push(`${what}: speedscope says ${a}, we say ${b}`);
  };
  const root = rows.find((it) => it.name === "main()").inclusive;
  const calls = rows.reduce((sum, it) => sum + it.calls, 0);
  const inTens = rows.every((it) => it.own % 10 === 0);
  // Each call is rounded to 10 ns.
  const slack = exact || inTens ? rounding(0) : calls * 10;
  equal("the total", wall.getTotalNonIdleWeight() * unit, root, slack);
  const byName = new Map();
  for (const row of rows) {
    const it = byName.get(clean(row.name)) ?? { own: 0, inclusive: 0, calls: 0, rows: 0 };
    it.own += row.own;
    it.inclusive += row.inclusive;
    it.calls += row.calls;
    it.rows += 1;
    byName.set(clean(row.name), it);
  }
  for (const [name, row] of byName) {
    let key = name;
    if (format === "callgrind-xdebug") key = name === "main()" ? "{main}" : name;
    const it =
      theirs.get(key) ??
      theirs.get(key === "???" ? "(unknown)" : `php::${key}`) ??
      theirs.get(key.replace(/^\((?=\d)/, "( "));
    // It lists only functions that were on top or had callees.
    if (!it && row.inclusive === 0) continue;
    if (exact) {
      equal(`self of ${name}`, it?.own * unit, row.own, rounding(row.calls));
      if (row.rows === 1) equal(`inclusive of ${name}`, it?.inclusive * unit, row.inclusive, rounding(row.calls));
    } else {
      // From Callgrind's edges it estimates stacks: it leaves out cheap paths, and
      // charges recursion to its caller. So the comparison is approximate, and
      // skips small functions.
      recursion ??= aroundRecursion();
      if (recursion.has(name)) {
        if (row.inclusive >= root / 100) equal(`${name} is there`, it ? 1 : 0, 1);
        continue;
      }
      if (row.inclusive < root / 100) continue;
      equal(`self of ${name}, about`, (it?.own ?? NaN) * unit, row.own, root / 50);
    }
  }
  for (const failure of failures.slice(0, 10)) console.log("  " + failure);
  console.log(`speedscope, ${format}: ${agreed} numbers agree, ${failures.length} do not`);
  if (failures.length || !agreed) failed = 1;
}
process.exit(failed);
