/**
 * Numbers as text. Every number that the page shows goes through here, so that
 * units and digits are the same in all views.
 *
 * Costs come from the engine. Nothing here adds costs up; shares and costs of
 * one call are quotients of two numbers of one answer.
 */
import type { MetricName, Unit } from "./types";

/** A narrow no-break space: it never parts a number from its unit. */
const GAP = "\u202f";
const MINUS = "\u2212";

/** Three digits, as the terminal's reports have them. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = Math.abs(value);
  let place = 0;
  while (rest >= step * 0.9995 && place < units.length - 1) {
    rest /= step;
    place += 1;
  }
  const unit = units[place] ?? "";
  // The smallest unit is whole unless it is a mean.
  const text = place === 0 && Number.isInteger(rest) ? rest.toFixed(0) : digits(rest);
  return `${value < 0 ? MINUS : ""}${text}${GAP}${unit}`;
}

/** A time in nanoseconds. */
export function time(ns: number): string {
  if (ns === 0) return "0";
  if (Math.abs(ns) >= 120e9) {
    const seconds = Math.round(Math.abs(ns) / 1e9);
    const minutes = Math.floor(seconds / 60);
    const sign = ns < 0 ? MINUS : "";
    return `${sign}${minutes}${GAP}min ${seconds % 60}${GAP}s`;
  }
  return scaled(ns, 1_000, ["ns", "µs", "ms", "s"]);
}

/** An amount of memory. */
export function bytes(amount: number): string {
  if (amount === 0) return "0";
  return scaled(amount, 1_000, ["B", "kB", "MB", "GB", "TB"]);
}

/**
 * A number of calls, samples or functions; a mean may have a fraction. `Intl.NumberFormat` gives the same, but its
 * first use takes 20 ms in a page that has just been opened.
 */
export function count(amount: number): string {
  const [whole = "", fraction] = String(Number(amount.toFixed(2))).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",").replace("-", MINUS);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1 call`, `2 calls`. */
export function counted(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** A cost of a metric, with its unit. */
export function cost(value: number, metric: MetricName, unit: Unit): string {
  switch (metric) {
    case "wall":
      return unit === "samples" ? counted(value, "sample") : time(value);
    case "cpu":
      return time(value);
    case "memory":
    case "peak":
      return bytes(value);
    case "calls":
      return count(value);
  }
}

/** The style of a list of costs, which stand below each other. */
export function longest(texts: readonly string[]): { "--longest": string } {
  return { "--longest": `${String(Math.max(0, ...texts.map((text) => text.length)))}ch` };
}

/** A cost with its sign, for differences. */
export function signedCost(value: number, metric: MetricName, unit: Unit): string {
  const text = cost(value, metric, unit);
  return value > 0 ? `+${text}` : text;
}

/** Part of a whole in percent; empty if there is no whole. */
export function share(part: number, whole: number): string {
  if (whole === 0) return "";
  const percent = (part / whole) * 100;
  const size = Math.abs(percent);
  const text = size > 0 && size < 0.05 ? "<0.1" : size.toFixed(1);
  return `${percent < 0 && text !== "0.0" ? MINUS : ""}${text}${GAP}%`;
}

/** A relative change, with its sign. */
export function change(relative: number | null): string {
  if (relative === null) return "new";
  const percent = relative * 100;
  const size = Math.abs(percent);
  if (size >= 1_000) return `${percent < 0 ? MINUS : "×"}${count(Math.round(size / 100 + 1))}`;
  const sign = percent < 0 ? MINUS : percent > 0 ? "+" : "";
  return `${sign}${size.toFixed(1)}${GAP}%`;
}

/** The cost of one call; nothing if it was not called or the calls are unknown. */
export function perCall(value: number, calls: number, metric: MetricName, unit: Unit): string {
  if (calls === 0 || metric === "calls") return "";
  return cost(value / calls, metric, unit);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Another zone than the reader's own. */
export type Zone = "UTC" | undefined;

/** The last day of 9999, in seconds since 1970: a file may claim any time. */
const LAST = 253_402_214_400;

/** A date whose fields in UTC are those of the zone. */
function inZone(unixSeconds: number, zone: Zone): Date {
  const date = new Date(Math.min(unixSeconds, LAST) * 1_000);
  return zone === "UTC" ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
}

/** `4 Oct`: dates are in English, as the pages are. */
export function day(unixSeconds: number, zone?: Zone): string {
  const date = inZone(unixSeconds, zone);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""}`;
}

/** `Fri 4 Oct`. */
export function weekday(unixSeconds: number, zone?: Zone): string {
  return `${DAYS[inZone(unixSeconds, zone).getUTCDay()] ?? ""} ${day(unixSeconds, zone)}`;
}

/** `17:03`. */
export function minute(unixSeconds: number, zone?: Zone): string {
  return inZone(unixSeconds, zone).toISOString().slice(11, 16);
}

/** `4 Oct 2026, 17:03:58`, in the reader's own zone. */
export function moment(unixMicroseconds: number): string {
  const seconds = unixMicroseconds / 1e6;
  const date = inZone(seconds, undefined);
  return `${day(seconds)} ${date.getUTCFullYear()}, ${date.toISOString().slice(11, 19)}`;
}

/** The same in a list, where the year is left out if it is this one. */
export function shortMoment(unixMicroseconds: number): string {
  return moment(unixMicroseconds).replace(` ${new Date().getFullYear()},`, ",");
}

/** Name of a metric, for headings. */
export function metricTitle(metric: MetricName, unit: Unit): string {
  switch (metric) {
    case "wall":
      return unit === "samples" ? "Samples" : "Wall time";
    case "cpu":
      return "CPU time";
    case "memory":
      return "Memory";
    case "peak":
      return "Peak memory";
    case "calls":
      return "Calls";
  }
}

/** The same for a box of a graph, whose width cannot be less than nothing: freed memory is not subtracted. */
export function graphMetricTitle(metric: MetricName, unit: Unit): string {
  switch (metric) {
    case "memory":
      return "Memory allocated";
    case "peak":
      return "Growth of the peak";
    default:
      return metricTitle(metric, unit);
  }
}

/** The same for a function, or for the whole: what is left when it returns. */
export function totalMetricTitle(metric: MetricName, unit: Unit): string {
  switch (metric) {
    case "memory":
      return "Memory kept";
    case "peak":
      return "Growth of the peak";
    default:
      return metricTitle(metric, unit);
  }
}

/** What the numbers of a metric of memory add up; nothing to say of others. */
export function metricNote(metric: MetricName): string {
  switch (metric) {
    case "memory":
      return "Allocated: what calls added, without what was freed. Kept: what was not freed when a call returned.";
    case "peak":
      return "How much calls raised the largest memory in use.";
    default:
      return "";
  }
}

/**
 * At most so many letters of a name, the middle left out: the end of a name
 * tells functions of one namespace apart.
 */
export function middle(name: string, most: number): string {
  const letters =
    name.length > most * 4 ? Array.from(name.slice(0, most * 2) + name.slice(-most * 2)) : Array.from(name);
  if (letters.length <= most) return letters.join("");
  const tail = Math.floor((most - 1) * 0.6);
  const head = most - 1 - tail;
  return `${letters.slice(0, head).join("")}…${tail > 0 ? letters.slice(-tail).join("") : ""}`;
}
