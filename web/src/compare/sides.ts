/** Two filters side by side: what they share, and what tells them apart. */

export interface Sides {
  readonly shared: string;
  readonly before: string;
  readonly after: string;
}

/** The conditions of a filter; blanks within quotes part none. */
export function conditions(filter: string): string[] {
  return filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

export function sidesOf(before: string, after: string): Sides {
  const [old, fresh] = [conditions(before), conditions(after)];
  const of = (list: readonly string[], others: readonly string[]): string =>
    list.filter((one) => !others.includes(one)).join(" ") || "all runs";
  return {
    shared: old.filter((one) => fresh.includes(one)).join(" "),
    before: of(old, fresh),
    after: of(fresh, old),
  };
}
