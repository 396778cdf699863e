/** Keys of the keyboard: what each does, and when a key is none of ours. */

export interface KeyGroup {
  title: string;
  keys: readonly (readonly [string, string])[];
}

/** Those of the server's pages. */
export const PAGE_KEYS: readonly KeyGroup[] = [
  {
    title: "On these pages",
    keys: [
      ["/, Ctrl K", "search: routes, functions, runs and pages by name"],
      ["?", "this help"],
      ["Esc", "close"],
    ],
  },
];

/** The list that the help dialog of the viewer shows. */
export const KEYS: readonly KeyGroup[] = [
  {
    title: "Everywhere",
    keys: [
      ["1 2 3", "time order, flame graph, sandwich"],
      ["4 – 9", "functions, call graph, spans, hints, source, compare"],
      ["o, i", "overview, file"],
      ["/", "search"],
      ["Ctrl K", "on a server: routes, functions, runs and pages by name"],
      ["?", "this help"],
      ["Esc", "close, clear the search or the selection"],
    ],
  },
  {
    title: "Flame graph and sandwich",
    keys: [
      ["← →", "select the box beside"],
      ["↑ ↓", "select the caller or the costliest callee"],
      ["+ -, w s", "zoom in and out; with the mouse: Ctrl and the wheel"],
      ["a d", "move to the left and to the right; with the mouse: drag"],
      ["Enter", "zoom into the selected box, as a double click does"],
      ["Backspace", "zoom out by one box"],
      ["0", "show the whole graph"],
      ["m", "menu of the selected box, as a right click opens it"],
      ["n, N", "next match, previous match"],
      ["t", "boxes as text"],
    ],
  },
  {
    title: "Time order",
    keys: [
      ["+ -, w s", "zoom in and out"],
      ["a d", "earlier, later"],
      ["← → ↑ ↓", "select the call beside, above or below"],
      ["Enter, f", "zoom to the selected call"],
      ["r", "limit all views to the selected call’s time"],
      ["0", "show the whole time"],
    ],
  },
  {
    title: "Source",
    keys: [
      ["n, N", "next, previous line with costs"],
      ["Enter", "open the function"],
    ],
  },
  {
    title: "Tables",
    keys: [
      ["↑ ↓, Page, Home, End", "move between rows"],
      ["Enter", "open the function"],
    ],
  },
];

/** Whether a key belongs to the browser, to the system, or to what is typed into. */
export function isForeign(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
}
