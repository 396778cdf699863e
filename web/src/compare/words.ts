/** What a comparison says, in words. The numbers are those of the server. */
import type { Cause, Judgement, Sureness, Verdict } from "../api/generated";
import * as format from "../format";

/** How sure a change is, as the table says it. */
export function surenessWord(sureness: Sureness): string {
  switch (sureness) {
    case "sure":
      return "sure";
    case "likely":
      return "likely";
    case "noise":
      return "within noise";
    case "unknown":
      return "too few runs";
  }
}

/** What happened to a call, in one sentence. */
export function causeWords(cause: Cause): string {
  const { calls_before: before, calls_after: after } = cause;
  if (before === 0) return `a new call, ${times(after)} a run`;
  if (after === 0) return `no longer called, before ${times(before)} a run`;
  return `called ${after > before ? "more" : "less"} often: ${times(after)} a run, before ${times(before)}`;
}

function times(calls: number): string {
  return calls === 1 ? "once" : `${format.count(calls)} times`;
}

/** A cost with its sign. */
export function signed(value: number, text: (value: number) => string): string {
  return value > 0 ? `+${text(value)}` : text(value);
}

/** The change of a figure: what it is, and whether it says something. */
export function changeWords(change: number | null, verdict: Verdict | null): string {
  if (verdict === "unknown") return change === null ? "too few runs" : `${format.change(change)}, too few runs`;
  if (change === null) return verdict === "worse" ? "new" : "";
  return format.change(change);
}

/** What a table says that has no row. */
export function noRowsWords(judged: Judgement): string {
  switch (judged) {
    case "judged":
      return "No function changed by more than noise.";
    case "too_few_runs":
      return "So which functions changed is not known. The differences below may be chance.";
    case "parts_of_days":
      return "The differences below may be chance.";
  }
}

/** Runs of both sides: `18 and 14 runs`. */
export function runsWords([before, after]: readonly [number, number]): string {
  return before === after
    ? `${format.counted(before, "run")} on each side`
    : `${format.count(before)} and ${format.count(after)} runs`;
}
