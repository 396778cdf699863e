/** The form of a new token. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { change } from "../api/client";
import type { Session } from "../api/generated";
import { Field, focusFirstWrong } from "../parts/Field";
import { fieldOfRefusal, newToken, NO_TOKEN, SCOPES, type TypedToken, type WrongToken } from "./tokenFields";
import { useChange } from "./useChange";

/** A token that was just made. */
export interface Made {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export function TokenForm(props: { session: Session; onMade: (made: Made) => void }): JSX.Element {
  const { session } = props;
  const [typed, setTyped] = useState<TypedToken>(NO_TOKEN);
  const [wrong, setWrong] = useState<WrongToken>({});
  const changing = useChange();
  const form = useRef<HTMLFormElement>(null);
  const send = async (): Promise<void> => {
    changing.clear();
    const { token, wrong: found } = newToken(typed);
    setWrong(found);
    if (token === null) {
      focusFirstWrong(form.current);
      return;
    }
    await changing.run(async () => {
      const made = await change<{ id: string; token: string }>("POST", "/api/v1/tokens", token);
      setTyped(NO_TOKEN);
      props.onMade({ ...made, name: token.name });
    });
  };
  const refused = changing.error === null ? null : fieldOfRefusal(changing.error.message);
  const errorOf = (name: keyof TypedToken): string | null =>
    wrong[name] ?? (refused === name ? (changing.error?.message ?? null) : null);
  const text = (name: "name" | "app" | "days") => ({
    autocomplete: "off" as const,
    value: typed[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => {
      setTyped({ ...typed, [name]: event.currentTarget.value });
    },
  });
  const scopesError = errorOf("scopes");
  return (
    <section class="panel" aria-labelledby="new-token-title">
      <div class="head">
        <h2 id="new-token-title">Make a token</h2>
      </div>
      <form
        ref={form}
        class="fields panel-text"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Field
          name="name"
          label="Name"
          hint="Such as the machine or the team that uses it."
          error={errorOf("name")}
          input={(field) => <input {...field} {...text("name")} maxLength={200} />}
        />
        <Field
          name="app"
          label="Application"
          hint={
            session.app === null
              ? "It sees and sends runs of no other. Empty: of all."
              : `Your token is of the application ${session.app}, and so is the new one.`
          }
          error={errorOf("app")}
          input={(field) =>
            session.app === null ? (
              <input {...field} {...text("app")} list="token-apps" />
            ) : (
              <input {...field} value={session.app} disabled />
            )
          }
        />
        <datalist id="token-apps">
          {session.apps.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field
          name="days"
          label="Works for so many days"
          hint="Empty: until it is removed."
          error={errorOf("days")}
          input={(field) => <input {...field} {...text("days")} inputMode="numeric" />}
        />
        <fieldset class="form-field" aria-describedby={scopesError === null ? undefined : "scopes-wrong"}>
          <legend>It may</legend>
          {scopesError === null ? null : (
            <p class="field-error" id="scopes-wrong">
              {scopesError}
            </p>
          )}
          {SCOPES.map(({ scope, text: what }, at) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={typed.scopes.includes(scope)}
                aria-invalid={at === 0 && scopesError !== null ? "true" : undefined}
                onChange={(event) => {
                  const others = typed.scopes.filter((one) => one !== scope);
                  setTyped({ ...typed, scopes: event.currentTarget.checked ? [...others, scope] : others });
                }}
              />
              <span>
                <b>{scope}</b>: {what}
              </span>
            </label>
          ))}
        </fieldset>
        {changing.error !== null && refused === null ? (
          <p class="field-error" role="alert">
            {changing.error.message}
          </p>
        ) : null}
        <p class="buttons">
          <button type="submit" class="primary" disabled={changing.isBusy}>
            Make the token
          </button>
        </p>
      </form>
    </section>
  );
}
