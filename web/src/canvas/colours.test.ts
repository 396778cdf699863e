import { describe, expect, it } from "vitest";
import type { Flame } from "../types";
import { boxFills, changeOf, classOf, ink, legend, codeFill, spanFill } from "./colours";
import { COLOURINGS } from "../app/state";

/** Relative luminance, as WCAG defines it. */
function luminance(colour: string): number {
  const [r, g, b] = rgb(colour).map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

function rgb(colour: string): number[] {
  if (colour.startsWith("#")) return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [h = 0, s = 0, l = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const chroma = (s / 100) * Math.min(l / 100, 1 - l / 100);
  return [0, 8, 4].map((n) => {
    const k = (n + h / 30) % 12;
    return l / 100 - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const names = Array.from({ length: 200 }, (_, at) => ({
  function: at,
  name: `Class${at}::run`,
  origin: "user" as const,
  class: at % 7,
  colour: at % 45,
  found: at % 2 === 0,
}));
const flame: Flame = {
  zoom: { total: 200, value: 200 },
  view: { from: 0, to: 1 },
  width: 200,
  depth: 1,
  truncated: false,
  names,
  boxes: {
    parent: names.map(() => 0),
    row: names.map(() => 1),
    left: names.map((_, at) => at),
    right: names.map((_, at) => at + 1),
    name: names.map((_, at) => at),
    value: names.map((_, at) => at),
    base: names.map((_, at) => 200 - at),
    own: names.map((_, at) => at),
    calls: names.map((_, at) => at * at),
    joined: names.map(() => 1),
    first: names.map(() => 0),
  },
};

describe("colours", () => {
  it("leave text readable on every box", () => {
    for (const isDark of [false, true]) {
      const { text } = ink(isDark);
      for (const colouring of COLOURINGS) {
        for (const isSearching of [false, true]) {
          const fills = boxFills(flame, colouring, isSearching, isDark);
          for (let at = 0; at < names.length; at += 1) {
            expect(contrast(fills(at), text), `${colouring} ${fills(at)}`).toBeGreaterThanOrEqual(4.5);
          }
        }
        for (const { fill } of legend(colouring, isDark)) expect(contrast(fill, text)).toBeGreaterThanOrEqual(4.5);
      }
      for (const kind of ["sql", "http", "stream", "redis", "memcached", "other"]) {
        expect(contrast(spanFill(kind, isDark), text), kind).toBeGreaterThanOrEqual(4.5);
      }
      for (const colour of [ink(isDark).muted, ink(isDark).accent]) {
        expect(contrast(colour, ink(isDark).paper)).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  it("tell more from less, and origins from each other", () => {
    const fills = boxFills(flame, "difference", false, false);
    expect(fills(0)).not.toBe(fills(199));
    expect(codeFill(0, false)).not.toBe(codeFill(3, false));
    expect(codeFill(0, false)).not.toBe(codeFill(0, true));
    expect(changeOf(0, 10)).toBe(-1);
    expect(changeOf(10, 0)).toBe(1);
    expect(changeOf(0, 0)).toBe(0);
  });

  it("leave out other classes than those that are chosen", () => {
    const fills = boxFills(flame, "origin", false, false, [1]);
    expect(fills(1)).toBe(codeFill(1, false));
    expect(fills(2)).toBe(ink(false).unfound);
  });

  it("group methods by class and functions by namespace", () => {
    expect(classOf("A\\B::run")).toBe("A\\B");
    expect(classOf("A\\b")).toBe("A");
    expect(classOf("strlen")).toBe("");
  });
});
