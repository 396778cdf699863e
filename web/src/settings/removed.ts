/** What a policy would remove, in a sentence. */
import type { Removed } from "../api/generated";
import * as format from "../format";

export function removedWords(removed: Removed, would: string): string {
  const sums = removed.cells === 0 ? "" : `${format.counted(removed.cells, "hour")} of sums`;
  if (removed.runs === 0) return sums === "" ? `${would} nothing now.` : `${would} no run now, and ${sums}.`;
  const reasons = [
    [removed.by_age, "too old"],
    [removed.by_count, "too many"],
    [removed.by_size, "for their size"],
  ] as const;
  const told = reasons.filter(([count]) => count > 0).map(([count, why]) => `${format.count(count)} ${why}`);
  const runs = `${format.counted(removed.runs, "run")} of ${format.bytes(removed.bytes)} now`;
  return `${would} ${runs} (${told.join(", ")})${sums === "" ? "" : `, and ${sums}`}.`;
}
