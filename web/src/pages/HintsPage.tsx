/** Where time or memory is likely wasted: what was found, by which numbers, and where. */
import type { ComponentChildren, JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { FunctionLink, Go } from "../parts/links";
import { Busy, Empty, Show } from "../parts/state";
import type { Evidence, Hint, Summary } from "../types";

/** Rules look at every call path: beyond this it takes seconds, so they wait for a click. */
const MOST_AT_ONCE = 500_000;

export function HintsPage(): JSX.Element {
  const { summary, state, go } = useSession();
  const isWanted = state.hints || !isLarge(summary);
  const asked = useAnswer(isWanted ? { ask: "hints" } : null);
  if (!isWanted) {
    return (
      <Empty title="This is a large profile: to look for hints takes some seconds.">
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => {
              go({ hints: true });
            }}
          >
            Look for hints
          </button>
        </p>
      </Empty>
    );
  }
  return (
    <section class="hints-page" aria-label="Hints">
      <Show asked={asked}>
        {({ hints }) =>
          hints.length === 0 ? (
            <Empty title="No rule found anything.">
              <p class="muted">
                The rules know a dozen usual wastes: repeated statements, compilation, functions that are called too
                often, large allocations. What is slow for another reason is in the flame graph.
              </p>
              <p>
                <Go to={{ page: "flame" }} class="button">
                  Flame graph
                </Go>
              </p>
            </Empty>
          ) : (
            <>
              <p class="table-note">
                {format.counted(hints.length, "hint")}, those first that can save most. A hint says where to look; it is
                no verdict.
              </p>
              <ol class="hints">
                {hints.map((hint, at) => (
                  <Shown key={at} hint={hint} />
                ))}
              </ol>
            </>
          )
        }
      </Show>
    </section>
  );
}

export function isLarge(summary: Summary): boolean {
  return summary.nodes > MOST_AT_ONCE || (summary.shape === "events" && summary.calls > MOST_AT_ONCE);
}

function Shown(props: { hint: Hint }): JSX.Element {
  const { hint } = props;
  return (
    <li class="hint card">
      <HintShare hint={hint} />
      <div class="hint-body">
        <h2>
          <bdi>{hint.title}</bdi>
        </h2>
        <p>{hint.text}</p>
        <dl class="evidence" aria-label="Found by">
          {hint.evidence.map((evidence, at) => (
            <div key={at}>
              <dt>{evidence.label}</dt>
              <dd>
                <EvidenceText evidence={evidence} />
              </dd>
            </div>
          ))}
        </dl>
        <p class="actions">
          <Places hint={hint} />
          <span class="muted small">
            Rule <code>{hint.id}</code>
          </span>
        </p>
      </div>
    </li>
  );
}

export function HintShare(props: { hint: Hint }): JSX.Element {
  const { share } = props.hint;
  if (share === null)
    return (
      <span class="hint-share" title="It distorts the whole profile">
        all
      </span>
    );
  return (
    <span class="hint-share" title="At most so much can be saved">
      {format.share(share, 1)}
    </span>
  );
}

function EvidenceText(props: { evidence: Evidence }): ComponentChildren {
  const { value, unit, function: fn } = props.evidence;
  if (typeof value === "string")
    return fn === null ? <bdi class="statement">{value}</bdi> : <FunctionLink fn={fn} name={value} />;
  switch (unit) {
    case "ns":
      return <>{format.time(value)}</>;
    case "samples":
      return <>{format.counted(value, "sample")}</>;
    case "bytes":
      return <>{format.bytes(value)}</>;
    case "share":
      return <>{format.share(value, 1)}</>;
    case "count":
    case "text":
      return <>{format.count(value)}</>;
  }
}

const OF_SPANS: readonly string[] = ["n-plus-one", "repeated-request", "waiting"];

/** Links to where it happens. */
function Places(props: { hint: Hint }): JSX.Element {
  const { hint } = props;
  const { summary } = useSession();
  const fn = hint.function;
  return (
    <>
      {fn === null ? null : (
        <>
          <Go to={{ page: "function", fn, selected: null }} class="button">
            Function
          </Go>
          {summary.hasStacks ? (
            <Go to={{ page: "sandwich", fn, selected: null, zoom: [] }} class="button">
              Sandwich
            </Go>
          ) : null}
          <Go to={{ page: "source", fn, file: null }} class="button">
            Source
          </Go>
        </>
      )}
      {OF_SPANS.includes(hint.id) && summary.spans > 0 ? (
        <Go to={{ page: "spans", spanOrder: hint.id === "waiting" ? "time" : "calls" }} class="button">
          Spans
        </Go>
      ) : null}
      {fn === null && hint.id === "compilation" ? (
        <Go to={{ page: "functions", filter: "load::", origins: [] }} class="button">
          Loaded files
        </Go>
      ) : null}
    </>
  );
}

const MOST_ON_CARD = 4;

/** The first hints, for the overview. */
export function HintsCard(): JSX.Element | null {
  const { summary } = useSession();
  const { answer, failure } = useAnswer(isLarge(summary) ? null : { ask: "hints" });
  if (isLarge(summary) || failure !== null) return null;
  if (answer !== null && answer.hints.length === 0) return null;
  return (
    <section class="card hints-card">
      <h2>
        Hints
        <span class="card-more">
          <Go to={{ page: "hints" }}>all</Go>
        </span>
      </h2>
      {answer === null ? (
        <Busy />
      ) : (
        <ol class="lines">
          {answer.hints.slice(0, MOST_ON_CARD).map((hint, at) => (
            <li key={at}>
              <HintShare hint={hint} />
              <Go
                to={
                  hint.function === null ? { page: "hints" } : { page: "function", fn: hint.function, selected: null }
                }
                title={hint.text}
              >
                <bdi>{hint.title}</bdi>
              </Go>
            </li>
          ))}
          {answer.hints.length > MOST_ON_CARD ? (
            <li class="muted">{format.count(answer.hints.length - MOST_ON_CARD)} more</li>
          ) : null}
        </ol>
      )}
    </section>
  );
}
