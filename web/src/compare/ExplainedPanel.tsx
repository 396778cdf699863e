/** What explains the change of a figure: the calls that cause it, then the functions. */
import type { JSX } from "preact";
import type { Cause, Explained } from "../api/generated";
import { functionAddress } from "../api/filter";
import * as format from "../format";
import { FunctionName } from "../parts/links";
import { ChangedTable } from "./ChangedTable";
import { causeWords, noRowsWords, runsWords, signed } from "./words";

export function ExplainedPanel(props: {
  /** What is explained: `mean`. */
  of: string;
  id: string;
  explained: Explained;
  /** Whether its note is said here: that of the mean is the page's. */
  hasNote: boolean;
  filter: string;
}): JSX.Element {
  const { explained, of, filter } = props;
  const [before, after] = explained.whole;
  return (
    <section class="panel" aria-labelledby={props.id}>
      <div class="head">
        <h2 id={props.id}>
          What explains the {of}:{" "}
          {explained.change === 0 ? "no change" : `${signed(explained.change, format.time)} a run`}
        </h2>
        <span class="muted small">
          {format.time(before)} → {format.time(after)}, of {runsWords(explained.runs)}
        </span>
      </div>
      {explained.note === null || !props.hasNote ? null : <p class="notice">{explained.note}</p>}
      {explained.causes.map((cause) => (
        <CauseFinding key={`${cause.caller} ${cause.function}`} cause={cause} filter={filter} />
      ))}
      {explained.rows.length === 0 ? (
        <p class="panel-text">{noRowsWords(explained.judged)}</p>
      ) : (
        <ChangedTable
          label={`Functions that changed, of the ${of}`}
          rows={explained.rows}
          causes={explained.causes}
          filter={filter}
        />
      )}
      {explained.rest_count === 0 ? null : (
        <details class="panel-rest">
          <summary>
            {explained.judged !== "judged"
              ? `${format.counted(explained.rest_count, "function")}, ${signed(explained.rest_change, format.time)} a run together, not judged`
              : `${format.counted(explained.rest_count, "other function")} within noise or below 0.1 % of the time: ${signed(explained.rest_change, format.time)} a run together`}
          </summary>
          <ChangedTable
            label={`Other functions, of the ${of}`}
            rows={explained.rest}
            causes={explained.causes}
            filter={filter}
          />
          {explained.rest_count > explained.rest.length ? (
            <p class="panel-text muted">
              And {format.count(explained.rest_count - explained.rest.length)} more with smaller changes.
            </p>
          ) : null}
        </details>
      )}
    </section>
  );
}

/** A call that causes the change of other functions: it is named before them. */
function CauseFinding(props: { cause: Cause; filter: string }): JSX.Element {
  const { cause, filter } = props;
  const followers = cause.functions.filter((name) => name !== cause.function);
  return (
    <div class="finding">
      <span>
        <span class={cause.change > 0 ? "tag bad" : "tag good"}>{signed(cause.change, format.time)} a run</span>
      </span>
      <b class="path">
        <FunctionAnchor name={cause.caller} filter={filter} /> →{" "}
        <FunctionAnchor name={cause.function} filter={filter} />: {causeWords(cause)}
      </b>
      {followers.length === 0 ? null : (
        <span class="muted small">
          With it{" "}
          {followers.slice(0, 4).map((name, at) => (
            <>
              {at === 0 ? "" : ", "}
              <FunctionAnchor name={name} filter={filter} />
            </>
          ))}
          {followers.length > 4 ? ` and ${format.count(followers.length - 4)} more` : ""}
        </span>
      )}
    </div>
  );
}

function FunctionAnchor(props: { name: string; filter: string }): JSX.Element {
  return (
    <a href={functionAddress(props.name, props.filter)}>
      <FunctionName name={props.name} />
    </a>
  );
}
