import { expect, test } from "vitest";
import type { RunInfo } from "../api/generated";
import { common, telling } from "./columns";

const RUN: RunInfo = {
  id: "1",
  app: "shop",
  route: "/a",
  release: "1",
  title: "GET /a",
  started_us: 1e15,
  host: "",
  method: "GET",
  status: "200",
  failed: false,
  rate: 1,
  unit: "time",
  body: "tree",
  wall: 1e6,
  cpu: null,
  peak: null,
  calls: 3,
  spans: 0,
  sql: 0,
  size: 10,
  label: "",
  tags: [],
};

test("a column in which all rows say the same is hidden, and said once", () => {
  const runs = [RUN, { ...RUN, route: "/b", wall: 2e6 }];
  const shown = telling(runs, "started");
  expect(shown.map(({ title }) => title)).toEqual(["Started", "Route", "Time"]);
  expect(common(runs, shown)).toEqual(["Application shop", "Calls 3", "Method GET", "Status 200", "Release 1"]);
});

test("the column of the order is always there, and one run shows all that it has", () => {
  expect(telling([RUN, RUN], "sql").map(({ title }) => title)).toEqual(["Started", "Time", "SQL"]);
  expect(telling([RUN], "started").map(({ title }) => title)).not.toContain("Host");
  expect(telling([RUN], "started").map(({ title }) => title)).toContain("Release");
});
