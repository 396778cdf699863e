/** What all pages of the server share: who is logged in, and the filter of the address. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { address } from "../api/filter";
import type { Session } from "../api/generated";
import { withValue } from "../api/terms";
import { navigate } from "./router";

const ServerContext = createContext<Session | null>(null);
export const ServerProvider = ServerContext.Provider;

/** The session of the API. */
export function useServer(): Session {
  const session = useContext(ServerContext);
  if (session === null) throw new Error("a page stands outside of the shell");
  return session;
}

/** The filter of an address. Where there is one application only, it is that. */
export function filterOf(url: URL): string {
  return url.searchParams.get("q") ?? "";
}

/** The address with another condition, and without the place in a list. */
export function withCondition(url: URL, key: string, value: string | null): string {
  const query = Object.fromEntries(url.searchParams);
  return address(url.pathname, { ...query, cursor: null, q: withValue(filterOf(url), key, value) });
}

/** Goes to the address with another parameter of the query. */
export function setParameter(url: URL, name: string, value: string | null, how: "push" | "replace" = "push"): void {
  const query: Record<string, string | null> = Object.fromEntries(url.searchParams);
  query[name] = value;
  navigate(address(url.pathname, query), how);
}
