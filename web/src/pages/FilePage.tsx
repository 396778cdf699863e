/** The file: what it says of itself, and how to save it in another format. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { asEngineError, useAnswer, useSession } from "../app/session";
import type { EngineError } from "../engine/client";
import * as format from "../format";
import { MetricMenu } from "../parts/controls";
import { download } from "../parts/download";
import { Show } from "../parts/state";
import type { FormatChoice } from "../types";
import { Fact } from "./OverviewPage";

const SHAPES: Readonly<Record<string, string>> = {
  edges: "callers and callees",
  tree: "a call tree",
  samples: "samples of stacks",
  events: "every call with its time",
};

export function FilePage(): JSX.Element {
  const asked = useAnswer({ ask: "summary" });
  return (
    <Show asked={asked}>
      {(summary) => (
        <div class="file-page">
          <section class="card">
            <h2>What it holds</h2>
            <dl class="facts wide">
              <Fact name={summary.files.length === 1 ? "file" : "files"} value={summary.files.join(", ")} />
              <Fact name="title" value={summary.title} />
              <Fact name="content" value={SHAPES[summary.shape] ?? summary.shape} />
              <Fact
                name="measured"
                value={summary.metrics.map((metric) => format.metricTitle(metric, summary.unit)).join(", ")}
              />
              <Fact name="functions" value={format.count(summary.functions)} />
              {summary.nodes > 0 ? <Fact name="call paths" value={format.count(summary.nodes)} /> : null}
              {summary.samples > 0 ? <Fact name="samples" value={format.count(summary.samples)} /> : null}
              {summary.spans > 0 ? <Fact name="spans" value={format.count(summary.spans)} /> : null}
              <Fact
                name="complete"
                value={summary.isTruncated ? "no: a limit was reached, or the file was cut off" : "yes"}
              />
              <Fact
                name="stacks"
                value={summary.isEstimated ? "estimated" : summary.hasStacks ? "as recorded" : "not known"}
              />
              {summary.startedUnixUs === null ? null : (
                <Fact name="began" value={format.moment(summary.startedUnixUs)} />
              )}
              {summary.meta.map((entry, at) => (
                <Fact key={at} name={entry.name} value={entry.value} />
              ))}
            </dl>
          </section>
          <Export hasStacks={summary.hasStacks} title={summary.title} />
        </div>
      )}
    </Show>
  );
}

/** What most people save; the others are folded. */
const USUAL: readonly string[] = ["native", "speedscope", "callgrind", "pprof", "flamegraph"];

function Choices(props: {
  choices: readonly FormatChoice[];
  busy: string;
  needsEstimate: boolean;
  onSave: (choice: FormatChoice) => void;
}): JSX.Element {
  const { busy, needsEstimate } = props;
  return (
    <ul class="formats">
      {props.choices.map((choice) => (
        <li key={choice.id}>
          <button
            type="button"
            disabled={busy !== "" || (choice.needsStacks && needsEstimate)}
            title={choice.needsStacks && needsEstimate ? "This format needs whole call stacks" : undefined}
            onClick={() => {
              props.onSave(choice);
            }}
          >
            <span class="grow">{busy === choice.id ? "Saving…" : choice.name}</span>
            <code>{choice.id}</code>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Export(props: { hasStacks: boolean; title: string }): JSX.Element {
  const { engine, state, metric, go } = useSession();
  const [formats, setFormats] = useState<readonly FormatChoice[]>([]);
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState<EngineError | null>(null);
  useEffect(() => {
    engine.formats().then(setFormats, (error: unknown) => {
      setFailure(asEngineError(error));
    });
  }, [engine]);
  const save = async (choice: FormatChoice): Promise<void> => {
    setBusy(choice.id);
    setFailure(null);
    try {
      await download(
        engine,
        { format: choice.id, metric, estimate: state.guess || state.estimate },
        state,
        props.title,
      );
    } catch (error) {
      setFailure(asEngineError(error));
    } finally {
      setBusy("");
    }
  };
  const needsEstimate = !props.hasStacks && !state.guess && !state.estimate;
  const usual = USUAL.flatMap((id) => formats.filter((choice) => choice.id === id));
  const how = {
    busy,
    needsEstimate,
    onSave: (choice: FormatChoice) => {
      void save(choice);
    },
  };
  return (
    <section class="card">
      <h2>Save as</h2>
      <p class="muted small">
        {state.range === null ? "The whole profile." : "Only the chosen range of time."} Formats with one metric get the
        one chosen here.
      </p>
      <div class="toolbar">
        <MetricMenu />
        {props.hasStacks ? null : (
          <label>
            <input
              type="checkbox"
              checked={state.guess}
              onChange={() => {
                go({ guess: !state.guess }, "replace");
              }}
            />{" "}
            estimate stacks where a format needs them
          </label>
        )}
      </div>
      {failure ? (
        <p class="failure" role="alert">
          <bdi>{failure.message}</bdi>
        </p>
      ) : null}
      <Choices choices={usual} {...how} />
      {formats.length > usual.length ? (
        <details class="more-formats">
          <summary>{format.count(formats.length - usual.length)} more formats</summary>
          <Choices choices={formats.filter((choice) => !usual.includes(choice))} {...how} />
        </details>
      ) : null}
    </section>
  );
}
