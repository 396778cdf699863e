import { describe, expect, it } from "vitest";
import type { Flame } from "../types";
import { Boxes, NONE } from "./boxes";

/** `[parent, row, left, right, name]` of each box; a name of -1 stands for joined boxes. */
function flame(
  list: readonly (readonly [number, number, number, number, number])[],
  found: readonly number[] = [],
): Flame {
  const column = (at: number): number[] => list.map((box) => box[at] ?? 0);
  const most = Math.max(...column(4));
  return {
    zoom: { total: 100, value: 100 },
    view: { from: 0, to: 1 },
    width: 100,
    depth: Math.max(...column(1)),
    truncated: false,
    names: Array.from({ length: most + 1 }, (_, at) => ({
      function: at * 10,
      name: `f${at}`,
      origin: "user",
      class: 0,
      colour: 0,
      found: found.includes(at),
    })),
    boxes: {
      parent: column(0),
      row: column(1),
      left: column(2),
      right: column(3),
      name: column(4),
      value: column(3),
      base: [],
      own: column(2),
      calls: column(3),
      joined: list.map((box) => (box[4] < 0 ? 7 : 1)),
      first: list.map(() => 0),
    },
  };
}

// The engine's order: a parent before its children, the last sibling opened first.
const boxes = new Boxes(
  flame(
    [
      [0, 0, 0, 100, 0],
      [0, 1, 0, 60, 1],
      [0, 1, 60, 100, 2],
      [2, 2, 60, 90, 1],
      [2, 2, 90, 100, -1],
      [1, 2, 0, 20, 3],
    ],
    [1],
  ),
);

describe("boxes", () => {
  it("are hit by row and place", () => {
    expect(boxes.at(1, 59)).toBe(1);
    expect(boxes.at(1, 61)).toBe(2);
    expect(boxes.at(2, 40)).toBe(NONE);
    expect(boxes.at(9, 40)).toBe(NONE);
  });

  it("are walked in every direction", () => {
    expect(boxes.parent(0)).toBe(NONE);
    expect(boxes.parent(5)).toBe(1);
    expect(boxes.beside(1, 1)).toBe(2);
    expect(boxes.beside(2, 1)).toBe(NONE);
    expect(boxes.costliestChild(2)).toBe(3);
    expect(boxes.costliestChild(5)).toBe(NONE);
  });

  it("have a path, by which they are found again", () => {
    expect(boxes.path(3)).toEqual([20, 10]);
    expect(boxes.find([20, 10])).toBe(3);
    expect(boxes.find([])).toBe(0);
    expect(boxes.find([30])).toBe(NONE);
    expect(boxes.path(4)).toBeNull();
    expect(boxes.name(4)).toBe("7 more");
  });

  it("are read callers first, and matches in that order", () => {
    expect(boxes.inOrder()).toEqual([0, 1, 5, 2, 3, 4]);
    expect(boxes.found()).toEqual([1, 3]);
  });

  it("skip a tower of wrappers, also of one that is all there is", () => {
    const tower = Array.from(
      { length: 2_000 },
      (_, at) => [Math.max(0, at - 1), at, 0, at < 1_990 ? 100 : 50, at] as const,
    );
    expect(new Boxes(flame(tower)).firstInterestingRow(100)).toBe(1_989);
    expect(new Boxes(flame(tower.slice(0, 50))).firstInterestingRow(100)).toBe(0);
    expect(new Boxes(flame(tower)).inOrder()).toHaveLength(2_000);
  });

  it("are one for a tower of recursion, which keeps its path", () => {
    const list = Array.from({ length: 2_000 }, (_, at) => [Math.max(0, at - 1), at, 0, 100, at === 0 ? 0 : 1] as const);
    const recursion = new Boxes(flame([...list, [1_999, 2_000, 0, 60, 2], [1_999, 2_000, 60, 100, 3]]));
    expect(recursion.rows.map((row) => row.length)).toEqual([1, 1, 2]);
    expect(recursion.levels(1)).toBe(1_999);
    expect(recursion.levels(0)).toBe(1);
    expect(recursion.children(1)).toEqual([2_000, 2_001]);
    expect(recursion.parent(2_000)).toBe(1);
    const path = recursion.path(2_000);
    expect(path).toHaveLength(2_000);
    expect(recursion.find(path ?? [])).toBe(2_000);
    expect(recursion.find((path ?? []).slice(0, 700))).toBe(1);
  });

  it("are one for functions that call each other in turn", () => {
    // f0, then f1 f2 f1 f2 …, which ends with an f1 that calls two others; what is narrow beside stays below.
    const list = Array.from(
      { length: 2_000 },
      (_, at) => [Math.max(0, at - 1), at, 0, 100, at === 0 ? 0 : 2 - (at % 2)] as const,
    );
    const turns = new Boxes(
      flame([...list, [1_999, 2_000, 0, 60, 3], [1_999, 2_000, 60, 100, 4], [900, 901, 99, 100, 5]], [2]),
    );
    expect(turns.rows).toEqual([[0], [1], [1_999, 2_002], [2_000, 2_001]]);
    expect([turns.name(1), turns.levels(1), turns.fn(1)]).toEqual(["f1 → f2", 999, 10]);
    expect(turns.found()).toEqual([1]);
    expect(turns.find((turns.path(2_000) ?? []).slice(0, 900))).toBe(1);
    expect(turns.find(turns.path(2_000) ?? [])).toBe(2_000);
    // Three rounds are no tower.
    expect(new Boxes(flame(list.slice(0, 7))).rows).toHaveLength(7);
  });

  it("stay apart where recursion does other things, too", () => {
    const list = Array.from({ length: 10 }, (_, at) => [Math.max(0, at - 1), at, 0, 100 - at * 5, 1] as const);
    expect(new Boxes(flame(list)).rows).toHaveLength(10);
  });
});
