/** One click: the cookie is set, the address opens, and the page waits for the run. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProfileNow, RunInfo } from "../api/generated";
import { Panel } from "../shell/Page";
import { navigate } from "../shell/router";
import { runOf } from "./arrival";
import { COOKIE_SECONDS, cookieDomain, cookieText, endText, isTaken } from "./cookie";

type State =
  | { readonly step: "ready" }
  | { readonly step: "refused" }
  | { readonly step: "waiting"; readonly known: ReadonlySet<string> }
  | { readonly step: "late"; readonly known: ReadonlySet<string> };

export function OneClick(props: {
  ways: ProfileNow;
  target: URL | null;
  /** The runs that arrived since the page is open. */
  fresh: readonly RunInfo[];
}): JSX.Element | null {
  const { ways, target, fresh } = props;
  const [state, setState] = useState<State>({ step: "ready" });
  const domain = target === null ? null : cookieDomain(new URL(location.href), target);
  const isAsked = state.step === "waiting" || state.step === "late";

  useEffect(() => {
    if (!isAsked || target === null || domain === null) return;
    const run = runOf(
      target,
      fresh.filter(({ id }) => !state.known.has(id)),
    );
    if (run === null) return;
    document.cookie = endText(ways.cookie_end, domain);
    navigate(`/run/${run.id}`);
  }, [state, fresh]);
  useEffect(() => {
    if (state.step !== "waiting") return;
    const timer = setTimeout(() => {
      setState({ step: "late", known: state.known });
    }, COOKIE_SECONDS * 1000);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);

  if (target === null || domain === null || ways.secret === null)
    return <WhyNot ways={ways} target={target} domain={domain} />;
  const start = (): void => {
    const cookie = cookieText(ways.cookie, domain);
    document.cookie = cookie;
    if (!isTaken(document.cookie, cookie)) {
      setState({ step: "refused" });
      return;
    }
    setState({ step: "waiting", known: new Set(fresh.map(({ id }) => id)) });
    window.open(target.href, "_blank", "noopener");
  };
  const stop = (): void => {
    document.cookie = endText(ways.cookie_end, domain);
    setState({ step: "ready" });
  };
  return (
    <Panel title="One click" note="the application is on the same site as this page">
      <div class="panel-text">
        <p class="buttons">
          <button type="button" class="primary" disabled={state.step === "waiting"} onClick={start}>
            Profile <bdi class="ellipsis">{target.host + target.pathname}</bdi>
          </button>
          {isAsked ? (
            <button type="button" onClick={stop}>
              Stop waiting
            </button>
          ) : null}
        </p>
        <p role="status">{stateWords(state)}</p>
        {state.step === "ready" ? (
          <p class="muted small">
            It opens in a new tab with the cookie <code>{ways.name}</code>, which ends when the run is here. The run
            then opens in this tab.
          </p>
        ) : null}
      </div>
    </Panel>
  );
}

function stateWords(state: State): string {
  switch (state.step) {
    case "ready":
      return "";
    case "refused":
      return "The browser does not take the cookie for that address. Use one of the ways below.";
    case "waiting":
      return "Waiting for the run of that address…";
    case "late":
      return "No run of that address came within two minutes. Are PHP's settings those below, and does the server get its profiles?";
  }
}

/** Why there is no button: what would bring it. */
function WhyNot(props: { ways: ProfileNow; target: URL | null; domain: string | null }): JSX.Element {
  const { ways, target, domain } = props;
  if (ways.secret === null)
    return ways.is_known ? (
      <p class="notice">
        Only tokens with the scope admin see the secret: put it in the place of <code>{ways.placeholder}</code>.
      </p>
    ) : (
      <p class="notice">
        This server does not know the secret: put it in the place of <code>{ways.placeholder}</code>, or start the
        server with <code>--trigger-secret-file FILE</code>. Then one click is enough for addresses on the same site as
        this page.
      </p>
    );
  if (target === null)
    return (
      <p class="notice">
        Type the address of a page of the application. On the same site as this page one click is enough.
      </p>
    );
  return domain === null ? (
    <p class="notice">
      <bdi>{target.origin}</bdi> is another site than this page, so this page cannot set its cookie. Use one of the ways
      below: the run appears here.
    </p>
  ) : (
    <></>
  );
}
