/** The conditions of a filter, one by one: `app:shop route:"/a b" wall:>200ms`. */
import { condition, isBlank } from "./filter";

interface Term {
  /** As it is written. */
  readonly raw: string;
  /** Without the quotation marks. */
  readonly text: string;
  /** The first colon of the text that is not between them; −1 if there is none. */
  readonly colon: number;
}

/** The words of a filter, as the server reads them: between quotation marks, `\"` and `\\` are a mark and a backslash. */
function read(q: string): Term[] {
  const found: Term[] = [];
  let [raw, text, colon, isQuoted] = ["", "", -1, false];
  const characters = Array.from(q);
  for (let place = 0; place <= characters.length; place += 1) {
    const character = characters[place];
    const next = characters[place + 1] ?? "";
    if (character === undefined || (!isQuoted && isBlank(character))) {
      if (text !== "") found.push({ raw, text, colon });
      [raw, text, colon] = ["", "", -1];
      continue;
    }
    raw += character;
    if (character === '"') {
      isQuoted = !isQuoted;
    } else if (character === "\\" && isQuoted && (next === '"' || next === "\\")) {
      raw += next;
      text += next;
      place += 1;
    } else {
      if (character === ":" && !isQuoted && colon < 0) colon = text.length;
      text += character;
    }
  }
  return found;
}

/** The conditions, as they are written. */
export function terms(q: string): string[] {
  return read(q).map(({ raw }) => raw);
}

/** The key and the value of a condition; the key of another word is empty. */
function parted({ text, colon }: Term): [key: string, value: string] {
  const end = colon < 0 ? text.indexOf(":") : colon;
  return end < 0 ? ["", text] : [text.slice(0, end), text.slice(end + 1)];
}

/** The value of a condition; none if the filter does not have it. */
export function valueOf(q: string, key: string): string | null {
  const found = read(q)
    .map(parted)
    .find(([one]) => one === key);
  return found === undefined ? null : found[1];
}

/** The conditions, as they are written, with one of those keys; or those with another. */
export function termsOf(q: string, keys: readonly string[], isWanted = true): string[] {
  return read(q)
    .filter((term) => keys.includes(parted(term)[0]) === isWanted)
    .map(({ raw }) => raw);
}

/** The filter with that condition in place of all others of its key; without them, if the value is null. */
export function withValue(q: string, key: string, value: string | null): string {
  const others = termsOf(q, [key], false);
  return (value === null ? others : [...others, condition(key, value)]).join(" ");
}

/** What stays when another page is opened: the application, the time, the release and the host. */
export const KEPT = ["app", "since", "until", "release", "host"];

export function keptTerms(q: string): string {
  return termsOf(q, KEPT).join(" ");
}
