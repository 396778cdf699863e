/** The page of a login, which leads back to where it was asked for. */
import type { JSX } from "preact";
import { LoginForm } from "./LoginForm";
import { placeAfterLogin } from "./next";

export function LoginPage(): JSX.Element {
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
