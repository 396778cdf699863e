/** What stands where an answer is not there yet, or cannot be. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSession, type Reply } from "../app/session";
import type { EngineError } from "../engine/client";

/** A line in the middle of an empty view, with what to do next. */
export function Empty(props: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** A command to type, as text that can be selected. */
export function Command(props: { children: string }): JSX.Element {
  return (
    <pre class="command" tabIndex={0} role="region" aria-label="Command">
      <code>{props.children}</code>
    </pre>
  );
}

/** Says that something takes long, once it does. */
export function Busy(props: { what?: string }): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLong(true);
    }, 200);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  if (!isLong) return null;
  return (
    <div class="busy" role="status">
      <span class="spinner" aria-hidden="true" /> {props.what ?? "Computing"}…
    </div>
  );
}

/** In percent: what a profile that did not fit is opened without. */
const THRESHOLD = 0.01;

/** A failure in the words of the engine, with a way out where there is one. */
export function FailureNote(props: { failure: EngineError }): JSX.Element {
  const { state, go, chooseBase, reopen } = useSession();
  const { code, message } = props.failure;
  if (code === "needs-stacks" && !state.estimate) {
    return (
      <Empty title="This profile holds callers and callees, not whole call stacks.">
        <p>A flame graph of it can only be guessed: costs are divided among callers in proportion.</p>
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => {
              go({ estimate: true });
            }}
          >
            Show the estimate
          </button>
        </p>
        <p>To record whole stacks:</p>
        <Command>xhprof run --mode tree -o run.xhp -- script.php</Command>
      </Empty>
    );
  }
  if (code === "needs-times") {
    return (
      <Empty title="This profile does not say when calls happened.">
        <p>Record every call with its time:</p>
        <Command>xhprof run --mode events -o run.xhp -- script.php</Command>
        <p class="muted small">Of a file with more than six million events, only the call tree is shown.</p>
      </Empty>
    );
  }
  if (code === "needs-base") {
    return (
      <Empty title="There is nothing to compare with.">
        <p>
          <button type="button" class="primary" onClick={chooseBase}>
            Choose a base…
          </button>
        </p>
        <p>Or from the command line:</p>
        <Command>xhprof view new.xhp --base old.xhp</Command>
      </Empty>
    );
  }
  if (code === "unknown-node") {
    return (
      <Empty title="That call path is not in this profile.">
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => {
              go({ zoom: [], selected: null });
            }}
          >
            Show the whole graph
          </button>
        </p>
      </Empty>
    );
  }
  if (code === "unknown-function" || code === "unknown-file") {
    return (
      <Empty
        title={
          code === "unknown-file"
            ? "That file is not in this profile."
            : "That function was not called in this profile."
        }
      >
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => {
              go({ page: code === "unknown-file" ? "source" : "functions", fn: null, file: null });
            }}
          >
            {code === "unknown-file" ? "All files" : "All functions"}
          </button>
        </p>
      </Empty>
    );
  }
  if (code === "engine-stopped") {
    return (
      <Empty title="The engine stopped: most likely the memory of this page ran out.">
        <p>
          <button
            type="button"
            class="primary"
            onClick={() => {
              reopen();
            }}
          >
            Open the profile again
          </button>{" "}
          <button
            type="button"
            onClick={() => {
              reopen(THRESHOLD);
            }}
          >
            Open it without what cost less than {THRESHOLD} %
          </button>
        </p>
        <p>The program has no such limit, and makes it smaller:</p>
        <Command>{`xhprof convert IN --threshold ${String(THRESHOLD)} -o small.xhp`}</Command>
        <p class="muted small">
          <bdi>{message.slice(0, 500)}</bdi>
        </p>
      </Empty>
    );
  }
  return (
    <div class="failure" role="alert">
      <strong>This cannot be shown:</strong> <bdi>{message}</bdi>
    </div>
  );
}

/** The answer, or what stands for it. */
export function Show<T>(props: { asked: Reply<T>; children: (answer: T) => ComponentChildren }): JSX.Element {
  const { asked } = props;
  if (asked.failure) return <FailureNote failure={asked.failure} />;
  if (asked.answer === null) return <Busy />;
  return <>{props.children(asked.answer)}</>;
}
