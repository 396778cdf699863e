/** The cookie that asks PHP for a profile, set by this page where the application is on the same site. */

/** How long the cookie stays if no run arrives, in seconds. */
export const COOKIE_SECONDS = 120;

/**
 * The domain of a cookie that both pages get: empty for this host alone, null if there is none.
 *
 * Ports are no part of it, the scheme is: a browser does not send the cookie of an HTTP page to a page of HTTPS that
 * it opens, since it is `SameSite=Strict`. Whether a shared ending such as `co.uk` may have cookies, only the browser
 * knows: it refuses the cookie then.
 */
export function cookieDomain(here: URL, there: URL): string | null {
  if (here.protocol !== there.protocol) return null;
  if (here.hostname === there.hostname) return "";
  const [own, other] = [here.hostname.split("."), there.hostname.split(".")];
  if (isAddress(here.hostname) || isAddress(there.hostname)) return null;
  const shared: string[] = [];
  while (own.length > 0 && own.at(-1) === other.at(-1)) {
    shared.unshift(own.pop() ?? "");
    other.pop();
  }
  return shared.length >= 2 ? shared.join(".") : null;
}

/** Whether a host is an IP address, which shares its cookies with no other. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
}

/** The server's cookie with a domain and an end. */
export function cookieText(cookie: string, domain: string): string {
  return `${cookie};Max-Age=${COOKIE_SECONDS}${ofDomain(domain)}`;
}

/** What removes it. */
export function endText(end: string, domain: string): string {
  return end + ofDomain(domain);
}

function ofDomain(domain: string): string {
  return domain === "" ? "" : `;Domain=${domain}`;
}

/** Whether the browser has taken a cookie. */
export function isTaken(cookies: string, cookie: string): boolean {
  const [pair = ""] = cookie.split(";");
  return cookies.split(/;\s*/).includes(pair);
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
