/** A list of runs. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RunInfo, RunSort } from "../api/generated";
import * as format from "../format";
import { ShortName } from "../parts/ShortName";
import { RouteLink } from "../shell/RouteLink";
import { common, telling, type RunColumn } from "./columns";

/** As many as are in view are drawn first, so that they are there sooner. */
const FIRST_DRAWN = 20;

export function RunsTable(props: {
  runs: readonly RunInfo[];
  sort: RunSort;
  isAscending: boolean;
  /** Where a click on a heading leads; without it the order is fixed. */
  sortAddress?: (sort: RunSort) => string;
  /** The runs that are chosen, to compare them; without it none can be. */
  chosen?: readonly string[];
  onChoose?: (id: string, isChosen: boolean) => void;
}): JSX.Element {
  const { runs, sort, chosen, onChoose } = props;
  const [most, setMost] = useState(FIRST_DRAWN);
  useEffect(() => {
    setMost(Infinity);
  }, []);
  const shown = telling(runs, sort);
  const same = common(runs, shown);
  return (
    <>
      {same.length > 0 ? <p class="muted small common-values">All of them: {same.join(" · ")}</p> : null}
      <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
        <table class="runs">
          <thead>
            <tr>
              {chosen === undefined ? null : (
                <th>
                  <span class="sr-only">Chosen</span>
                </th>
              )}
              {shown.map((column) => (
                <Heading key={column.title} column={column} {...props} />
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.slice(0, most).map((run) => (
              <tr key={run.id} class={run.failed ? "failed" : undefined}>
                {chosen === undefined ? null : (
                  <td class="choose">
                    <label>
                      <input
                        type="checkbox"
                        aria-label={`Choose the run ${run.id}`}
                        checked={chosen.includes(run.id)}
                        onChange={(event) => {
                          onChoose?.(run.id, event.currentTarget.checked);
                        }}
                      />
                    </label>
                  </td>
                )}
                {shown.map((column) => (
                  <td
                    key={column.title}
                    class={column.isNumber ? "n" : column.title === "Route" ? "mono clip" : undefined}
                  >
                    <Cell run={run} column={column} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Heading(props: {
  column: RunColumn;
  sort: RunSort;
  isAscending: boolean;
  sortAddress?: (sort: RunSort) => string;
}): JSX.Element {
  const { title, sort, isNumber } = props.column;
  const isSorted = sort === props.sort;
  const order = isSorted ? (props.isAscending ? "ascending" : "descending") : undefined;
  return (
    <th class={isNumber ? "n" : undefined} aria-sort={order}>
      {props.sortAddress === undefined ? (
        title
      ) : (
        <a href={props.sortAddress(sort)}>
          {title}
          {isSorted ? <span aria-hidden="true">{props.isAscending ? " ↑" : " ↓"}</span> : null}
        </a>
      )}
    </th>
  );
}

function Cell(props: { run: RunInfo; column: RunColumn }): JSX.Element {
  const { run, column } = props;
  const text = column.text(run);
  if (column.title === "Started") {
    return (
      <a href={`/run/${run.id}`} title={`${run.title}, ${format.moment(run.started_us)}`}>
        {text}
      </a>
    );
  }
  if (column.title === "Route") {
    return <RouteLink app={run.app} route={run.route} />;
  }
  if (column.sort === "app" || column.sort === "release" || column.sort === "host") return <ShortName name={text} />;
  if (column.title === "Status" && run.failed) return <span class="bad">{text}</span>;
  return column.isNumber ? <>{text}</> : <bdi>{text}</bdi>;
}
