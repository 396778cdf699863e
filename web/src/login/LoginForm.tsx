/** The form of a login: a token becomes a session. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, logIn, logins, takeSecret } from "../api/client";
import type { Session } from "../api/generated";
import { Field } from "../parts/Field";

export function LoginForm(props: { onDone: (session: Session) => void }): JSX.Element {
  const [token, setToken] = useState("");
  const [reason, setReason] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
  }, []);
  const send = async (): Promise<void> => {
    if (token.trim() === "") {
      setReason("Type or paste a token.");
      input.current?.focus();
      return;
    }
    setSending(true);
    setReason(null);
    try {
      const session = await logIn<Session>(token.trim());
      takeSecret(session.csrf);
      logins.succeeded();
      props.onDone(session);
    } catch (error) {
      setReason(error instanceof ApiError ? error.message : String(error));
      input.current?.select();
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      class="fields login-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {/* Password managers keep a name with each password. */}
      <input type="text" name="username" autocomplete="username" value="xhprof" hidden readOnly />
      <Field
        name="token"
        label="Token"
        hint="An administrator makes one on the page Settings, or with xhprof store token add."
        error={reason}
        input={(field) => (
          <input
            {...field}
            ref={input}
            type="password"
            autocomplete="current-password"
            value={token}
            onInput={(event) => {
              setToken(event.currentTarget.value);
            }}
          />
        )}
      />
      <p class="buttons">
        <button type="submit" class="primary" disabled={isSending}>
          {isSending ? "Logging in…" : "Log in"}
        </button>
      </p>
    </form>
  );
}
