/** Which cost of lines is known. */
import type { MetricName, SourceLines } from "../types";

/** `own` of samples; of traced calls only `callees`: the time between the calls has no line. */
export function knownCost(lines: SourceLines["lines"], metric: MetricName): "own" | "callees" {
  return lines.some((line) => line.own[metric] !== 0) ? "own" : "callees";
}
