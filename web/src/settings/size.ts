/** Sizes as a form has them: exact, in the units of the pages, or in powers of two. */

/** From the largest. Powers of ten come first: the pages show these. */
const UNITS: readonly (readonly [string, number])[] = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
];
const BINARY_UNITS: readonly (readonly [string, number])[] = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
];

/** A number of bytes, the same when it is read again: `20 GB`, `512 MiB`, `1023 B`. */
export function exactSize(bytes: number): string {
  if (bytes === 0) return "0 B";
  const exact = UNITS.find(([, size]) => bytes % size === 0) ?? BINARY_UNITS.find(([, size]) => bytes % size === 0);
  return exact === undefined ? `${bytes} B` : `${bytes / exact[1]} ${exact[0]}`;
}

/** A size in bytes, or why the text is none. `512M` is as php.ini has it: a power of two. */
export function parseSize(text: string): number | string {
  const found = /^(\d+(?:[.,]\d+)?)\s*([kmgt]?)(i?b)?$/i.exec(text.trim());
  if (!found) return "Type a size, such as 500 MB or 20 GiB.";
  const letter = (found[2] ?? "").toLowerCase();
  const power = " kmgt".indexOf(letter === "" ? " " : letter);
  const suffix = (found[3] ?? "").toLowerCase();
  if (letter === "" && suffix === "ib") return "Type a size, such as 500 MB or 20 GiB.";
  const bytes = Math.round(Number((found[1] ?? "").replace(",", ".")) * (suffix === "b" ? 1000 : 1024) ** power);
  return Number.isSafeInteger(bytes) ? bytes : "The size is too large.";
}
