import { describe, expect, it } from "vitest";
import { keptSteps } from "./keptSteps";

describe("the steps of a path", () => {
  it("are all shown if there is room", () => {
    expect(keptSteps([true, false, false], 3)).toEqual([0, 1, 2]);
  });

  it("never lose the program's own code, however long the path is", () => {
    const isOwn = [false, true, false, false, true, false, false, false];
    expect(keptSteps(isOwn, 5)).toEqual([0, 1, 4, 6, 7]);
    expect(
      keptSteps(
        Array.from({ length: 40 }, () => true),
        5,
      ),
    ).toHaveLength(40);
  });
});
