import { expect, test } from "vitest";
import { momentOf, zoneOf } from "./Chart";

const DAY = 86_400;

test("a day is that of the sums, in each reader's calendar", () => {
  expect(zoneOf([20_000 * DAY, 20_001 * DAY])).toBe("UTC");
  expect(momentOf(20_000 * DAY, "UTC")).toMatch(/\b4\b/);
});

test("hours are those of the reader's calendar", () => {
  expect(zoneOf([20_000 * DAY, 20_000 * DAY + 3600])).toBeUndefined();
});
