/** Functions before and after, a row each. */
import type { JSX } from "preact";
import type { Cause, ChangedFunction } from "../api/generated";
import { functionAddress } from "../api/filter";
import * as format from "../format";
import { FunctionName } from "../parts/links";
import { causeWords, signed, surenessWord } from "./words";

export function ChangedTable(props: {
  label: string;
  rows: readonly ChangedFunction[];
  causes: readonly Cause[];
  /** The filter of the functions' pages. */
  filter: string;
}): JSX.Element {
  const largest = props.rows.reduce((most, row) => Math.max(most, Math.abs(row.change)), 0);
  return (
    <div class="table-place" role="region" aria-label={props.label} tabIndex={0}>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col" class="n">
              Change of self
            </th>
            <th scope="col">How sure</th>
            <th scope="col" class="wide">
              Part of the change
            </th>
            <th scope="col" class="n">
              Before
            </th>
            <th scope="col" class="n">
              After
            </th>
            <th scope="col" class="n">
              Calls before
            </th>
            <th scope="col" class="n">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <Row key={row.name} row={row} causes={props.causes} filter={props.filter} largest={largest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: { row: ChangedFunction; causes: readonly Cause[]; filter: string; largest: number }): JSX.Element {
  const { row, causes } = props;
  const cause = row.cause === null ? undefined : causes[row.cause];
  const isCause = cause?.function === row.name;
  return (
    <tr class={cause !== undefined && !isCause ? "follows" : undefined}>
      <th scope="row" class="name">
        <a href={functionAddress(row.name, props.filter)}>
          <FunctionName name={row.name} />
        </a>
        {cause === undefined ? null : isCause ? (
          <span class="because">
            {causeWords(cause)}, by <FunctionName name={cause.caller} />
          </span>
        ) : (
          <span class="because">
            because of <FunctionName name={cause.function} />
          </span>
        )}
      </th>
      <td class="n">{signed(row.change, format.time)}</td>
      <td>
        <span class={surenessClass(row)}>{surenessWord(row.sureness)}</span>
      </td>
      <td class="wide">
        <ChangeBar change={row.change} largest={props.largest} />
        {row.part === null ? "" : signed(row.part, (part) => format.share(part, 1))}
      </td>
      <td class="n">{format.time(row.own_before)}</td>
      <td class="n">{format.time(row.own_after)}</td>
      <td class="n">{format.count(row.calls_before)}</td>
      <td class="n">{format.count(row.calls_after)}</td>
    </tr>
  );
}

function surenessClass(row: ChangedFunction): string {
  if (row.sureness === "sure") return row.change > 0 ? "tag bad" : "tag good";
  return row.sureness === "likely" ? "tag" : "muted";
}

/** To the right for more time, to the left for less. */
function ChangeBar(props: { change: number; largest: number }): JSX.Element {
  const width = props.largest === 0 ? 0 : (48 * Math.abs(props.change)) / props.largest;
  const isMore = props.change > 0;
  return (
    <svg class="change-bar" viewBox="0 0 100 12" aria-hidden="true">
      <path d="M50 0V12" />
      <rect class={isMore ? "more" : "less"} x={isMore ? 50 : 50 - width} y="2" width={width} height="8" />
    </svg>
  );
}
