import { describe, expect, it } from "vitest";
import type { Costs } from "../types";
import { knownCost } from "./knownCost";

const NOTHING: Costs = { calls: 0, wall: 0, cpu: 0, memory: 0, peak: 0 };
const line = (own: number, callees: number) => ({
  line: 1,
  own: { ...NOTHING, wall: own },
  callees: { ...NOTHING, wall: callees },
  function: 0,
});

describe("the cost of lines", () => {
  it("is their own where it is known, else that of their callees", () => {
    expect(knownCost([line(0, 7), line(2, 0)], "wall")).toBe("own");
    expect(knownCost([line(0, 7), line(0, 9)], "wall")).toBe("callees");
    expect(knownCost([], "wall")).toBe("callees");
  });
});
