import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { address, condition, filter, functionAddress, routeAddress } from "./filter";
import { valueOf } from "./terms";

test("a value with blanks is quoted, as the server reads it", () => {
  expect(condition("release", "4.7.0")).toBe("release:4.7.0");
  expect(condition("route", "GET /a b")).toBe('route:"GET /a b"');
  expect(condition("release", "")).toBe('release:""');
  expect(filter("app:shop", "", "route:/")).toBe("app:shop route:/");
});

test("addresses leave out what is empty, and escape the rest", () => {
  expect(address("/compare")).toBe("/compare");
  expect(address("/compare", { before: "a&b", after: "" })).toBe("/compare?before=a%26b");
  expect(routeAddress("shop", "/a b")).toBe("/route?q=app%3Ashop+route%3A%22%2Fa+b%22");
  expect(functionAddress("A::b", "")).toBe("/function?name=A%3A%3Ab");
});

test("conditions are written as the server writes them, and read again", () => {
  // The cases that crates/serve/src/filter.rs reads, too.
  const path = new URL("../../../crates/serve/tests/filter-cases.json", import.meta.url);
  const cases = JSON.parse(readFileSync(path, "utf8")) as [string, string, string][];
  for (const [key, value, written] of cases) {
    expect(condition(key, value)).toBe(written);
    expect(valueOf(written, key)).toBe(value);
  }
});
