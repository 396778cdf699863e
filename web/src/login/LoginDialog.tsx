/** The login over a page whose session ended. What was typed there stays. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { logins } from "../api/client";
import type { Session } from "../api/generated";
import { LoginForm } from "./LoginForm";

export function LoginDialog(props: { onSession: (session: Session) => void }): JSX.Element | null {
  const [isWanted, setWanted] = useState(logins.isWanted);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => logins.listen(setWanted), []);
  useLayoutEffect(() => {
    if (isWanted) dialog.current?.showModal();
  }, [isWanted]);
  if (!isWanted) return null;
  return (
    <dialog
      ref={dialog}
      class="login-dialog"
      aria-labelledby="login-again"
      onCancel={(event) => {
        // Without a login there is nothing to show below it.
        event.preventDefault();
      }}
    >
      <h2 id="login-again">Your session ended</h2>
      <p class="muted">Log in again: the page goes on where it was.</p>
      <LoginForm onDone={props.onSession} />
    </dialog>
  );
}
