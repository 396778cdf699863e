/** A range of time in the filter bar. */
import * as format from "../format";

const DAY = 86_400;

/** Ends as the filter has them: what a chart made of them is a moment, and whole days are those of UTC. */
export function rangeText(since: string, until: string | null): string {
  const [from, to] = [secondsOf(since), secondsOf(until ?? "")];
  if (from !== null && to !== null && from % DAY === 0 && to % DAY === 0 && from < to) {
    const [first, last] = [dayOf(from), dayOf(to - DAY)];
    return first === last ? first : `${first} – ${last}`;
  }
  const text = (value: string, seconds: number | null): string =>
    seconds === null ? value : format.shortMoment(seconds * 1e6).replace(/:00$/, "");
  return `${since === "" ? "…" : text(since, from)} – ${until === null ? "now" : text(until, to)}`;
}

function dayOf(seconds: number): string {
  const year = new Date(seconds * 1_000).getUTCFullYear();
  return format.day(seconds, "UTC") + (year === new Date().getUTCFullYear() ? "" : ` ${year}`);
}

/** Seconds since 1970, or a moment of UTC; what else was typed is said as it is. */
function secondsOf(value: string): number | null {
  if (/^\d{10}$/.test(value)) return Number(value);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(value)) return null;
  const milliseconds = Date.parse(value);
  return Number.isNaN(milliseconds) ? null : milliseconds / 1_000;
}
