/**
 * Addresses that the user gave a name, in the browser's storage.
 *
 * They are not on the server: it knows tokens, not users, so a list there would have no owner. To share a view, send
 * its address.
 */

export interface SavedView {
  readonly name: string;
  /** Path, query and fragment. */
  readonly address: string;
}

const KEY = "xhprof.views";
export const MOST_VIEWS = 100;
export const LONGEST_NAME = 80;

type Place = Pick<Storage, "getItem" | "setItem">;

/** The views, by name; what another version or another program wrote is left out. */
export function savedViews(storage: Place): SavedView[] {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isView).slice(0, MOST_VIEWS) : [];
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, address } = value as Record<string, unknown>;
  return typeof name === "string" && name !== "" && typeof address === "string" && isLocal(address);
}

function isLocal(address: string): boolean {
  return /^\/(?![/\\])/.test(address);
}

/** The views with one more; one of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const name = view.name.trim().slice(0, LONGEST_NAME);
  const others = views.filter((other) => other.name !== name);
  return sorted([...others, { name, address: view.address }]).slice(0, MOST_VIEWS);
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name);
}

/** The views with another name for one of them. */
export function renamed(views: readonly SavedView[], from: string, to: string): SavedView[] {
  const view = views.find((other) => other.name === from);
  return view === undefined ? [...views] : withView(withoutView(views, from), { ...view, name: to });
}

function sorted(views: readonly SavedView[]): SavedView[] {
  return [...views].sort((one, other) => one.name.localeCompare(other.name));
}

/** Why a name cannot be taken; null if it can. */
export function nameProblem(name: string): string | null {
  if (name.trim() === "") return "Type a name.";
  if (name.trim().length > LONGEST_NAME) return `At most ${LONGEST_NAME} letters.`;
  return null;
}

/** Keeps the views; false if the browser has no place for them. */
export function keepViews(storage: Place, views: readonly SavedView[]): boolean {
  try {
    storage.setItem(KEY, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}
