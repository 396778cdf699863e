/** The menu of saved views in the header of the app. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Field } from "../parts/Field";
import { keepViews, nameProblem, renamed, savedViews, withoutView, withView, type SavedView } from "./views";

export function SavedViews(props: { address: string; title: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [views, setViews] = useState<readonly SavedView[]>(() => savedViews(localStorage));
  const [changing, setChanging] = useState<string | null>(null);
  const [isLost, setLost] = useState(false);
  const [told, setTold] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    // Another tab may have changed them.
    if (isOpen) setViews(savedViews(localStorage));
    else setChanging(null);
  }, [isOpen]);
  useEffect(() => {
    setOpen(false);
  }, [props.address]);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [isOpen]);

  const keep = (next: readonly SavedView[], what: string): void => {
    setViews(next);
    setLost(!keepViews(localStorage, next));
    setTold(what);
  };
  const current = views.find((view) => view.address === props.address);
  return (
    <div
      class="views-place"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        ref={button}
        aria-label="Views"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <span aria-hidden="true">{current ? "★" : "☆"}</span>
        <span class="wide-only">&nbsp;Views</span>
      </button>
      {isOpen ? (
        <div class="views-popup saved-views" role="dialog" aria-label="Saved views">
          {views.length === 0 ? <p class="muted">No view has a name yet.</p> : null}
          <ul>
            {views.map((view) =>
              changing === view.name ? (
                <li key={view.name}>
                  <NameForm
                    label={`New name of ${view.name}`}
                    value={view.name}
                    action="Rename"
                    onName={(name) => {
                      keep(renamed(views, view.name, name), `Renamed to ${name}`);
                      setChanging(null);
                    }}
                  />
                </li>
              ) : (
                <li key={view.name} class="saved-view">
                  <a href={view.address} aria-current={view.address === props.address ? "page" : undefined}>
                    <bdi>{view.name}</bdi>
                  </a>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Rename ${view.name}`}
                    onClick={() => {
                      setChanging(view.name);
                    }}
                  >
                    Rename
                  </button>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove ${view.name}`}
                    onClick={() => {
                      keep(withoutView(views, view.name), `Removed ${view.name}`);
                    }}
                  >
                    Remove
                  </button>
                </li>
              ),
            )}
          </ul>
          {changing === null ? (
            <NameForm
              key={props.address}
              label={current ? "Save this page under another name" : "Save this page as"}
              value={current ? "" : props.title}
              action="Save"
              onName={(name) => {
                keep(withView(views, { name, address: props.address }), `Saved ${name}`);
              }}
            />
          ) : null}
          <p class="muted small">
            {isLost
              ? "This browser keeps nothing for this site: the list ends with this tab."
              : "The list is kept in this browser. To share a view, send its address."}
          </p>
          <p class="sr-only" role="status">
            {told}
          </p>
        </div>
      ) : null}
    </div>
  );
}

function NameForm(props: {
  label: string;
  value: string;
  action: string;
  onName: (name: string) => void;
}): JSX.Element {
  const [name, setName] = useState(props.value);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.select();
    input.current?.focus();
  }, []);
  return (
    <form
      class="name-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const wrong = nameProblem(name);
        setProblem(wrong);
        if (wrong === null) props.onName(name.trim());
        else input.current?.focus();
      }}
    >
      <Field
        name="view-name"
        label={props.label}
        error={problem}
        input={(field) => (
          <input
            {...field}
            ref={input}
            value={name}
            autocomplete="off"
            onInput={(event) => {
              setName(event.currentTarget.value);
            }}
          />
        )}
      />
      <button type="submit">{props.action}</button>
    </form>
  );
}
