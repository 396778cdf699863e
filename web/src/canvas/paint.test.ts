import { describe, expect, it } from "vitest";
import { fitting, shortName } from "./paint";

describe("a name in a box", () => {
  const name = "PHP_CodeSniffer\\Files\\LocalFile::process";

  it("loses its namespace first, then its class, then its end", () => {
    expect(fitting(name, 1_000)).toBe(name);
    expect(fitting(name, 6.6 * 19)).toBe("LocalFile::process");
    expect(fitting(name, 6.6 * 10)).toBe("process");
    expect(fitting(name, 6.6 * 4.5)).toBe("pro…");
    expect(fitting(name, 6.6 * 2.5)).toBe("");
  });

  it("of a function keeps its end, which tells it from others", () => {
    expect(shortName("A\\B\\c")).toBe("c");
    expect(shortName("strlen")).toBe("strlen");
    expect(shortName("A::{closure:B\\C}")).toBe("A::{closure:B\\C}");
    expect(fitting("load::Standards/Generic/Sniffs/Sniff.php", 6.6 * 20.5)).toContain("Sniff.php");
  });
});
