/** What a finding says beside the server's sentence. The numbers are those of the server. */
import type { Found, FoundFigures, FoundPlace, Measure } from "../api/generated";
import { signed } from "../compare/words";
import * as format from "../format";

/** The figure that changed, of one side. */
export function figureText(measure: Measure, figures: FoundFigures): string {
  switch (measure) {
    case "wall":
    case "own":
      return format.time(figures.time);
    case "memory":
    case "peak":
      return format.bytes(figures.memory);
    case "calls":
      return figures.calls === 0 ? "never" : `${format.counted(figures.calls, "call")}, ${format.time(figures.time)}`;
  }
}

/** What it adds to a run. */
export function costText(found: Found, place: FoundPlace): string {
  return signed(place.cost, found.is_memory ? format.bytes : format.time);
}

/** The same as a share of the time of a run before, or of its peak. */
export function shareText(place: FoundPlace): string {
  return format.change(place.share);
}

/** What the figures of the columns Before and After are. */
export function measureTitle(measure: Measure): string {
  switch (measure) {
    case "wall":
      return "wall time";
    case "own":
      return "self time";
    case "calls":
      return "calls and their time";
    case "memory":
      return "memory of its own code";
    case "peak":
      return "peak memory, mean";
  }
}

export function sureness(found: Found): "sure" | "likely" {
  return found.is_provisional ? "likely" : "sure";
}

/** A path with its middle left out: the root, and the functions near the cause. */
export function shortPath(path: readonly string[], most = 5): readonly (string | null)[] {
  const [root] = path;
  if (root === undefined || path.length <= most) return path;
  return [root, null, ...path.slice(-(most - 1))];
}
