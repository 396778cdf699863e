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

test("quotation marks, backslashes, blanks and colons come back from any value and any tag", () => {
  let seed = 7;
  const letters = Array.from('ab"\\: \t\u0085\ufeff/*ß😀');
  const random = (least: number): string => {
    let text = "";
    const length = least + (seed % 9);
    for (let n = 0; n < length; n += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      text += letters[seed % letters.length] ?? "";
    }
    return text;
  };
  for (let turn = 0; turn < 1000; turn += 1) {
    const [route, name, value] = [random(0), `tag.${random(1)}`, random(0)];
    const q = withValue(withValue("app:shop", "route", route), name, value);
    expect(terms(q)).toHaveLength(3);
    expect([valueOf(q, "app"), valueOf(q, "route"), valueOf(q, name)]).toEqual(["shop", route, value]);
    expect(withValue(q, name, null)).toBe(withValue("app:shop", "route", route));
  }
});
