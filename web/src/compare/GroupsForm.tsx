/** The filters of both groups. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Field } from "../parts/Field";

export interface Groups {
  readonly before: string;
  readonly after: string;
}

export function GroupsForm(props: {
  groups: Groups;
  /** What is wrong with a filter, as the server says it. */
  wrong: Partial<Record<keyof Groups, string>>;
  onCompare: (groups: Groups) => void;
}): JSX.Element {
  const { groups } = props;
  const [typed, setTyped] = useState(groups);
  useEffect(() => {
    setTyped(groups);
  }, [groups.before, groups.after]);
  const form = useRef<HTMLFormElement>(null);
  const field = (name: keyof Groups, label: string, placeholder: string): JSX.Element => (
    <Field
      name={name}
      label={label}
      error={props.wrong[name] ?? null}
      input={(attributes) => (
        <input
          {...attributes}
          type="search"
          value={typed[name]}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            setTyped({ ...typed, [name]: event.currentTarget.value });
          }}
        />
      )}
    />
  );
  return (
    <form
      ref={form}
      class="groups-form"
      method="get"
      action="/compare"
      role="search"
      aria-label="Groups of runs"
      onSubmit={(event) => {
        event.preventDefault();
        props.onCompare({ before: typed.before.trim(), after: typed.after.trim() });
      }}
    >
      {field("before", "Before", "app:shop release:4.6.0")}
      <button
        type="button"
        class="swap"
        aria-label="Exchange before and after"
        title="Exchange before and after"
        onClick={() => {
          props.onCompare({ before: typed.after.trim(), after: typed.before.trim() });
        }}
      >
        ⇄
      </button>
      {field("after", "After", "app:shop release:4.7.0")}
      <button type="submit" class="primary">
        Compare
      </button>
    </form>
  );
}
