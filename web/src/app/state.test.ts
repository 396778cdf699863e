import { describe, expect, it } from "vitest";
import { changed, fromFragment, START, toFragment, type ViewState } from "./state";

describe("the address", () => {
  it("is short for the start", () => {
    expect(toFragment(START)).toBe("v1/overview");
    expect(fromFragment("#v1/overview")).toEqual(START);
  });

  it("holds every part of a state", () => {
    const state: ViewState = {
      page: "function",
      metric: "peak",
      range: { from: 0, to: 9_007_199_254_740_991 },
      estimate: true,
      search: 'a&b=c#"<script>é',
      arrangement: "inverted",
      zoom: [7, 8, 8, 8, 9],
      selected: [],
      joined: 0,
      half: "callees",
      view: { from: 0.25, to: 0.5 },
      colouring: "calls",
      upwards: true,
      asText: true,
      fn: 0,
      file: 3,
      spanOrder: "calls",
      filter: "PDO::",
      origins: ["user", "other"],
      only: [0, 7],
      hidden: [3],
      collapsed: [9, 2],
      sort: { by: "perCall", metric: "cpu" },
      ascending: true,
      columns: [],
      top: 1_200,
      row: 0,
      level: 40,
      groups: 3,
      hints: true,
      guess: true,
      threshold: 0.5,
      size: 1.25,
      call: { row: 3, start: 123_456_789 },
      part: { from: 3, to: 4 },
    };
    for (const key of Object.keys(state) as (keyof ViewState)[]) {
      expect(state[key], key).not.toEqual(START[key]);
    }
    expect(fromFragment(toFragment(state))).toEqual(state);
  });

  it("shows another table from its first row", () => {
    const state: ViewState = { ...START, page: "functions", filter: "a", top: 50, row: 52, groups: 2 };
    expect(changed(state, { page: "functions", filter: "a", search: "b" })).toEqual({ ...state, search: "b" });
    for (const change of [
      { page: "compare" },
      { filter: "b" },
      { sort: { by: "name" } },
      { range: { from: 0, to: 1 } },
    ] as const) {
      expect(changed(state, change)).toEqual({ ...state, ...change, top: 0, row: null, groups: 1 });
    }
  });

  it("shows another graph from where it begins", () => {
    const state: ViewState = { ...START, page: "flame", zoom: [1], level: 50 };
    expect(changed(state, { selected: [1, 2], view: null, zoom: state.zoom })).toEqual({ ...state, selected: [1, 2] });
    for (const change of [
      { page: "time" },
      { zoom: [] },
      { arrangement: "inverted" },
      { range: { from: 0, to: 1 } },
    ] as const) {
      expect(changed(state, change).level).toBe(null);
    }
  });

  it("keeps recursion short", () => {
    const zoom = Array.from({ length: 2_000 }, () => 5);
    const text = toFragment({ ...START, page: "flame", zoom });
    expect(text).toBe("v1/flame?zoom=5*2000");
    expect(fromFragment(text).zoom).toEqual(zoom);
  });

  it("opens what is damaged as far as it is understood", () => {
    expect(fromFragment("")).toEqual(START);
    expect(fromFragment("#v9/flame")).toEqual(START);
    expect(fromFragment("#v1/nonsense?metric=wall")).toEqual({ ...START, metric: "wall" });
    const damaged = fromFragment("#v1/flame?zoom=1.x&range=9-3&fn=-1&sort=own.nothing&least=abc&box=5*99999999");
    expect(damaged).toEqual({ ...START, page: "flame" });
    expect(fromFragment("#v1/graph?least=1e9").threshold).toBe(100);
  });
});
