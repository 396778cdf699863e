/** The table of all functions. */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import { COLUMNS, type Column } from "../app/state";
import { download } from "../parts/download";
import * as format from "../format";
import { MetricMenu, TextField } from "../parts/controls";
import { Cost, CostPerCall } from "../parts/Cost";
import { FunctionLink, OriginTag, originTitle } from "../parts/links";
import { Empty, Show } from "../parts/state";
import { costWidth, VirtualTable, type TableColumn } from "../parts/VirtualTable";
import { firstAsked } from "../parts/windowing";
import type { FunctionRow, MetricName, Origin, SortBy, Unit } from "../types";

const ORIGINS: readonly Origin[] = ["user", "vendor", "template", "internal", "waiting", "other"];
/** Rows are asked for in pages, with one in advance. */
const PAGE = 100;

const COLUMN_TITLES: Readonly<Record<Column, string>> = {
  share: "Self %",
  calls: "Calls",
  own: "Self",
  inclusive: "Inclusive",
  perCall: "Self per call",
  origin: "Part of",
  cpu: "Self CPU",
  memory: "Self memory",
  peak: "Self peak",
};

/** Columns of costs of the metric that is looked at are as wide as its unit needs. */
function widthOf(column: Column, metric: MetricName, unit: Unit): string {
  switch (column) {
    case "share":
      return "minmax(5rem, 10rem)";
    case "own":
    case "inclusive":
      return costWidth(metric, unit);
    case "perCall":
      return costWidth(metric, unit, "8rem");
    case "memory":
    case "cpu":
    case "peak":
      return column === "memory" ? "8rem" : "7rem";
    case "origin":
      return "minmax(8.5rem, 15rem)";
    default:
      return "7rem";
  }
}

export function FunctionsPage(): JSX.Element {
  const { state, metric, unit, go, summary } = useSession();
  const [first, setFirst] = useState(() => firstAsked(state.top, PAGE));
  const sort: SortBy = state.sort ?? { by: "own", metric };
  const asked = useAnswer({
    ask: "functions",
    filter: state.filter,
    origins: [...state.origins],
    sort,
    ascending: state.ascending,
    first,
    rows: PAGE * 3,
  });
  const onWindow = useCallback((from: number) => {
    setFirst(firstAsked(from, PAGE));
  }, []);
  const measured = (column: Column): boolean => {
    if (column === "cpu" || column === "memory" || column === "peak") return summary.metrics.includes(column);
    // Of calls there is one number: not one without callees, nor one of each call.
    if (column === "own" || column === "inclusive") return metric !== "calls";
    if (column === "calls") return summary.calls > 0;
    if (column === "perCall") return summary.calls > 0 && metric !== "calls";
    return true;
  };
  const columns = COLUMNS.filter((column) => state.columns.includes(column) && measured(column));
  const sortBy = (next: SortBy): void => {
    const isSame = JSON.stringify(next) === JSON.stringify(sort);
    // Names begin with A, costs with the largest.
    go({ sort: next, ascending: isSame ? !state.ascending : false }, "replace");
  };
  return (
    <section class="functions" aria-label="Functions">
      <div class="toolbar">
        <TextField
          label="Filter by name"
          value={state.filter}
          onChange={(filter) => {
            go({ filter }, "replace");
          }}
        />
        <MetricMenu />
        <div class="choice" role="group" aria-label="Only functions of">
          {ORIGINS.map((origin) => (
            <button
              key={origin}
              type="button"
              aria-pressed={state.origins.includes(origin)}
              onClick={() => {
                const without = state.origins.filter((one) => one !== origin);
                go({ origins: without.length === state.origins.length ? [...without, origin] : without }, "replace");
              }}
            >
              {originTitle(origin)}
            </button>
          ))}
        </div>
        <ColumnMenu columns={COLUMNS.filter(measured)} />
        <CsvButton />
      </div>
      <Show asked={asked}>
        {(table) => (
          <>
            <p class="table-note" role="status">
              {table.matches === table.of
                ? format.counted(table.of, "function")
                : `${format.count(table.matches)} of ${format.counted(table.of, "function")}`}
              {metric === "calls" || table.matches === table.of
                ? ""
                : `, ${format.share(table.own[metric], table.total[metric])} of all self cost`}
            </p>
            {table.of === 0 ? (
              <Empty title="No function was called." />
            ) : table.matches === 0 ? (
              <Empty title="No function matches.">
                <p>
                  <button
                    type="button"
                    onClick={() => {
                      go({ filter: "", origins: [] });
                    }}
                  >
                    Clear the filter
                  </button>
                </p>
              </Empty>
            ) : (
              <VirtualTable
                label="Functions"
                rows={table.matches}
                columns={tableColumns(columns, [metric, unit], sort, state.ascending, sortBy)}
                onWindow={onWindow}
                place={{ top: state.top, row: state.row }}
                onPlace={(place) => {
                  go(place, "replace");
                }}
                cells={(at) => {
                  const row = table.rows[at - table.first];
                  return row === undefined
                    ? null
                    : [
                        <FunctionLink key="name" fn={row.function} name={row.name} />,
                        ...columns.map((column) => (
                          <Cell key={column} column={column} row={row} total={table.total[metric]} />
                        )),
                      ];
                }}
                onOpen={(at) => {
                  const row = table.rows[at - table.first];
                  if (row) go({ page: "function", fn: row.function });
                }}
              />
            )}
          </>
        )}
      </Show>
    </section>
  );
}

