/** Ctrl K: routes, functions, runs and pages by a few letters. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { address, functionAddress, routeAddress } from "../api/filter";
import type { SearchFound } from "../api/generated";
import { keptTerms } from "../api/terms";
import { useApi } from "../api/useApi";
import { useModal } from "../app/FilesDialog";
import * as format from "../format";
import { navigate } from "./router";
import { filterOf } from "./server";

interface Hit {
  kind: string;
  text: string;
  note: string;
  href: string;
}

const PAGES: readonly { title: string; path: string }[] = [
  { title: "Home", path: "/" },
  { title: "Routes", path: "/routes" },
  { title: "Runs", path: "/runs" },
  { title: "Compare", path: "/compare" },
  { title: "Regressions", path: "/regressions" },
  { title: "Profile now", path: "/profile-now" },
  { title: "Settings", path: "/settings" },
  { title: "Settings: tokens", path: "/settings/tokens" },
  { title: "Settings: retention and quotas", path: "/settings/retention" },
  { title: "Settings: alerts", path: "/settings/alerts" },
  { title: "Settings: uploads", path: "/settings/uploads" },
];

export function SearchDialog(props: { url: URL; onClose: () => void }): JSX.Element {
  const { ref } = useModal(props.onClose);
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const [chosen, setChosen] = useState(0);
  const q = keptTerms(filterOf(props.url));
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(text.trim());
    }, 120);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  const found = useApi<SearchFound>(asked === "" ? null : address("/api/v1/search", { text: asked, q }));
  const hits = useMemo(
    () => hitsOf(text.trim(), q, asked === "" ? null : found.answer),
    [text, q, asked, found.answer],
  );
  const last = Math.max(0, hits.length - 1);
  const at = Math.min(chosen, last);
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    ref.current?.close();
    navigate(hit.href);
  };
  return (
    <dialog ref={ref} class="dialog search-dialog" aria-label="Search">
      <input
        {...({ role: "combobox" } as object)}
        type="search"
        aria-expanded="true"
        aria-controls="search-hits"
        aria-activedescendant={hits.length > 0 ? `search-hit-${at}` : undefined}
        aria-label="Routes, functions, runs, pages"
        placeholder="Routes, functions, runs, pages"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setChosen(Math.min(last, at + 1));
          else if (event.key === "ArrowUp") setChosen(Math.max(0, at - 1));
          else if (event.key === "Enter") open(hits[at]);
          // Else the browser empties the field first.
          else if (event.key === "Escape") ref.current?.close();
          else return;
          event.preventDefault();
        }}
      />
      <ul id="search-hits" role="listbox" aria-label="Found">
        {hits.map((hit, place) => (
          <li key={`${hit.kind} ${hit.href}`} id={`search-hit-${place}`} role="option" aria-selected={place === at}>
            <a
              href={hit.href}
              tabIndex={-1}
              onClick={() => {
                ref.current?.close();
              }}
            >
              <span class="hit-kind">{hit.kind}</span>
              <bdi class="hit-text" title={hit.text}>
                {hit.text}
              </bdi>
              <span class="muted small">{hit.note}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="muted small search-state" role="status">
        {found.error
          ? found.error.message
          : asked !== "" && !found.isLoading && hits.length === 0
            ? `Nothing has “${asked}” in its name.`
            : "↑ ↓ to choose, Enter to open, Esc to close"}
      </p>
    </dialog>
  );
}

function hitsOf(text: string, q: string, found: SearchFound | null): Hit[] {
  const wanted = text.toLowerCase();
  const pages = PAGES.filter(({ title }) => title.toLowerCase().includes(wanted)).map(({ title, path }) => ({
    kind: "page",
    text: title,
    note: "",
    href: address(path, { q }),
  }));
  if (found === null) return pages;
  return [
    ...found.routes.map(({ app, route }) => ({
      kind: "route",
      text: route,
      note: format.middle(app, 24),
      href: routeAddress(app, route),
    })),
    ...found.functions.map((name) => ({ kind: "function", text: name, note: "", href: functionAddress(name, q) })),
    ...found.runs.map((run) => ({
      kind: "run",
      text: run.title === "" ? run.id : run.title,
      note: `${format.time(run.wall)}, ${format.moment(run.started_us)}`,
      href: `/run/${run.id}`,
    })),
    ...pages,
  ];
}
