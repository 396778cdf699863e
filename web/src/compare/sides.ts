/** Two filters side by side: what they share, and what tells them apart. */
import { terms } from "../api/terms";

export interface Sides {
  readonly shared: string;
  readonly before: string;
  readonly after: string;
  /** Nothing tells them apart. */
  readonly isSame: boolean;
}

export function sidesOf(before: string, after: string): Sides {
  const [old, fresh] = [terms(before), terms(after)];
  const of = (list: readonly string[], others: readonly string[]): string =>
    list.filter((one) => !others.includes(one)).join(" ") || "all runs";
  return {
    shared: old.filter((one) => fresh.includes(one)).join(" "),
    before: of(old, fresh),
    after: of(fresh, old),
    isSame: [...old].sort().join(" ") === [...fresh].sort().join(" "),
  };
}
