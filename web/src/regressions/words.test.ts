import { expect, test } from "vitest";
import type { Found, FoundPlace } from "../api/generated";
import { costText, figureText, shareText, shortPath, sureness } from "./words";

const plain = (text: string): string => text.replaceAll("\u202f", " ");
const figures = { runs: 9, calls: 0, time: 2_519_647, memory: 80_471_964 };

test("a figure is in the unit of what changed", () => {
  expect(plain(figureText("own", figures))).toBe("2.52 ms");
  expect(plain(figureText("wall", figures))).toBe("2.52 ms");
  expect(plain(figureText("peak", figures))).toBe("80.5 MB");
  expect(figureText("calls", figures)).toBe("never");
  expect(plain(figureText("calls", { ...figures, calls: 24.5 }))).toBe("24.5 calls, 2.52 ms");
});

test("a cost has its sign and its share", () => {
  const place: FoundPlace = {
    route: "/",
    before: figures,
    after: figures,
    cost: 73_000_000,
    share: 0.47,
    change: null,
  };
  expect(plain(costText({ is_memory: true } as Found, place))).toBe("+73.0 MB");
  expect(plain(costText({ is_memory: false } as Found, place))).toBe("+73.0 ms");
  expect(plain(shareText(place))).toBe("+47.0 %");
  expect(shareText({ ...place, share: 10.4 })).toBe("×11");
});

test("a short history makes a finding likely at most", () => {
  expect(sureness({ is_provisional: true } as Found)).toBe("likely");
  expect(sureness({ is_provisional: false } as Found)).toBe("sure");
});

test("a long path keeps its root and its end", () => {
  expect(shortPath(["main()", "a", "b"])).toEqual(["main()", "a", "b"]);
  expect(shortPath(["main()", "a", "b", "c", "d", "e", "f"])).toEqual(["main()", null, "c", "d", "e", "f"]);
  expect(shortPath([])).toEqual([]);
});
