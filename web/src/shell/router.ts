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

/** A part of an address as text: as it is, if its percent signs mean nothing. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
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

/** Links within the app are followed here; those for a new tab, a download or another page are the browser's. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link?.href || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || /^\/(api|assets|metrics)\b/.test(url.pathname)) return;
    const isSamePage = url.pathname === location.pathname && url.search === location.search;
    // The viewer's own addresses are fragments.
    if (isSamePage && url.hash !== "") return;
    event.preventDefault();
    navigate(url.href);
    if (!isSamePage) window.scrollTo(0, 0);
  });
}
