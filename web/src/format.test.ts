import { describe, expect, it } from "vitest";
import * as format from "./format";

/** Plain spaces are easier to read in a test. */
const plain = (text: string): string => text.replaceAll("\u202f", " ").replaceAll("\u2212", "-");

describe("numbers as text", () => {
  it("gives times three digits and the unit that fits", () => {
    expect(plain(format.time(0))).toBe("0");
    expect(plain(format.time(999))).toBe("999 ns");
    expect(plain(format.time(1_000))).toBe("1.00 µs");
    expect(plain(format.time(999_960))).toBe("1.00 ms");
    expect(plain(format.time(-62_700_000))).toBe("-62.7 ms");
    expect(plain(format.time(1_360_000_000))).toBe("1.36 s");
    expect(plain(format.time(125e9))).toBe("2 min 5 s");
  });

  it("counts memory in thousands, as the terminal does", () => {
    expect(plain(format.bytes(448_000))).toBe("448 kB");
    expect(plain(format.bytes(-13_700_000))).toBe("-13.7 MB");
    expect(plain(format.bytes(12))).toBe("12 B");
  });

  it("counts in thousands, as the language English does", () => {
    const english = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
    for (const amount of [0, 7, 999, 1_000, -12_345, 1_234_567_890, 0.005, 1_000.5, -1_234.567, 99.999, 2 ** 53])
      expect(plain(format.count(amount))).toBe(english.format(amount));
  });

  it("tells a moment in the reader's zone, whatever a file claims", () => {
    const at = new Date(2024, 1, 29, 17, 3, 5).getTime() / 1_000;
    expect(format.moment(at * 1e6)).toBe("29 Feb 2024, 17:03:05");
    expect(format.shortMoment(at * 1e6)).toBe("29 Feb 2024, 17:03:05");
    expect(format.shortMoment(Date.now() * 1e3)).toMatch(/^\d+ [A-Z][a-z]{2}, \d\d:\d\d:\d\d$/);
    expect([format.weekday(at), format.minute(at)]).toEqual(["Thu 29 Feb", "17:03"]);
    expect([format.weekday(20_000 * 86_400, "UTC"), format.minute(0, "UTC")]).toEqual(["Fri 4 Oct", "00:00"]);
    expect(format.moment(2 ** 64)).toMatch(/ Dec 9999, /);
  });

  it("tells samples from time", () => {
    expect(plain(format.cost(1, "wall", "samples"))).toBe("1 sample");
    expect(plain(format.cost(1_500, "wall", "nanoseconds"))).toBe("1.50 µs");
  });

  it("keeps small shares apart from nothing", () => {
    expect(plain(format.share(0, 10))).toBe("0.0 %");
    expect(plain(format.share(1, 100_000))).toBe("<0.1 %");
    expect(plain(format.share(-1, 4))).toBe("-25.0 %");
    expect(format.share(1, 0)).toBe("");
  });

  it("shows changes with their sign, and what is new", () => {
    expect(plain(format.change(0.25))).toBe("+25.0 %");
    expect(plain(format.change(-0.5))).toBe("-50.0 %");
    expect(plain(format.change(null))).toBe("new");
    expect(plain(format.change(99))).toBe("×100");
  });

  it("divides by calls only where there are some", () => {
    expect(plain(format.perCall(3_000, 2, "wall", "nanoseconds"))).toBe("1.50 µs");
    expect(format.perCall(3_000, 0, "wall", "nanoseconds")).toBe("");
  });

  it("leaves out the middle of a long name, by letters", () => {
    expect(format.middle("abcdefghij", 5)).toBe("ab…ij");
    expect(format.middle("äöü", 3)).toBe("äöü");
    expect(Array.from(format.middle("💡".repeat(1_000_000), 9))).toHaveLength(9);
  });
});
