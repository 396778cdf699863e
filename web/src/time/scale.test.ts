import { describe, expect, it } from "vitest";
import { marks, moved, timeOf, xOf, zoomed } from "./scale";

const scale = { part: { from: 1_000, to: 3_000 }, width: 200 };

describe("time on the screen", () => {
  it("goes to pixels and back", () => {
    expect(xOf(scale, 2_000)).toBe(100);
    expect(timeOf(scale, 100)).toBe(2_000);
    expect(timeOf(scale, -50)).toBe(1_000);
    expect(timeOf(scale, 999)).toBe(3_000);
  });

  it("keeps what is under the pointer there while zooming", () => {
    expect(zoomed(scale.part, 10_000, 0.5, 1_500)).toEqual({ from: 1_250, to: 2_250 });
  });

  it("never leaves the profile", () => {
    expect(zoomed(scale.part, 2_500, 100, 2_000)).toEqual({ from: 0, to: 2_500 });
    expect(moved(scale.part, 3_500, 10)).toEqual({ from: 1_500, to: 3_500 });
    expect(moved(scale.part, 3_500, -10)).toEqual({ from: 0, to: 2_000 });
    const tiny = zoomed({ from: 5, to: 6 }, 10, 0.01, 5);
    expect(tiny.to).toBeGreaterThan(tiny.from);
  });

  it("has round marks", () => {
    expect(marks(scale)).toEqual([2_000]);
    expect(marks({ part: { from: 0, to: 1_000_000 }, width: 1_000 })).toEqual([
      0, 200_000, 400_000, 600_000, 800_000, 1_000_000,
    ]);
  });
});
