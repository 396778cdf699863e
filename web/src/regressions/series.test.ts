import { expect, test } from "vitest";
import type { Found, FunctionOfRuns, Series } from "../api/generated";
import { seriesOf, seriesPath } from "./series";

const found = (part: Partial<Found>): Found => ({ filter: "app:shop route:/", function: "A::b", ...part }) as Found;
const releases = [{ app: "shop", release: "2", first_s: 200, last_s: 300, runs: 1 }];

test("a finding of requests asks for the requests, one of a function for the function", () => {
  expect(seriesPath(found({ measure: "peak" }))).toBe("/api/v1/series?q=app%3Ashop+route%3A%2F&step=day");
  expect(seriesPath(found({ measure: "own" }))).toBe("/api/v1/pages/function?name=A%3A%3Ab&q=app%3Ashop+route%3A%2F");
  expect(seriesPath(found({ measure: "own", function: null }))).toBeNull();
});

test("the peak of requests is drawn as the server says it, with the releases", () => {
  const answer = {
    step_s: 100,
    points: [
      { time_s: 100, p50: 1, p95: 2, peak: 7e6 },
      { time_s: 200, p50: 1, p95: 2, peak: null },
    ],
    releases,
  } as unknown as Series;
  expect(seriesOf(found({ measure: "peak" }), answer)).toEqual({
    times: [100, 200],
    lines: [{ label: "peak memory, mean", values: [7e6, null] }],
    marks: [{ time: 200, label: "2" }],
  });
  expect(seriesOf(found({ measure: "wall" }), answer).lines.map(({ label }) => label)).toEqual(["p50", "p95"]);
});

test("a day of two releases is the one with more runs", () => {
  const day = (time_s: number, release: string, runs: number, own: number) => ({
    time_s,
    release,
    runs,
    per_run: { calls: 3, own, wall: 0, own_cpu: 0, own_memory: 9 },
    p50: null,
    p95: null,
  });
  const answer = {
    days: [day(100, "1", 9, 5), day(100, "2", 3, 50), day(200, "2", 8, 60)],
    releases,
  } as unknown as FunctionOfRuns;
  const drawn = (measure: Found["measure"]) => seriesOf(found({ measure }), answer);
  expect(drawn("own")).toMatchObject({ times: [100, 200], lines: [{ values: [5, 60] }] });
  expect(drawn("calls").lines[0]?.values).toEqual([3, 3]);
  expect(drawn("memory").lines[0]?.values).toEqual([9, 9]);
});
