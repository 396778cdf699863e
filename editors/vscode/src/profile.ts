/** What the program's JSON says, and where it belongs in a file. Knows nothing of VS Code. */

/** Costs by the names of docs/json.md: units are in the names. */
export type Costs = Partial<Record<string, number>>;

export interface ProfiledFunction {
  name: string;
  file?: string;
  line?: number;
  inclusive: Costs;
  self: Costs;
}

export interface Report {
  title: string;
  total: Costs;
  functions: ProfiledFunction[];
}

export interface ListedProfile {
  file: string;
  date_unix_us: number | null;
  route: string;
  wall_ns?: number;
}

/** Costs beside a line of a file. */
export interface Annotation {
  /** From 0. */
  line: number;
  name: string;
  text: string;
  /** Of the whole profile, from 0 to 1: without callees. */
  share: number;
  details: [string, string][];
}

/** A file of the editor. */
export interface OpenFile {
  path: string;
  /** Its path in the workspace, with slashes. */
  relative: string;
  lines: readonly string[];
}

/** The report of `xhprof report --json`. */
export function readReport(json: string): Report {
  const value: unknown = JSON.parse(json);
  if (!isObject(value) || value.format !== "xhprof-report" || !Array.isArray(value.functions)) {
    throw new Error("the program printed no report");
  }
  if (value.version !== 1) {
    throw new Error(
      `the program writes version ${String(value.version)} of its reports; this extension reads version 1`,
    );
  }
  return value as unknown as Report;
}

/** The profiles of `xhprof list --json`, the latest first. */
export function readList(json: string): ListedProfile[] {
  const value: unknown = JSON.parse(json);
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.profiles)) {
    throw new Error("the program printed no list of version 1");
  }
  return value.profiles as ListedProfile[];
}

/**
 * The costs of the functions of a file, at the lines where they are declared now.
 *
 * A profile may be of another machine: its file is this one if it is the same path, or else if it ends in the path
 * in the workspace. A file that was edited since has its functions elsewhere: they are looked for by name.
 */
export function annotations(report: Report, file: OpenFile, minimum: number): Annotation[] {
  const whole = mainCost(report.total)[1];
  const found: Annotation[] = [];
  for (const of of functionsOf(report.functions, file)) {
    const [unit, own] = mainCost(of.self);
    const all = mainCost(of.inclusive)[1];
    if (whole <= 0 || (all / whole) * 100 < minimum) continue;
    const line = declaration(of, file.lines);
    if (line === undefined) continue;
    const calls = of.inclusive["calls"];
    const share = own / whole;
    const texts = [`${percent(share)} self`, `${amount(unit, own)} of ${amount(unit, all)}`];
    if (calls !== undefined) texts.push(calls === 1 ? "1 call" : `${grouped(calls)} calls`);
    found.push({ line, name: of.name, text: texts.join(" · "), share, details: details(of) });
  }
  // A trait's or a template's method may have several rows; the costliest stays.
  const byLine = new Map<number, Annotation>();
  for (const one of found.sort((a, b) => b.share - a.share)) {
    if (!byLine.has(one.line)) byLine.set(one.line, one);
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}

function functionsOf(functions: readonly ProfiledFunction[], file: OpenFile): ProfiledFunction[] {
  const same = functions.filter((one) => one.file === file.path);
  if (same.length > 0) return same;
  return functions.filter((one) => one.file === file.relative || one.file?.endsWith(`/${file.relative}`) === true);
}

/** The line of a function's declaration, from 0: the nearest to that of the profile. */
function declaration(of: ProfiledFunction, lines: readonly string[]): number | undefined {
  const wanted = (of.line ?? 1) - 1;
  const pattern = declarationPattern(of.name);
  // The top level of a file is its first line.
  if (pattern === null) return of.name.startsWith("run_init::") || of.name === "main()" ? 0 : undefined;
  for (let distance = 0; distance < lines.length; distance++) {
    for (const line of new Set([wanted - distance, wanted + distance])) {
      if (pattern.test(lines[line] ?? "")) return line;
    }
  }
  return undefined;
}

function declarationPattern(name: string): RegExp | null {
  if (name.includes("{closure")) return /\b(function|fn)\b\s*&?\s*\(/i;
  if (/^(run_init|load|eval)::/.test(name)) return null;
  const short = /(\w+)$/.exec(name.replace(/^.*(::|\\)/s, ""))?.[1];
  // Property hooks, `Cart::$total::get`, have a word and a block.
  if (/::\$\w+::(get|set)$/.test(name)) return new RegExp(`\\b${short ?? ""}\\b\\s*(\\(|\\{|=>)`, "i");
  return short === undefined ? null : new RegExp(`\\bfunction\\s+&?\\s*${short}\\b`, "i");
}

/** Time, or what the profile counts in its place. */
function mainCost(costs: Costs): [string, number] {
  for (const unit of ["wall_ns", "samples", "count"]) {
    const value = costs[unit];
    if (value !== undefined) return [unit, value];
  }
  return ["count", 0];
}

const TITLES: Record<string, string> = {
  calls: "Calls",
  wall_ns: "Time",
  samples: "Samples",
  count: "Count",
  cpu_ns: "CPU time",
  memory_bytes: "Memory",
  peak_bytes: "Peak memory",
};

/** Each cost, without and with callees. */
function details(of: ProfiledFunction): [string, string][] {
  return Object.keys(TITLES).flatMap((unit): [string, string][] => {
    const [own, all] = [of.self[unit], of.inclusive[unit]];
    if (all === undefined) return [];
    const text = own === undefined ? amount(unit, all) : `${amount(unit, own)} self, ${amount(unit, all)} with callees`;
    return [[TITLES[unit] ?? unit, text]];
  });
}

export function amount(unit: string, value: number): string {
  if (unit.endsWith("_ns")) {
    const [factor, name] = step(Math.abs(value), [
      [1e9, "s"],
      [1e6, "ms"],
      [1e3, "µs"],
      [1, "ns"],
    ]);
    return `${significant(value / factor)} ${name}`;
  }
  if (unit.endsWith("_bytes")) {
    const [factor, name] = step(Math.abs(value), [
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "kB"],
      [1, "B"],
    ]);
    return `${significant(value / factor)} ${name}`;
  }
  return grouped(value);
}

function step(value: number, steps: [number, string][]): [number, string] {
  return steps.find(([factor]) => value >= factor) ?? [1, steps.at(-1)?.[1] ?? ""];
}

function significant(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : value.toPrecision(3);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
