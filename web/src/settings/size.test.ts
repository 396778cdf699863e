import { expect, test } from "vitest";
import { exactSize, parseSize } from "./size";

test("the text of a size is read as the same size", () => {
  for (const bytes of [0, 1, 1023, 1024, 20e9, 20 * 2 ** 30, 2 ** 30 + 1, 1500 * 2 ** 20, 3 * 2 ** 40, 5e12])
    expect(parseSize(exactSize(bytes)), exactSize(bytes)).toBe(bytes);
  expect(exactSize(20 * 2 ** 30)).toBe("20 GiB");
  expect(exactSize(20e9)).toBe("20 GB");
  expect(exactSize(1023)).toBe("1023 B");
});

test("MB are powers of ten, MiB and php.ini's M powers of two", () => {
  expect(parseSize("1.5 GB")).toBe(1.5e9);
  expect(parseSize(" 512mib ")).toBe(512 * 2 ** 20);
  expect(parseSize("512M")).toBe(512 * 2 ** 20);
  expect(parseSize("1000")).toBe(1000);
});

test("what is no size is said so", () => {
  for (const text of ["20 apples", "-1", "MB", "1 PB", "5 iB", ""]) expect(parseSize(text)).toMatch(/Type a size/);
  expect(parseSize("9999999 TiB")).toMatch(/too large/);
});
