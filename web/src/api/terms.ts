/** The conditions of a filter, one by one: `app:shop route:"/a b" wall:>200ms`. */
import { condition } from "./filter";

/** The conditions, as they are written. Quotation marks hold blanks together. */
export function terms(q: string): string[] {
  return q.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

function keyOf(term: string): string {
  const [key = "", ...rest] = term.split(":");
  return rest.length === 0 ? "" : key;
}

/** The value of a condition; none if the filter does not have it. */
export function valueOf(q: string, key: string): string | null {
  const term = terms(q).find((one) => keyOf(one) === key);
  return term === undefined ? null : term.slice(key.length + 1).replaceAll('"', "");
}

/** The filter with that condition in place of all others of its key; without them, if the value is null. */
export function withValue(q: string, key: string, value: string | null): string {
  const others = terms(q).filter((term) => keyOf(term) !== key);
  return (value === null ? others : [...others, condition(key, value)]).join(" ");
}

/** What stays when another page is opened: the application, the time, the release and the host. */
const KEPT = ["app", "since", "until", "release", "host"];

export function keptTerms(q: string): string {
  return terms(q)
    .filter((term) => KEPT.includes(keyOf(term)))
    .join(" ");
}
