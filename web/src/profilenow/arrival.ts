/** Which of the runs that arrive is the one that was asked for. */
import type { RunInfo } from "../api/generated";

/** The path of a run's title: `GET https://shop.example.com/cart?a=1` and `/cart` have the same. */
export function pathOf(title: string): string | null {
  const address = title.replace(/^[A-Z]+ /, "");
  try {
    // A title without host is a path already.
    return address.startsWith("/") || /^https?:\/\//.test(address) ? new URL(address, "http://host").pathname : null;
  } catch {
    return null;
  }
}

/** The runs that were not there before, the latest first. */
export function arrived(runs: readonly RunInfo[], known: ReadonlySet<string>): RunInfo[] {
  return runs.filter(({ id }) => !known.has(id));
}

/** The first run of the address; of a profile without one, which says nothing of it, none. */
export function runOf(url: URL, runs: readonly RunInfo[]): RunInfo | null {
  return runs.filter(({ title }) => pathOf(title) === url.pathname).at(-1) ?? null;
}

/** The address that was typed; null if it is none of HTTP. */
export function addressOf(text: string): URL | null {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url : null;
  } catch {
    return null;
  }
}

/** A bookmark that opens this page for the page that it is clicked on. It has no secret. */
export function bookmarkOf(origin: string): string {
  return `javascript:void(open('${origin}/profile-now?url='+encodeURIComponent(location.href)))`;
}
