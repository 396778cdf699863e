/** Filters as the server reads them, and the addresses that have them. */

/** Whether the server takes a character for a blank; JavaScript counts the byte order mark, too. */
export function isBlank(character: string): boolean {
  return character === "\u0085" || (character !== "\ufeff" && /\s/.test(character));
}

/** A condition of a filter, with any value. A tag may have any name. */
export function condition(key: string, value: string): string {
  return `${key.includes(":") ? inQuotes(key) : quoted(key)}:${quoted(value)}`;
}

/** The text in quotation marks, if a word has to have them. */
function quoted(text: string): string {
  return text === "" || /["\s\u0085]/.test(text) ? inQuotes(text) : text;
}

function inQuotes(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Conditions together. */
export function filter(...conditions: readonly string[]): string {
  return conditions.filter((one) => one !== "").join(" ");
}

/** An address with a query; empty values are left out. */
export function address(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parts.set(name, value);
  const text = parts.toString();
  return text === "" ? path : `${path}?${text}`;
}

export function runsAddress(q: string): string {
  return address("/runs", { q });
}

export function routeAddress(app: string, route: string): string {
  return address("/route", { q: filter(condition("app", app), condition("route", route)) });
}

export function functionAddress(name: string, q: string): string {
  return address("/function", { name, q });
}
