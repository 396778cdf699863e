import { describe, expect, it } from "vitest";
import { commentStarts, tokens } from "./highlight";

const kinds = (line: string, inside = false): string[] =>
  tokens(line, inside).map(({ kind, text }) => `${kind}:${text}`);

describe("colours of source text", () => {
  it("tell keywords, variables, strings, numbers and comments apart", () => {
    expect(kinds("return $a . 'x // y' + 12; // end")).toEqual([
      "keyword:return",
      "plain: ",
      "variable:$a",
      "plain: . ",
      "string:'x // y'",
      "plain: + ",
      "number:12",
      "plain:; ",
      "comment:// end",
    ]);
    expect(kinds("#[Attribute] # no")).toEqual(["plain:#[", "plain:Attribute", "plain:] ", "comment:# no"]);
  });

  it("know comments of several lines", () => {
    const lines = ["a /* b", "c", "d */ e", "$x = '/*';", "f"];
    expect(commentStarts(lines)).toEqual([false, true, true, false, false]);
    expect(kinds("d */ e", true)).toEqual(["comment:d */", "plain: ", "plain:e"]);
    expect(kinds("a /* b */ c")).toEqual(["plain:a", "plain: ", "comment:/* b */", "plain: ", "plain:c"]);
  });

  it("lose no text, whatever it is", () => {
    for (const line of ["", '"open', "it's", "</script><b>", '\\"\\', "\u202e$ä \u{1f600}", "x".repeat(10_000)]) {
      for (const inside of [false, true]) {
        expect(
          tokens(line, inside)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
      }
    }
  });
});
