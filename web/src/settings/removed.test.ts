import { expect, test } from "vitest";
import { removedWords } from "./removed";

const none = { runs: 0, bytes: 0, by_age: 0, by_count: 0, by_size: 0, cells: 0 };
const plain = (text: string): string => text.replaceAll("\u202f", " ");

test("what a policy removes is said with the reasons", () => {
  expect(removedWords(none, "It would remove")).toBe("It would remove nothing now.");
  expect(removedWords({ ...none, cells: 2 }, "It would remove")).toBe(
    "It would remove no run now, and 2 hours of sums.",
  );
  const some = { ...none, runs: 3, bytes: 1500, by_age: 1, by_count: 2, cells: 1 };
  expect(plain(removedWords(some, "It removes"))).toBe(
    "It removes 3 runs of 1.50 kB now (1 too old, 2 too many), and 1 hour of sums.",
  );
});
