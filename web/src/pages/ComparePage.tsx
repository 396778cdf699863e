/** What changed since the base. */
import type { JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { MetricMenu, TextField } from "../parts/controls";
import { FunctionLink, Go, shortTitle } from "../parts/links";
import { Show } from "../parts/state";
import { costWidth, VirtualTable } from "../parts/VirtualTable";
import { firstAsked } from "../parts/windowing";
import type { ChangeOf, ChangeRow, Changes, SortBy } from "../types";

const PAGE = 100;

export function ComparePage(): JSX.Element {
  const { state, metric, go } = useSession();
  const [first, setFirst] = useState(() => firstAsked(state.top, PAGE));
  const onWindow = useCallback((from: number) => {
    setFirst(firstAsked(from, PAGE));
  }, []);
  // Answered for the whole profiles: a range of time is of one of them.
  const asked = useAnswer(
    { ask: "changes", filter: state.filter, metric, sort: state.sort, first, rows: PAGE * 3 },
    {},
  );
  return (
    <section class="compare" aria-label="Compare">
      <Show asked={asked}>
        {(changes) => (
          <>
            <Total changes={changes} />
            <div class="toolbar">
              <TextField
                label="Filter by name"
                value={state.filter}
                onChange={(filter) => {
                  go({ filter }, "replace");
                }}
              />
              <MetricMenu />
              <Go
                to={{ page: "flame", colouring: "difference", asText: false, zoom: [], selected: null }}
                class="button"
              >
                Flame graph of the difference
              </Go>
              <span class="muted">{format.counted(changes.matches, "function")}</span>
            </div>
            <Table changes={changes} onWindow={onWindow} />
          </>
        )}
      </Show>
    </section>
  );
}

function Total(props: { changes: Changes }): JSX.Element {
  const { metric, unit, summary, isInShell } = useSession();
  const { changes } = props;
  const { total } = changes;
  const side = (title: string, value: number, spread: number, runs: number, files: readonly string[]): JSX.Element => (
    <div class="tile">
      <dt>{title}</dt>
      <dd>
        <span class="tile-value">{format.cost(value, metric, unit)}</span>
        <span class="tile-detail">
          {runs > 1 ? (
            `mean of ${runs} profiles, ± ${format.cost(spread, metric, unit)}`
          ) : (
            <bdi>{(files[0] ?? "").slice(-60)}</bdi>
          )}
        </span>
      </dd>
    </div>
  );
  return (
    <>
      <dl class="tiles">
        {side("Base", total.base, total.baseSpread, changes.baseRuns, changes.baseFiles)}
        {side("New", total.new, total.newSpread, changes.newRuns, summary.files)}
        <div class="tile">
          <dt>{format.metricTitle(metric, unit)}</dt>
          <dd>
            <span class={`tile-value ${tone(total)}`}>{format.signedCost(total.difference, metric, unit)}</span>
            <span class="tile-detail">{total.base === 0 ? "" : format.change(total.relative)}</span>
          </dd>
        </div>
      </dl>
      {changes.spreadIsKnown ? null : (
        <p class="muted small changed">
          One profile on a side says nothing about chance.{" "}
          {isInShell ? (
            <>
              The page <a href="/compare">Compare</a> judges the changes of groups of runs.
            </>
          ) : (
            "Open two or more on each side, and changes within their spread are told apart."
          )}
        </p>
      )}
    </>
  );
}

function tone(change: ChangeOf): string {
  if (change.withinSpread || change.difference === 0) return "even";
  return change.difference > 0 ? "more" : "less";
}

function Change(props: { of: ChangeOf; isCalls?: boolean }): JSX.Element {
  const { metric, unit } = useSession();
  const { of } = props;
  if (of.difference === 0) return <span class="muted">=</span>;
  const text =
    props.isCalls === true
      ? format.signedCost(of.difference, "calls", unit)
      : format.signedCost(of.difference, metric, unit);
  return (
    <span class={tone(of)} title={of.withinSpread ? "Profiles of one side differ as much" : undefined}>
      {text}
      {of.withinSpread ? " ~" : ""}
    </span>
  );
}

/** Whether a function is on one side only. */
function SideTag(props: { row: ChangeRow }): JSX.Element | null {
  const { calls, inclusive } = props.row;
  const isOn = (side: "base" | "new"): boolean => calls[side] !== 0 || inclusive[side] !== 0;
  if (isOn("base") === isOn("new")) return null;
  return (
    <>
      {" "}
      <span class="tag">{isOn("base") ? "only in the base" : "new"}</span>
    </>
  );
}

function Table(props: { changes: Changes; onWindow: (first: number, end: number) => void }): JSX.Element {
  const { metric, unit, state, go } = useSession();
  const { changes } = props;
  const sorter = (by: SortBy | null) => ({
    sort: () => {
      go({ sort: by }, "replace");
    },
    sorted:
      JSON.stringify(state.sort) === JSON.stringify(by)
        ? by?.by === "name"
          ? ("ascending" as const)
          : ("descending" as const)
        : null,
  });
  return (
    <VirtualTable
      label="Changes, the largest first"
      rows={changes.matches}
      onWindow={props.onWindow}
      place={{ top: state.top, row: state.row }}
      onPlace={(place) => {
        go(place, "replace");
      }}
      columns={[
        { key: "name", title: "Function", width: "minmax(12rem, 1fr)", ...sorter({ by: "name" }) },
        {
          key: "own",
          title: "Self",
          width: costWidth(metric, unit, "8rem"),
          numeric: true,
          help: "New less base, without callees",
          ...sorter(null),
        },
        { key: "relative", title: "of base", width: "7rem", numeric: true },
        { key: "base", title: "Base", width: costWidth(metric, unit, "6.5rem"), numeric: true },
        { key: "new", title: "New", width: costWidth(metric, unit, "6.5rem"), numeric: true },
        {
          key: "inclusive",
          title: "Inclusive",
          width: costWidth(metric, unit, "8rem"),
          numeric: true,
          ...sorter({ by: "inclusive", metric }),
        },
        {
          key: "calls",
          title: "Calls",
          width: "6.5rem",
          numeric: true,
          ...sorter({ by: "inclusive", metric: "calls" }),
        },
      ]}
      cells={(at) => {
        const row = changes.rows[at - changes.first];
        if (row === undefined) return null;
        return [
          row.function === null ? (
            <span key="name" class="fn" title={shortTitle(row.name)}>
              <bdi>{row.name.slice(0, 2_000)}</bdi> <span class="tag">only in the base</span>
            </span>
          ) : (
            <>
              <FunctionLink key="name" fn={row.function} name={row.name} />
              <SideTag row={row} />
            </>
          ),
          <Change key="own" of={row.own} />,
          row.own.base === 0 && row.own.new === 0 ? "" : format.change(row.own.relative),
          format.cost(row.own.base, metric, unit),
          format.cost(row.own.new, metric, unit),
          <Change key="inclusive" of={row.inclusive} />,
          <Change key="calls" of={row.calls} isCalls />,
        ];
      }}
      onOpen={(at) => {
        const fn = changes.rows[at - changes.first]?.function;
        if (fn !== null && fn !== undefined) go({ page: "function", fn });
      }}
    />
  );
}
