import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, annotations, readList, readReport, type ProfiledFunction, type Report } from "../src/profile";

const code = [
  "<?php",
  "namespace Shop;",
  "final class Cart",
  "{",
  "    public function total(): int",
  "    {",
  "    }",
  "",
  "    private function &sum(array $of): int",
  "    {",
  "        return array_sum(array_map(fn ($one) => $one, $of));",
  "    }",
  "}",
];

function report(...functions: [string, string | undefined, number, number, number][]): Report {
  return {
    title: "GET /cart",
    total: { wall_ns: 1_000_000, calls: 20 },
    functions: functions.map(([name, file, line, own, all]): ProfiledFunction => ({
      name,
      line,
      ...(file === undefined ? {} : { file }),
      self: { wall_ns: own },
      inclusive: { wall_ns: all, calls: 3 },
    })),
  };
}

const at = (of: Report, lines = code, path = "/home/me/shop/src/Cart.php"): [number, string][] =>
  annotations(of, { path, relative: "src/Cart.php", lines }, 0.1).map((one) => [one.line, one.name]);

test("costs stand at the line of the function", () => {
  const found = annotations(
    report(["Shop\\Cart::total", "/home/me/shop/src/Cart.php", 5, 100_000, 250_000]),
    { path: "/home/me/shop/src/Cart.php", relative: "src/Cart.php", lines: code },
    0.1,
  );
  assert.deepEqual(found, [
    {
      line: 4,
      name: "Shop\\Cart::total",
      text: "10 % self · 100 µs of 250 µs · 3 calls",
      share: 0.1,
      details: [
        ["Calls", "3"],
        ["Time", "100 µs self, 250 µs with callees"],
      ],
    },
  ]);
});

test("a file of another machine is found by its path in the workspace", () => {
  const elsewhere = report(
    ["Shop\\Cart::total", "/var/www/html/src/Cart.php", 5, 1, 250_000],
    ["other", "/var/www/html/lib/src/NoCart.php", 5, 1, 250_000],
  );
  assert.deepEqual(at(elsewhere), [[4, "Shop\\Cart::total"]]);
  // The file itself has the first say.
  const both = report(
    ["a::total", "/var/www/html/src/Cart.php", 5, 1, 250_000],
    ["b::total", "/home/me/shop/src/Cart.php", 5, 1, 250_000],
  );
  assert.deepEqual(at(both), [[4, "b::total"]]);
});

test("a function that has moved is found by its name, and one that is gone is not", () => {
  const path = "/home/me/shop/src/Cart.php";
  const of = report(
    ["Shop\\Cart::SUM", path, 6, 1, 250_000],
    ["Shop\\Cart::gone", path, 9, 1, 250_000],
    ["Shop\\Cart::to", path, 5, 1, 250_000],
  );
  assert.deepEqual(at(of), [[8, "Shop\\Cart::SUM"]]);
});

test("closures, files and functions of PHP", () => {
  const path = "/home/me/shop/src/Cart.php";
  const of = report(
    ["Shop\\Cart::{closure:src/Cart.php:11}", path, 11, 1, 2_000],
    ["run_init::src/Cart.php", path, 1, 1, 3_000],
    ["load::src/Cart.php", path, 1, 1, 3_000],
    ["array_sum", undefined, 0, 1, 900_000],
  );
  assert.deepEqual(at(of), [
    [0, "run_init::src/Cart.php"],
    [10, "Shop\\Cart::{closure:src/Cart.php:11}"],
  ]);
});

test("what costs less than the minimum is left out", () => {
  assert.deepEqual(at(report(["total", "/home/me/shop/src/Cart.php", 5, 1, 999])), []);
});

test("names of functions are no regular expressions", () => {
  assert.deepEqual(
    at(
      report(
        ["a(b", "/home/me/shop/src/Cart.php", 5, 1, 9_999],
        ["[truncated]", "/home/me/shop/src/Cart.php", 5, 1, 9_999],
      ),
    ),
    [],
  );
});

test("amounts have three digits and a unit", () => {
  const amounts = [
    amount("wall_ns", 12_345_678),
    amount("cpu_ns", 999),
    amount("memory_bytes", -2_048),
    amount("samples", 12_345),
  ];
  assert.deepEqual(amounts, ["12.3 ms", "999 ns", "-2.05 kB", "12,345"]);
});

test("other versions of the program's JSON are refused", () => {
  assert.throws(() => readReport('{"format":"xhprof-report","version":2,"functions":[]}'), /version 2/);
  assert.throws(() => readReport('{"format":"xhprof-diff","version":1}'), /no report/);
  assert.throws(() => readList('{"version":2,"profiles":[]}'), /version 1/);
});
