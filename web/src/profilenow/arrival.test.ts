import { expect, test } from "vitest";
import type { RunInfo } from "../api/generated";
import { addressOf, arrived, bookmarkOf, pathOf, runOf } from "./arrival";

const run = (id: string, title: string): RunInfo => ({ id, title }) as RunInfo;

test("the path of a title, with and without method, host and query", () => {
  for (const title of ["/cart", "/cart?a=1", "GET /cart", "https://shop.example.com/cart?a=1", "POST https://x/cart"])
    expect(pathOf(title), title).toBe("/cart");
  for (const title of ["", "shop.php", "bin/console"]) expect(pathOf(title), title).toBeNull();
});

test("the run of the address is found among others, and the first of two", () => {
  const runs = [run("3", "/cart?b=1"), run("2", "GET /cart"), run("1", "/")];
  const url = new URL("https://shop.example.com/cart?x=9");
  expect(runOf(url, runs)?.id).toBe("2");
  expect(runOf(new URL("https://shop.example.com/other"), runs)).toBeNull();
});

test("runs that were there before did not arrive", () => {
  const runs = [run("2", "/"), run("1", "/")];
  expect(arrived(runs, new Set(["1"])).map(({ id }) => id)).toEqual(["2"]);
});

test("only addresses of HTTP are taken", () => {
  expect(addressOf("https://shop.example.com/cart")?.pathname).toBe("/cart");
  for (const text of ["", "/cart", "javascript:alert(1)", "shop.example.com"]) expect(addressOf(text)).toBeNull();
});

test("the bookmark opens the page for the address that it is clicked on", () => {
  const opened: string[] = [];
  const code = bookmarkOf("https://xhprof.example.com").replace("javascript:", "return ");
  new Function("open", "location", code)((url: string) => opened.push(url), {
    href: "https://shop.example.com/?a=b&c",
  });
  expect(opened).toEqual(["https://xhprof.example.com/profile-now?url=https%3A%2F%2Fshop.example.com%2F%3Fa%3Db%26c"]);
});
