import { change } from "../api/client";

/** Ends the session, and shows the login. */
export async function logOut(): Promise<void> {
  await change("DELETE", "/api/v1/session");
  location.assign("/login");
}
