/** Two groups of runs, by run: figures, causes, functions, spans. */
import type { JSX } from "preact";
import type { ComparisonPage } from "../api/generated";
import { address, runsAddress } from "../api/filter";
import * as format from "../format";
import { ExplainedPanel } from "./ExplainedPanel";
import { FigureCards } from "./FigureCards";
import { SpanChanges } from "./SpanChanges";

export function Comparison(props: { before: string; after: string; answer: ComparisonPage }): JSX.Element {
  const { before, after, answer } = props;
  const [old, fresh] = answer.runs;
  return (
    <>
      <div class="compare-lead">
        <p class="muted">
          <a href={runsAddress(before)}>{format.counted(old, "run")} before</a>,{" "}
          <a href={runsAddress(after)}>{format.counted(fresh, "run")} after</a>. All numbers are those of one run.
        </p>
        <a class="button" href={address("/compare/tree", { before, after })}>
          Open the difference in the viewer
        </a>
      </div>
      {answer.note === null ? null : (
        <p class="notice" role="status">
          {answer.note}
        </p>
      )}
      <FigureCards figures={answer.figures} />
      {answer.common === null ? null : (
        <p class="notice">
          Most functions take {format.share(Math.abs(answer.common), 1)} {answer.common < 0 ? "less" : "more"} time:
          that is the load of the machines, not the code. A change is sure only beyond it.
        </p>
      )}
      <ExplainedPanel id="mean-title" of="mean" explained={answer.mean} hasNote={false} filter={after} />
      {answer.p95 === null ? (
        <section class="panel" aria-labelledby="p95-title">
          <div class="head">
            <h2 id="p95-title">What explains the 95th percentile</h2>
          </div>
          <p class="panel-text muted">Not known: at least ten runs near the percentile must be kept of each side.</p>
        </section>
      ) : (
        <ExplainedPanel id="p95-title" of="95th percentile" explained={answer.p95} hasNote filter={after} />
      )}
      <SpanChanges spans={answer.spans} />
      <details class="notes muted small">
        <summary>How sure a change is</summary>
        <p>Times of functions are self times of one run, on average.</p>
        <p>
          A change is sure or likely if it is larger than what the runs, the days and the load of the machines vary by.
          Anything smaller is within noise. Near the 95th percentile more runs are needed than for the mean.
        </p>
      </details>
    </>
  );
}
