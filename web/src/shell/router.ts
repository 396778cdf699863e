/** The address of the app: links, back and forward change the page without a new document. */
import { useEffect, useState } from "preact/hooks";

const MOVED = "xhprof:moved";

/** Goes to an address of the app. */
export function navigate(href: string, how: "push" | "replace" = "push"): void {
  const url = new URL(href, location.href);
  if (url.href !== location.href) {
    if (how === "push") history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  }
  dispatchEvent(new Event(MOVED));
}

/** The present address. */
export function useUrl(): URL {
  const [href, setHref] = useState(location.href);
  useEffect(() => {
    const read = (): void => {
      setHref(location.href);
    };
    addEventListener("popstate", read);
    addEventListener(MOVED, read);
    return () => {
      removeEventListener("popstate", read);
      removeEventListener(MOVED, read);
    };
  }, []);
  return new URL(href);
}
