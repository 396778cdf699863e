/** Statements, requests and commands, grouped by text. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import type { SpanOrder } from "../app/state";
import * as format from "../format";
import { FunctionLink, Go } from "../parts/links";
import { Command, Empty, Show } from "../parts/state";
import type { Hint, SpanGroupRow } from "../types";
import { isLarge } from "./HintsPage";

const STEP = 200;

export function SpansPage(): JSX.Element {
  const asked = useAnswer({ ask: "spans" });
  const { summary } = useSession();
  return (
    <section class="spans" aria-label="Spans">
      <Show asked={asked}>
        {(spans) =>
          spans.groups.length === 0 ? (
            <Empty title="No statements, requests or commands are in this profile.">
              <p>
                SQL, HTTP, Redis and Memcached calls are recorded in native files, unless the flags leave out{" "}
                <code>sql</code>:
              </p>
              <Command>xhprof run -o run.xhp -- script.php</Command>
            </Empty>
          ) : (
            <>
              <p class="table-note">
                {format.counted(spans.groups.length, "group")}, {format.time(spans.time)} in all
                {spans.base === null ? "" : ` (${format.time(spans.base.time)} in the base)`}
                {summary.total.wall > 0 && summary.unit === "nanoseconds"
                  ? `, ${format.share(spans.time, summary.total.wall)} of the wall time`
                  : ""}
                .
                {spans.leftOut > 0
                  ? ` A limit left out ${format.count(spans.leftOut)} more, which took ${format.time(spans.leftOutTime)}.`
                  : ""}{" "}
                {summary.hasTimes ? <Go to={{ page: "time" }}>See when</Go> : null}
              </p>
              <Groups groups={spans.groups} />
            </>
          )
        }
      </Show>
    </section>
  );
}

const REPEATED: readonly string[] = ["n-plus-one", "repeated-request"];

/** Whether a hint is about a group: its evidence has the text, cut after some letters. */
function isRepeated(group: SpanGroupRow, hints: readonly Hint[]): boolean {
  return hints.some(({ evidence }) =>
    evidence.some(({ value }) => typeof value === "string" && group.text !== "" && isShortened(value, group.text)),
  );
}

function isShortened(short: string, text: string): boolean {
  return short === text || (short.endsWith("…") && text.startsWith(short.slice(0, -1)));
}

/** The head of a column that the groups can be sorted by. */
function Order(props: { value: SpanOrder; title: string }): JSX.Element {
  const { state, go } = useSession();
  const isSorted = props.value === state.spanOrder;
  return (
    <th scope="col" class="num" aria-sort={isSorted ? "descending" : "none"}>
      <button
        type="button"
        class="sorter"
        onClick={() => {
          go({ spanOrder: props.value }, "replace");
        }}
      >
        {props.title} <span class="arrow">{isSorted ? "▼" : ""}</span>
      </button>
    </th>
  );
}

/** A difference below a number. */
function Change(props: { text: string }): JSX.Element {
  const { text } = props;
  return <div class={`small ${text.startsWith("+") ? "more" : text === "0" ? "muted" : "less"}`}>{text}</div>;
}

function Groups(props: { groups: readonly SpanGroupRow[] }): JSX.Element {
  const { state, summary, go } = useSession();
  const order = state.spanOrder;
  const asked = useAnswer(isLarge(summary) ? null : { ask: "hints" });
  const hints = asked.answer?.hints.filter(({ id }) => REPEATED.includes(id)) ?? [];
  const most = state.groups * STEP;
  // In a comparison, the largest change comes first.
  const sizeOf = (group: SpanGroupRow): number =>
    group.base === null || order === "longest" ? group[order] : Math.abs(group[order] - group.base[order]);
  const groups = [...props.groups].sort((a, b) => sizeOf(b) - sizeOf(a));
  return (
    <>
      <div class="scroll-x" role="region" aria-label="Groups of spans" tabIndex={0}>
        <table class="wide-table">
          <caption class="sr-only">Groups of spans</caption>
          <thead>
            <tr>
              <Order value="time" title="Time" />
              <Order value="calls" title="Count" />
              <th scope="col">Statement</th>
              <th scope="col">Called by</th>
              <Order value="longest" title="Longest" />
              <th scope="col" class="num">
                Mean
              </th>
              <th scope="col" class="num">
                Rows
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.slice(0, most).map((group, at) => (
              <tr key={at}>
                <td class="num">
                  {format.time(group.time)}
                  {group.base === null ? null : (
                    <Change text={format.signedCost(group.time - group.base.time, "wall", "nanoseconds")} />
                  )}
                </td>
                <td class="num">
                  {format.count(group.calls)}
                  {group.base === null ? null : (
                    <Change text={format.signedCost(group.calls - group.base.calls, "calls", "nanoseconds")} />
                  )}
                </td>
                <td>
                  <span class="kind">{group.kind}</span>{" "}
                  {group.base === null ? null : group.base.calls === 0 ? (
                    <span class="kind new">new</span>
                  ) : group.calls === 0 ? (
                    <span class="kind gone">gone</span>
                  ) : null}{" "}
                  {isRepeated(group, hints) ? (
                    <Go
                      to={{ page: "hints" }}
                      class="kind warn"
                      title="The same again and again in one call: see the hint"
                    >
                      {group.kind === "sql" ? "N+1" : "repeated"}
                    </Go>
                  ) : null}{" "}
                  {group.text === "" ? null : <bdi class="statement">{group.text.slice(0, 4_000)}</bdi>}
                  <div class="small">
                    by <FunctionLink fn={group.function} name={group.name} />
                  </div>
                </td>
                <td>
                  <ul class="lines">
                    {group.callers.slice(0, 4).map((caller) => (
                      <li key={caller.function}>
                        <span class="line-share">{format.count(caller.calls)}×</span>
                        <FunctionLink fn={caller.function} name={caller.name} />
                      </li>
                    ))}
                    {group.callers.length > 4 ? <li class="muted">{group.callers.length - 4} more</li> : null}
                  </ul>
                </td>
                <td class="num">{format.time(group.longest)}</td>
                <td class="num">{format.perCall(group.time, group.calls, "wall", "nanoseconds")}</td>
                <td class="num">{group.rows === null ? "" : format.count(group.rows)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {groups.length > most ? (
        <button
          type="button"
          onClick={() => {
            go({ groups: state.groups + 1 }, "replace");
          }}
        >
          {format.count(groups.length - most)} more groups
        </button>
      ) : null}
    </>
  );
}
