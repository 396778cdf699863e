/** Filters as the server reads them, and the addresses that have them. */

/** A condition of a filter, with a value that may have blanks. */
export function condition(key: string, value: string): string {
  const clean = value.replaceAll('"', "");
  return clean === "" || /\s/.test(clean) ? `${key}:"${clean}"` : `${key}:${clean}`;
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
