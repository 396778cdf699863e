import { describe, expect, it } from "vitest";
import { firstAsked, scrollToRow, scrollToTop, TALLEST, windowOf } from "./windowing";

describe("a long list", () => {
  it("draws the rows in view and no others", () => {
    expect(windowOf(0, 100, 20, 1_000)).toEqual({ height: 20_000, first: 0, end: 6, top: 0 });
    expect(windowOf(210, 100, 20, 1_000)).toEqual({ height: 20_000, first: 10, end: 16, top: 200 });
    expect(windowOf(0, 100, 20, 3)).toMatchObject({ height: 60, first: 0, end: 3 });
    expect(windowOf(0, 100, 20, 0)).toMatchObject({ height: 0, first: 0, end: 0 });
  });

  it("begins again with the row that was the first in view", () => {
    for (const rows of [1_000, 2_000_000]) {
      for (const row of [0, 1, 500, rows - 30]) {
        const top = scrollToTop(row, 600, 24, rows);
        expect(Math.abs(windowOf(top, 600, 24, rows).first - row)).toBeLessThanOrEqual(rows > 1_000 ? 1 : 0);
      }
    }
    expect([0, 99, 100, 250].map((row) => firstAsked(row, 100))).toEqual([0, 0, 0, 100]);
  });

  it("stays at the end when it becomes shorter", () => {
    expect(windowOf(19_900, 100, 20, 10)).toMatchObject({ first: 5, end: 10 });
  });

  it("reaches both ends of a list taller than a browser scrolls", () => {
    const rows = 2_000_000;
    expect(windowOf(0, 600, 24, rows).first).toBe(0);
    const last = windowOf(TALLEST - 600, 600, 24, rows);
    expect(last.height).toBe(TALLEST);
    expect(last.end).toBe(rows);
    // The last row's bottom stands at the bottom of the window.
    expect(last.top + (rows - last.first) * 24).toBeCloseTo(TALLEST, 3);
  });

  it("brings a row into view by the shortest way", () => {
    expect(scrollToRow(5, 0, 200, 20, 100)).toBe(0);
    expect(scrollToRow(50, 0, 200, 20, 100)).toBe(51 * 20 - 200);
    expect(scrollToRow(2, 500, 200, 20, 100)).toBe(40);
    const rows = 2_000_000;
    const at = scrollToRow(rows - 1, 0, 600, 24, rows);
    expect(windowOf(at, 600, 24, rows).end).toBe(rows);
  });
});
