/** The page of a login, which leads back to where it was asked for. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useTheme } from "../app/theme";
import { LoginForm } from "./LoginForm";
import { placeAfterLogin } from "./next";

export function LoginPage(): JSX.Element {
  // It has no head in which a theme is chosen.
  useTheme();
  useEffect(() => {
    // A link of another site brings no cookie, but this page has it: then there is nothing to type.
    void fetch("/api/v1/session", { credentials: "same-origin" })
      .then((answer) => {
        if (answer.ok) location.replace(placeAfterLogin(location.search, location.origin));
      })
      .catch(() => undefined);
  }, []);
  return (
    <div class="login-page">
      <section class="panel login-panel" aria-labelledby="login-title">
        <h1 id="login-title">Log in to xhprof</h1>
        <LoginForm
          onDone={() => {
            // All parts of the app begin anew with what this session may see.
            location.replace(placeAfterLogin(location.search, location.origin));
          }}
        />
      </section>
    </div>
  );
}
