/** One click: the address opens with a ticket, and the page waits for the run. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, change } from "../api/client";
import type { ProfileNow, RunInfo, Ticket } from "../api/generated";
import { Panel } from "../shell/Page";
import { navigate } from "../shell/router";
import { runOf } from "./arrival";

/** How long the page waits for a run before it says that none came, in milliseconds. */
const PATIENCE = 120_000;

type State =
  | { readonly step: "ready" }
  | { readonly step: "failed"; readonly reason: string }
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
  const isAsked = state.step === "waiting" || state.step === "late";

  useEffect(() => {
    if (!isAsked || target === null) return;
    const run = runOf(
      target,
      fresh.filter(({ id }) => !state.known.has(id)),
    );
    if (run !== null) navigate(`/run/${run.id}`);
  }, [state, fresh]);
  useEffect(() => {
    if (state.step !== "waiting") return;
    const timer = setTimeout(() => {
      setState({ step: "late", known: state.known });
    }, PATIENCE);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);

  if (target === null || ways.secret === null) return <WhyNot ways={ways} />;
  const start = async (): Promise<void> => {
    // Before the question: afterwards the browser would take it for a pop-up.
    const tab = window.open("", "_blank");
    try {
      const { url } = await change<Ticket>("POST", "/api/v1/profile-now/ticket", { url: target.href });
      if (tab === null) {
        setState({ step: "failed", reason: "The browser opens no tab: allow pop-ups of this page." });
        return;
      }
      setState({ step: "waiting", known: new Set(fresh.map(({ id }) => id)) });
      tab.opener = null;
      tab.location.replace(url);
    } catch (error) {
      tab?.close();
      setState({ step: "failed", reason: error instanceof ApiError ? error.message : String(error) });
    }
  };
  return (
    <Panel title="One click" note="the address opens with a ticket that works for a minute">
      <div class="panel-text">
        <p class="buttons">
          <button type="button" class="primary" disabled={state.step === "waiting"} onClick={() => void start()}>
            Profile <bdi class="ellipsis">{target.host + target.pathname}</bdi>
          </button>
          {isAsked ? (
            <button
              type="button"
              onClick={() => {
                setState({ step: "ready" });
              }}
            >
              Stop waiting
            </button>
          ) : null}
        </p>
        <p role="status">{stateWords(state)}</p>
        {state.step === "ready" ? (
          <p class="muted small">
            It opens in a new tab with the parameter <code>{ways.name}</code>. The run then opens in this tab.
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
    case "failed":
      return state.reason;
    case "waiting":
      return "Waiting for the run of that address…";
    case "late":
      return "No run of that address came within two minutes. Are PHP’s settings those below, and does the server get its profiles?";
  }
}

/** Why there is no button: what would bring it. */
function WhyNot(props: { ways: ProfileNow }): JSX.Element {
  const { ways } = props;
  if (ways.secret !== null)
    return (
      <p class="notice">
        Type the address of a page of the application, or use the bookmark below: one click is enough.
      </p>
    );
  return ways.is_known ? (
    <p class="notice">
      Only tokens with the scope admin see the secret: put it in the place of <code>{ways.placeholder}</code>.
    </p>
  ) : (
    <p class="notice">
      This server does not know the secret: put it in the place of <code>{ways.placeholder}</code>, or start the server
      with <code>--trigger-secret-file FILE</code>. Then one click is enough.
    </p>
  );
}
