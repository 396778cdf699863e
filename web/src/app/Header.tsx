/** The head of the page: what is open, the tabs, and what limits all views. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as format from "../format";
import { Go } from "../parts/links";
import { useSession } from "./session";
import { TABS } from "./state";
import { useTheme, type Theme } from "./theme";

export function Header(props: { title: string | null; onOpen: () => void; onHelp: () => void }): JSX.Element {
  const { theme, choose } = useTheme();
  return (
    <header class="head">
      <span class="brand" aria-hidden={props.title !== null}>
        xhprof
      </span>
      <h1 class="title">
        <bdi>{(props.title ?? "Profile viewer").slice(0, 500)}</bdi>
      </h1>
      <span class="grow" />
      <button type="button" onClick={props.onOpen}>
        Open…
      </button>
      <label class="menu">
        <span class="sr-only">Colours of the page</span>
        <select
          value={theme}
          onChange={(event) => {
            choose(event.currentTarget.value as Theme);
          }}
        >
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <button type="button" aria-label="Help: keys" title="Keys (?)" onClick={props.onHelp}>
        ?
      </button>
    </header>
  );
}

export function Tabs(): JSX.Element {
  const { state, go, summary, isComparison } = useSession();
  const isEmpty = (page: (typeof TABS)[number]["page"]): boolean =>
    (page === "time" && !summary.hasTimes) ||
    (page === "spans" && summary.spans === 0) ||
    (page === "compare" && !isComparison);
  const range = state.range;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the tabs are wider than the window.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [state.page]);
  return (
    <>
      <nav ref={nav} class="tabs" aria-label="Views">
        {TABS.map(({ page, title, key }) => (
          <Go
            key={page}
            to={{ page, selected: null }}
            class={isEmpty(page) ? "tab empty-tab" : "tab"}
            title={isEmpty(page) ? `${title} (${key}): nothing of it is in this profile` : `${title} (${key})`}
            current={state.page === page || (page === "functions" && state.page === "function")}
          >
            {title}
          </Go>
        ))}
      </nav>
      {range !== null || state.estimate ? (
        <div class="chips" role="region" aria-label="What all views are limited to">
          {range === null ? null : (
            <button
              type="button"
              class="chip"
              title="Show the whole time again"
              onClick={() => {
                go({ range: null });
              }}
            >
              Only {format.time(range.from)} to {format.time(range.to)} ({format.time(range.to - range.from)}){" "}
              <span aria-hidden="true">✕</span>
              <span class="sr-only">: clear</span>
            </button>
          )}
          {state.estimate ? (
            <button
              type="button"
              class="chip warn"
              title="Show only what was measured"
              onClick={() => {
                go({ estimate: false });
              }}
            >
              Stacks are an estimate <span aria-hidden="true">✕</span>
              <span class="sr-only">: clear</span>
            </button>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
