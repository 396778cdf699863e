import { expect, test } from "vitest";
import { rangeText } from "./range";

test("days of a chart are days", () => {
  expect(rangeText("2025-11-10T00:00:00Z", "2025-11-11T00:00:00Z")).toBe("10 Nov 2025");
  const year = new Date().getUTCFullYear();
  expect(rangeText(`${year}-11-30T00:00:00Z`, `${year}-12-03T00:00:00Z`)).toBe("30 Nov – 2 Dec");
});

test("moments are those of the reader's calendar, as everywhere", () => {
  const text = rangeText("2025-11-08T01:00:00Z", "2025-11-16T04:30:00Z");
  expect(text).toMatch(/^\d+ Nov 2025, \d\d:\d\d – \d+ Nov 2025, \d\d:\d\d$/);
});

test("what was typed is said as it is", () => {
  expect(rangeText("24h", null)).toBe("24h – now");
  expect(rangeText("", "2026-11-10")).toBe("… – 2026-11-10");
  expect(rangeText("2026-13-45T99:00:00Z", null)).toBe("2026-13-45T99:00:00Z – now");
});
