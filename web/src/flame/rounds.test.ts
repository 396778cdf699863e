import { describe, expect, it } from "vitest";
import { roundsAt } from "./rounds";

describe("rounds", () => {
  it("are found for one function and for several in turn, and take most of the chain", () => {
    expect(roundsAt([1, 2, 2, 2, 2, 3], 1, 4)).toEqual({ length: 1, rounds: 4 });
    expect(roundsAt([1, 2, 1, 2, 1, 2, 1], 0, 2)).toEqual({ length: 2, rounds: 3 });
    expect(roundsAt([1, 1, 2, 1, 1, 2, 1, 1, 2], 0, 2)).toEqual({ length: 3, rounds: 3 });
  });

  it("are none where nothing comes again often enough", () => {
    expect(roundsAt([1, 2, 3], 0, 2)).toEqual({ length: 1, rounds: 1 });
    expect(roundsAt([1, 2, 1, 2], 0, 4)).toEqual({ length: 1, rounds: 1 });
    expect(roundsAt([1], 0, 2)).toEqual({ length: 1, rounds: 1 });
  });
});
