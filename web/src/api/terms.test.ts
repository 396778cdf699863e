import { expect, test } from "vitest";
import { keptTerms, terms, valueOf, withValue } from "./terms";

const Q = 'app:shop route:"/a b" wall:>200ms free since:7d';

test("conditions are told apart, and quotation marks hold blanks together", () => {
  expect(terms(Q)).toEqual(["app:shop", 'route:"/a b"', "wall:>200ms", "free", "since:7d"]);
  expect(terms("")).toEqual([]);
  expect(terms('route:"/open')).toEqual(['route:"/open']);
});

test("a condition is read, replaced and removed", () => {
  expect(valueOf(Q, "route")).toBe("/a b");
  expect(valueOf(Q, "release")).toBeNull();
  expect(valueOf("started:10:30", "started")).toBe("10:30");
  expect(withValue(Q, "app", "wiki")).toBe('route:"/a b" wall:>200ms free since:7d app:wiki');
  expect(withValue("app:a app:b", "app", null)).toBe("");
  expect(withValue("", "route", "/x y")).toBe('route:"/x y"');
});

test("another page keeps what is chosen in the head", () => {
  expect(keptTerms(Q)).toBe("app:shop since:7d");
});
