/** The columns of a list of runs, and which of them say something. */
import type { RunInfo, RunSort } from "../api/generated";
import * as format from "../format";

export interface RunColumn {
  title: string;
  sort: RunSort;
  isNumber: boolean;
  text: (run: RunInfo) => string;
}

export const COLUMNS: readonly RunColumn[] = [
  { title: "Started", sort: "started", isNumber: false, text: ({ started_us }) => format.shortMoment(started_us) },
  { title: "Application", sort: "app", isNumber: false, text: ({ app }) => app },
  { title: "Route", sort: "route", isNumber: false, text: ({ route }) => route },
  {
    title: "Time",
    sort: "wall",
    isNumber: true,
    text: ({ wall, unit }) => (unit === "time" ? format.time(wall) : format.count(wall)),
  },
  { title: "CPU", sort: "cpu", isNumber: true, text: ({ cpu }) => (cpu === null ? "–" : format.time(cpu)) },
  { title: "Peak", sort: "peak", isNumber: true, text: ({ peak }) => (peak === null ? "–" : format.bytes(peak)) },
  { title: "SQL", sort: "sql", isNumber: true, text: ({ sql }) => format.count(sql) },
  { title: "Calls", sort: "calls", isNumber: true, text: ({ calls }) => format.count(calls) },
  { title: "Method", sort: "method", isNumber: false, text: ({ method }) => method },
  {
    title: "Status",
    sort: "status",
    isNumber: false,
    text: ({ status, failed }) => (failed && status === "" ? "failed" : status),
  },
  { title: "Release", sort: "release", isNumber: false, text: ({ release }) => release },
  { title: "Host", sort: "host", isNumber: false, text: ({ host }) => host },
  { title: "Label", sort: "label", isNumber: false, text: ({ label }) => label },
  {
    title: "Tags",
    sort: "tags",
    isNumber: false,
    text: ({ tags }) => tags.map(([name, value]) => (value === "" ? name : `${name}=${value}`)).join(", "),
  },
];

/** The columns that tell the rows apart: not those in which all rows say the same. */
export function telling(runs: readonly RunInfo[], sort: RunSort): RunColumn[] {
  return COLUMNS.filter((column) => {
    if (column.title === "Started" || column.title === "Time" || column.sort === sort) return true;
    const texts = new Set(runs.map(column.text));
    return runs.length < 2 ? !texts.has("") && !texts.has("–") : texts.size > 1;
  });
}

/** What all rows say, in the columns that are hidden: `Application shop`. */
export function common(runs: readonly RunInfo[], shown: readonly RunColumn[]): string[] {
  const [first] = runs;
  if (first === undefined || runs.length < 2) return [];
  return COLUMNS.filter((column) => !shown.includes(column))
    .map((column) => ({ title: column.title, text: column.text(first) }))
    .filter(({ text }) => text !== "" && text !== "–" && text !== "0")
    .map(({ title, text }) => `${title} ${text}`);
}
