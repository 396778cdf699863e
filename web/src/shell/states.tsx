/** What stands where an answer of the server is not there yet, or cannot be. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Asked } from "../api/useApi";

/** Grey lines in place of what comes, once it takes longer than a blink. */
export function Loading(props: { lines?: number }): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLong(true);
    }, 150);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="loading" role="status" aria-label="Loading">
      {isLong ? Array.from({ length: props.lines ?? 4 }, (_, line) => <div key={line} class="loading-line" />) : null}
    </div>
  );
}

export function Failed(props: { message: string; again?: () => void }): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <p>
        <bdi>{props.message}</bdi>
      </p>
      {props.again ? (
        <button type="button" onClick={props.again}>
          Ask again
        </button>
      ) : null}
    </div>
  );
}

/** Says that there is nothing, and what brings something. */
export function Nothing(props: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="nothing">
      <p class="nothing-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** Says that no run is in a selection: because of its filter, or because there are none yet. */
export function NoRuns(props: { q: string; path: string }): JSX.Element {
  return props.q === "" ? (
    <Nothing title="There are no runs yet.">
      <p>
        <a href="/">Three ways to get some</a>
      </p>
    </Nothing>
  ) : (
    <Nothing title="No run matches.">
      <p>
        <a href={props.path}>Without the filter</a>
      </p>
    </Nothing>
  );
}

/** Says that a comparison would be chance. */
export function TooFew(props: { runs: readonly [number, number]; needed?: number }): JSX.Element {
  const [before, now] = props.runs;
  return (
    <p class="notice">
      Too few runs to tell a change from chance: {before} before, {now} now
      {props.needed === undefined ? "" : `; it takes ${props.needed} of each`}.
    </p>
  );
}

/** An answer once it is there; while the next one comes, the one before, paler. */
export function Answered<T>(props: {
  asked: Asked<T>;
  lines?: number;
  children: (answer: T) => ComponentChildren;
}): JSX.Element {
  const { answer, error, isLoading, again } = props.asked;
  // What the server cannot read, it cannot read another time.
  if (error) return <Failed message={error.message} {...(error.status === 400 ? {} : { again })} />;
  if (answer === null) return <Loading {...(props.lines === undefined ? {} : { lines: props.lines })} />;
  return (
    <div class={isLoading ? "answer stale" : "answer"} aria-busy={isLoading}>
      {props.children(answer)}
    </div>
  );
}
