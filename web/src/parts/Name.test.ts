import { expect, test } from "vitest";
import { nameParts } from "./Name";

test("a name is cut behind its namespace", () => {
  expect(nameParts("App\\Shop\\Cart::total")).toEqual(["App\\Shop\\", "Cart::total"]);
  expect(nameParts("strlen")).toEqual(["", "strlen"]);
  expect(nameParts("A\\{closure:B\\C::d}")).toEqual(["A\\", "{closure:B\\C::d}"]);
  expect(nameParts("{closure:src/a\\b.php:3}")).toEqual(["", "{closure:src/a\\b.php:3}"]);
});
