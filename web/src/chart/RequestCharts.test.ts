import { expect, test } from "vitest";
import type { ReleaseInfo } from "../api/generated";
import { inRange, marksOf } from "./RequestCharts";

const release = (app: string, name: string, first_s: number): ReleaseInfo => ({
  app,
  release: name,
  first_s,
  last_s: first_s,
  runs: 1,
});

test("the mark of a release names its application where a chart has several", () => {
  const two = [release("shop", "2.0", 90), release("blog", "2.0", 50), release("shop", "1.0", 10)];
  expect(marksOf(two, [20, 100])).toEqual([
    { time: 50, label: "blog 2.0" },
    { time: 90, label: "shop 2.0" },
  ]);
  expect(marksOf([release("shop", "2.0", 90)], [20, 100])).toEqual([{ time: 90, label: "2.0" }]);
});

test("a range takes the place of another, and of nothing that is quoted", () => {
  expect(inRange('app:shop since:7d route:"x since:y"', 86_400, 90_000)).toBe(
    'app:shop route:"x since:y" since:1970-01-02T00:00:00Z until:1970-01-02T01:00:00Z',
  );
});

test("a dragged range is the whole hours around it", () => {
  expect(inRange("", 86_500, 90_100)).toBe("since:1970-01-02T00:00:00Z until:1970-01-02T02:00:00Z");
});

test("a release of the last day stands at the day's point, where the chart ends", () => {
  expect(marksOf([release("shop", "2.0", 103)], [20, 100])).toEqual([{ time: 100, label: "2.0" }]);
});
