import { expect, test } from "vitest";
import { causeWords, changeWords, noRowsWords, runsWords, signed, surenessWord } from "./words";
import * as format from "../format";

const cause = (calls_before: number, calls_after: number) => ({
  caller: "list",
  function: "average",
  calls_before,
  calls_after,
  change: 1,
  functions: [],
});

test("a call is new, gone, or made more or less often", () => {
  expect(causeWords(cause(0, 24))).toBe("a new call, 24 times a run");
  expect(causeWords(cause(1, 0))).toBe("no longer called, before once a run");
  expect(causeWords(cause(3, 27.5))).toBe("called more often: 27.5 times a run, before 3 times");
  expect(causeWords(cause(3, 1))).toBe("called less often: once a run, before 3 times");
});

test("too few runs is said as such, and not as no change", () => {
  expect(noRowsWords("judged")).toContain("No function changed");
  expect(noRowsWords("too_few_runs")).toContain("not known");
  expect(noRowsWords("too_few_runs")).not.toContain("No function changed");
  expect(surenessWord("unknown")).toBe("too few runs");
  expect(changeWords(0.41, "unknown")).toMatch(/^\+41\.0.%, too few runs$/);
  expect(changeWords(null, "unknown")).toBe("too few runs");
});

test("changes have their sign", () => {
  expect(changeWords(0.412, "worse")).toMatch(/^\+41\.2.%$/);
  expect(changeWords(null, "worse")).toBe("new");
  expect(signed(1e6, format.time)).toMatch(/^\+1\.00.ms$/);
  expect(signed(-1e6, format.time)).toMatch(/^−1\.00.ms$/);
  expect(signed(0, format.time)).toBe("0");
});

test("the runs of both sides", () => {
  expect(runsWords([18, 14])).toBe("18 and 14 runs");
  expect(runsWords([1, 1])).toBe("1 run on each side");
  expect(runsWords([1200, 1200])).toBe("1,200 runs on each side");
});
