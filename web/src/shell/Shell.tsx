/** The head of every page of the server, and the page below it. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api/filter";
import { keptTerms } from "../api/terms";
import { HelpDialog } from "../app/HelpDialog";
import { isForeign } from "../app/keys";
import { useTheme, type Theme } from "../app/theme";
import { logOut } from "../login/logOut";
import { SavedViews } from "../saved/SavedViews";
import { FilterBar } from "./FilterBar";
import { useUrl } from "./router";
import { SearchDialog } from "./SearchDialog";
import { filterOf, useServer } from "./server";

const PAGES = [
  { path: "/", title: "Home" },
  { path: "/routes", title: "Routes" },
  { path: "/runs", title: "Runs" },
  { path: "/compare", title: "Compare" },
  { path: "/regressions", title: "Regressions" },
  { path: "/profile-now", title: "Profile now" },
  { path: "/settings", title: "Settings" },
] as const;

/** The page of the navigation that an address belongs to; none of a page that there is not. */
function partOf(pathname: string): string | undefined {
  if (pathname.startsWith("/route")) return "/routes";
  if (pathname.startsWith("/run") || pathname === "/tree") return "/runs";
  if (pathname === "/function") return "/routes";
  return PAGES.find(({ path }) => pathname === path || (path !== "/" && pathname.startsWith(path)))?.path;
}

/** Whether the viewer is below the head, whose keys are its own. */
function isViewer(pathname: string): boolean {
  return /^\/(run\/|tree$|compare\/)/.test(pathname);
}

/** Pages whose answer follows the application, the time, the release and the host. */
const FILTERED = ["/", "/runs", "/routes", "/route", "/function", "/regressions"];

export function Shell(props: { children: ComponentChildren }): JSX.Element {
  const url = useUrl();
  const session = useServer();
  const [isSearch, setSearch] = useState(false);
  const [isHelp, setHelp] = useState(false);
  const kept = keptTerms(filterOf(url));
  const part = partOf(url.pathname);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isSearchKey = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      const inViewer = isViewer(url.pathname);
      if (isSearchKey) setSearch(true);
      else if (!inViewer && event.key === "/" && !isForeign(event)) setSearch(true);
      else if (!inViewer && event.key === "?" && !isForeign(event)) setHelp(true);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
    };
  }, [url.pathname]);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone it scrolls.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [part]);
  return (
    <div class="shell-page">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          // The fragment is the viewer's address.
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="shell">
        <a class="brand" href={address("/", { q: kept })} aria-label="xhprof, home">
          <Mark /> <span class="wide-only">xhprof</span>
        </a>
        <nav aria-label="Pages" class="shell-nav" ref={nav}>
          {PAGES.map(({ path, title }) => (
            <a key={path} href={address(path, { q: kept })} aria-current={part === path ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <button
          type="button"
          class="search-button"
          aria-haspopup="dialog"
          onClick={() => {
            setSearch(true);
          }}
        >
          <span>Search…</span> <kbd>Ctrl K</kbd>
        </button>
        <SavedViews address={url.pathname + url.search + url.hash} title={document.title.replace(/ – xhprof$/, "")} />
        <ThemeChoice />
        <button
          type="button"
          class="icon"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => {
            setHelp(true);
          }}
        >
          ?
        </button>
        {session.has_login ? (
          <button type="button" title={`Logged in as ${session.name}`} onClick={() => void logOut()}>
            Log out
          </button>
        ) : null}
      </header>
      {session.demo ? (
        <aside class="demo-note" aria-label="Demonstration">
          Simulated data of a made-up shop.
          {session.demo.stored_days === null
            ? ""
            : ` ${session.demo.stored_days} of ${session.demo.days ?? "?"} days are stored so far.`}
        </aside>
      ) : null}
      {FILTERED.includes(url.pathname) ? <FilterBar url={url} /> : null}
      <main id="content" tabIndex={-1} class={isViewer(url.pathname) ? "viewer-page" : undefined}>
        {props.children}
      </main>
      {isSearch ? (
        <SearchDialog
          url={url}
          onClose={() => {
            setSearch(false);
          }}
        />
      ) : null}
      {isHelp ? (
        <HelpDialog
          isOfPages={!isViewer(url.pathname)}
          onClose={() => {
            setHelp(false);
          }}
        />
      ) : null}
    </div>
  );
}

/** A small flame graph. */
function Mark(): JSX.Element {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" class="mark">
      <rect x="1" y="12.5" width="16" height="4" rx="1" />
      <rect x="1" y="7.5" width="10" height="4" rx="1" opacity="0.75" />
      <rect x="3" y="2.5" width="5" height="4" rx="1" opacity="0.5" />
    </svg>
  );
}

const THEMES: readonly { theme: Theme; label: string }[] = [
  { theme: "system", label: "System" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];

function ThemeChoice(): JSX.Element {
  const { theme, choose } = useTheme();
  return (
    <select
      aria-label="Colours of the page"
      value={theme}
      onChange={(event) => {
        choose(event.currentTarget.value as Theme);
      }}
    >
      {THEMES.map((one) => (
        <option key={one.theme} value={one.theme}>
          {one.label}
        </option>
      ))}
    </select>
  );
}
