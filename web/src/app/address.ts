/** The address bar as state: links, back and forward change the view. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { How } from "./session";
import { changed, fromFragment, toFragment, type ViewState } from "./state";

export function useAddress(): [ViewState, (change: Partial<ViewState>, how?: How) => void] {
  const [state, setState] = useState(() => fromFragment(location.hash));
  useEffect(() => {
    const read = (): void => {
      setState(fromFragment(location.hash));
    };
    // `hashchange` for links and edits, `popstate` for back and forward over
    // states that were pushed here.
    addEventListener("hashchange", read);
    addEventListener("popstate", read);
    return () => {
      removeEventListener("hashchange", read);
      removeEventListener("popstate", read);
    };
  }, []);
  const go = useCallback((change: Partial<ViewState>, how: How = "push") => {
    // From the address, not from the last render: two changes may follow each
    // other faster than renders do.
    const next = changed(fromFragment(location.hash), change);
    const fragment = `#${toFragment(next)}`;
    if (fragment !== location.hash) {
      if (how === "push") history.pushState(null, "", fragment);
      else history.replaceState(null, "", fragment);
    }
    setState(next);
  }, []);
  return [state, go];
}
