import { expect, test } from "vitest";
import { sidesOf } from "./sides";

test("what both filters have is said once", () => {
  expect(sidesOf("app:shop release:1", "release:2 app:shop")).toEqual({
    shared: "app:shop",
    before: "release:1",
    after: "release:2",
    isSame: false,
  });
  expect(sidesOf("app:shop", "app:shop release:2")).toEqual({
    shared: "app:shop",
    before: "all runs",
    after: "release:2",
    isSame: false,
  });
});

test("the same filter is the same in any order", () => {
  const sides = sidesOf("app:shop release:1", "release:1 app:shop");
  expect(sides.isSame).toBe(true);
  expect(sides.shared).toBe("app:shop release:1");
});
