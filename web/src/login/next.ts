/** Where a login leads to. */

/** The place that `next` names: an address of this server, else the start. */
export function placeAfterLogin(search: string, origin: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  // `//host` and `/\host` are addresses of other hosts.
  if (!next.startsWith("/")) return "/";
  try {
    const url = new URL(next, origin);
    if (url.origin !== origin || url.pathname === "/login") return "/";
    return url.pathname + url.search + url.hash;
  } catch {
    return "/";
  }
}
