/** What a session may change, so that no page offers what the server refuses. */
import type { Session } from "../api/generated";

/** Whether it may set the policy of an application; the empty name is that of all others. */
export function maySet(session: Session, app: string): boolean {
  if (!session.scopes.includes("admin")) return false;
  return session.app === null || (app !== "" && session.app === app);
}
