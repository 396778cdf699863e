/** A field of a form with its label, a hint, and what is wrong with its value. */
import type { JSX } from "preact";

/** What the input itself gets. */
export interface FieldInput {
  id: string;
  name: string;
  class: string;
  "aria-describedby": string | undefined;
  "aria-invalid": "true" | undefined;
}

export function Field(props: {
  name: string;
  label: string;
  hint?: string | undefined;
  error?: string | null | undefined;
  input: (field: FieldInput) => JSX.Element;
}): JSX.Element {
  const { name, hint, error = null } = props;
  const [wrongId, hintId] = [`${name}-wrong`, `${name}-hint`];
  const described = [error === null ? "" : wrongId, hint === undefined ? "" : hintId]
    .filter((id) => id !== "")
    .join(" ");
  return (
    <div class="form-field">
      <label for={name}>{props.label}</label>
      {props.input({
        id: name,
        name,
        class: "field",
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === null ? undefined : "true",
      })}
      {error === null ? null : (
        <p class="field-error" id={wrongId}>
          {error}
        </p>
      )}
      {hint === undefined ? null : (
        <p class="muted small" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Moves the focus to the first field that is wrong. */
export function focusFirstWrong(form: HTMLElement | null): void {
  // After the render that marks it.
  requestAnimationFrame(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}