function tableColumns(
  columns: readonly Column[],
  [metric, unit]: readonly [MetricName, Unit],
  sort: SortBy,
  ascending: boolean,
  sortBy: (sort: SortBy) => void,
): TableColumn[] {
  const column = (key: string, title: string, width: string, by: SortBy | null, help?: string): TableColumn => ({
    key,
    title,
    width,
    numeric: key !== "name" && key !== "origin",
    ...(help === undefined ? {} : { help }),
    ...(by === null
      ? {}
      : {
          sort: () => {
            sortBy(by);
          },
          sorted:
            JSON.stringify(by) !== JSON.stringify(sort)
              ? null
              : (by.by === "name") === ascending
                ? "descending"
                : "ascending",
        }),
  });
  const bySort: Readonly<Record<Column, [SortBy | null, string?]>> = {
    share: [null, metric === "calls" ? "Of all calls" : "Self cost, of the whole profile"],
    calls: [{ by: "own", metric: "calls" }],
    own: [{ by: "own", metric }, "Without the functions that it calls"],
    inclusive: [{ by: "inclusive", metric }, "With the functions that it calls; recursion counts once"],
    perCall: [{ by: "perCall", metric }, "Self cost of one call, on average"],
    origin: [null],
    cpu: [{ by: "own", metric: "cpu" }],
    memory: [{ by: "own", metric: "memory" }],
    peak: [{ by: "own", metric: "peak" }],
  };
  return [
    column("name", "Function", "minmax(12rem, 1fr)", { by: "name" }),
    ...columns.map((key) => {
      const [by, help] = bySort[key];
      const title = key === "share" && metric === "calls" ? "Share" : COLUMN_TITLES[key];
      return column(key, title, widthOf(key, metric, unit), by, help);
    }),
  ];
}

function Cell(props: { column: Column; row: FunctionRow; total: number }): ComponentChildren {
  const { metric } = useSession();
  const { row, column } = props;
  switch (column) {
    case "share": {
      const part = props.total > 0 ? Math.max(0, Math.min(1, row.own[metric] / props.total)) : 0;
      return (
        <span class="share-cell">
          <span class="meter" aria-hidden="true">
            <span class="meter-fill" style={{ width: `${part * 100}%` }} />
          </span>
          <span class="share-text">{format.share(row.own[metric], props.total)}</span>
        </span>
      );
    }
    case "calls":
      return <>{format.count(row.own.calls)}</>;
    case "own":
      return <Cost value={row.own[metric]} metric={metric} />;
    case "inclusive":
      return <Cost value={row.inclusive[metric]} metric={metric} />;
    case "perCall":
      return <CostPerCall value={row.own[metric]} calls={row.own.calls} metric={metric} />;
    case "origin":
      return <OriginTag row={row} />;
    case "cpu":
    case "memory":
    case "peak":
      return <Cost value={row.own[column]} metric={column} />;
  }
}

function ColumnMenu(props: { columns: readonly Column[] }): JSX.Element {
  const { state, go } = useSession();
  return (
    <details class="popup">
      <summary>Columns</summary>
      <div class="popup-body">
        {props.columns.map((column) => (
          <label key={column}>
            <input
              type="checkbox"
              checked={state.columns.includes(column)}
              onChange={() => {
                const wanted = (one: Column): boolean => (one === column) !== state.columns.includes(one);
                go({ columns: COLUMNS.filter(wanted) }, "replace");
              }}
            />{" "}
            {COLUMN_TITLES[column]}
          </label>
        ))}
      </div>
    </details>
  );
}

function CsvButton(): JSX.Element {
  const { engine, state, summary } = useSession();
  return (
    <button
      type="button"
      title="All functions, as a table for spreadsheets"
      onClick={() => {
        void download(engine, { format: "csv", estimate: state.estimate }, state, summary.title);
      }}
    >
      CSV
    </button>
  );
}
