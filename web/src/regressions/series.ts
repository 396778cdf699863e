/** The chart of a finding: what it asks the server, and which of its numbers it draws. */
import type { Found, FunctionOfRuns, Measure, ReleaseInfo, Series } from "../api/generated";
import { address, functionAddress } from "../api/filter";

export interface FindingSeries {
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  readonly marks: readonly { readonly time: number; readonly label: string }[];
}

/** Whether it is about requests rather than about a function. */
function isOfRequests(measure: Measure): boolean {
  return measure === "wall" || measure === "peak";
}

/** The question whose answer is drawn; none if there is nothing to draw. */
export function seriesPath(found: Found): string | null {
  if (isOfRequests(found.measure)) return address("/api/v1/series", { q: found.filter, step: "day" });
  if (found.function === null) return null;
  return `/api/v1/pages${functionAddress(found.function, found.filter)}`;
}

export function seriesOf(found: Found, answer: Series | FunctionOfRuns): FindingSeries {
  return "points" in answer ? ofRequests(found.measure, answer) : ofFunction(found.measure, answer);
}

function ofRequests(measure: Measure, { points, releases }: Series): FindingSeries {
  const lines =
    measure === "peak"
      ? [{ label: "peak memory, mean", values: points.map(({ peak }) => peak) }]
      : [
          { label: "p50", values: points.map(({ p50 }) => p50) },
          { label: "p95", values: points.map(({ p95 }) => p95) },
        ];
  return { times: points.map(({ time_s }) => time_s), lines, marks: marksOf(releases) };
}

function ofFunction(measure: Measure, { days, releases }: FunctionOfRuns): FindingSeries {
  // On the day of a release there is a row for each of both; that with more runs stands for the day.
  const ofDay = new Map<number, FunctionOfRuns["days"][number]>();
  for (const day of days) if (day.runs > (ofDay.get(day.time_s)?.runs ?? -1)) ofDay.set(day.time_s, day);
  const rows = [...ofDay.values()].sort((one, other) => one.time_s - other.time_s);
  const value = ({ per_run }: FunctionOfRuns["days"][number]): number =>
    measure === "calls" ? per_run.calls : measure === "memory" ? per_run.own_memory : per_run.own;
  const label = measure === "calls" ? "calls a run" : measure === "memory" ? "memory of its own code" : "self time";
  return {
    times: rows.map(({ time_s }) => time_s),
    lines: [{ label, values: rows.map(value) }],
    marks: marksOf(releases),
  };
}

function marksOf(releases: readonly ReleaseInfo[]): FindingSeries["marks"] {
  return releases
    .filter(({ release }) => release !== "")
    .map(({ first_s, release }) => ({ time: first_s, label: release }));
}
