import { expect, test } from "vitest";
import { placeAfterLogin } from "./next";

const at = (next: string): string =>
  placeAfterLogin(`?next=${encodeURIComponent(next)}`, "https://profiler.example.com");

test("a login leads back to the address that asked for it", () => {
  expect(at("/compare?before=a%3Ab&after=c#d")).toBe("/compare?before=a%3Ab&after=c#d");
  expect(placeAfterLogin("", "https://profiler.example.com")).toBe("/");
});

test("a login leads to no other server, and to no script", () => {
  for (const next of [
    "//evil.example.com",
    "/\\evil.example.com",
    "https://evil.example.com/",
    "javascript:alert(1)",
    "x",
  ])
    expect(at(next)).toBe("/");
  expect(at("/login?next=/x")).toBe("/");
});
