import { describe, expect, it } from "vitest";
import { ALL, isAll, moved, transform, zoomed } from "./viewport";

describe("the part of a flame graph in the window", () => {
  it("is zoomed around the mouse and stays inside", () => {
    const half = zoomed(ALL, 0.5, 0.25);
    expect(half).toEqual({ from: 0.125, to: 0.625 });
    expect(zoomed(half, 2, 0.25)).toEqual(ALL);
    expect(zoomed(half, 100, 0)).toEqual(ALL);
    expect(isAll(ALL)).toBe(true);
    expect(isAll(half)).toBe(false);
    const deep = Array.from({ length: 500 }).reduce<typeof ALL>((view) => zoomed(view, 0.5, 0.3), ALL);
    expect(deep.to).toBeGreaterThan(deep.from);
  });

  it("is moved up to the edges", () => {
    expect(moved({ from: 0.25, to: 0.5 }, 0.5)).toEqual({ from: 0.375, to: 0.625 });
    const end = moved({ from: 0.2, to: 0.4 }, 100);
    expect(end.to).toBeCloseTo(1);
    expect(end.from).toBeCloseTo(0.8);
    expect(moved(ALL, -1)).toEqual(ALL);
  });

  it("puts an answer where it belongs, also one of another part", () => {
    const same = transform({ from: 0.2, to: 0.4 }, 1_000, { from: 0.2, to: 0.4 }, 500);
    expect(same.scale).toBeCloseTo(0.5);
    expect(same.shift).toBeCloseTo(0);
    const zoom = transform(ALL, 1_000, { from: 0.25, to: 0.5 }, 1_000);
    expect(250 * zoom.scale + zoom.shift).toBeCloseTo(0);
    expect(500 * zoom.scale + zoom.shift).toBeCloseTo(1_000);
  });
});
