import { expect, test } from "vitest";
import { sidesOf } from "./sides";

test("what both filters have is said once", () => {
  expect(sidesOf("app:shop release:1", "release:2 app:shop")).toEqual({
    shared: "app:shop",
    before: "release:1",
    after: "release:2",
  });
  expect(sidesOf("app:shop", "app:shop release:2")).toEqual({
    shared: "app:shop",
    before: "all runs",
    after: "release:2",
  });
});
