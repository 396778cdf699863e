/** `DESIGN.md` says what the styles do: its table of contrasts is measured here, and so are its sizes. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const styles = new URL("./", import.meta.url);
const css = readdirSync(styles, { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith(".css"))
  .map((name) => readFileSync(new URL(name, styles), "utf8"))
  .join("\n");
const design = readFileSync(new URL("../../DESIGN.md", import.meta.url), "utf8");

function tokens(theme: RegExp): Map<string, string> {
  const blocks = [...css.matchAll(theme)].map(([, block = ""]) => block).join("");
  return new Map(
    [...blocks.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = "", colour = ""]) => [name, colour]),
  );
}

const light = tokens(/^:root \{([^}]*)\}/gm);
const dark = tokens(/^:root\[data-theme="dark"\] \{([^}]*)\}/gm);

/** A row: the colours of text or of a mark, those below it, the least contrast, and the least that was measured. */
const rows = [...design.matchAll(/^\| ([\w, -]+) \| ([\w, -]+) \| (4\.5|3\.0) \| ([\d.]+) \| ([\d.]+) \|$/gm)].map(
  ([, above = "", below = "", least = "", inLight = "", inDark = ""]) => ({
    above: above.split(", "),
    below: below.split(", "),
    least: Number(least),
    told: [inLight, inDark],
  }),
);

function worst(row: (typeof rows)[number], theme: ReadonlyMap<string, string>): number {
  const colour = (name: string): string => {
    const found = theme.get(name);
    if (found === undefined) throw new Error(`there is no colour --${name}`);
    return found;
  };
  return Math.min(...row.above.flatMap((above) => row.below.map((below) => contrast(colour(above), colour(below)))));
}

describe("DESIGN.md", () => {
  test.each(rows)("has the contrast of $above on $below, which is enough", (row) => {
    for (const [theme, told] of [
      [light, row.told[0]],
      [dark, row.told[1]],
    ] as const) {
      const found = worst(row, theme);
      expect(found).toBeGreaterThanOrEqual(row.least);
      expect(found.toFixed(2)).toBe(told);
    }
  });

  test("names each colour, and both themes have them", () => {
    expect(rows.length).toBeGreaterThan(10);
    const named = new Set([...rows.flatMap(({ above, below }) => [...above, ...below]), "line"]);
    expect([...named].sort()).toEqual([...light.keys()].sort());
    expect([...dark.keys()].sort()).toEqual([...light.keys()].sort());
  });

  test("has each size of type", () => {
    const used = new Set([...css.matchAll(/(?:font-size|font): (?:600 )?([\d.]+r?em)/g)].map(([, size = ""]) => size));
    for (const size of used) expect(design).toContain(`\`${size}\``);
  });
});

/** The contrast of two colours `#rrggbb`, as WCAG defines it: from 1 to 21. */
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
