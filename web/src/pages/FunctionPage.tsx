/** All of one function. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { Halves } from "../flame/Halves";
import { MetricMenu } from "../parts/controls";
import { Cost, CostPerCall } from "../parts/Cost";
import { EditorLink } from "../parts/EditorLink";
import { FunctionLink, Go, OriginTag } from "../parts/links";
import { Empty, Show } from "../parts/state";
import { costWidth, VirtualTable } from "../parts/VirtualTable";
import { Excerpt } from "../source/Excerpt";
import type { FunctionPage as Page, MetricName, NeighbourRow } from "../types";

export function FunctionPage(): JSX.Element {
  const { state, metric } = useSession();
  const fn = state.fn;
  const asked = useAnswer(fn === null ? null : { ask: "function", function: fn, metric });
  if (fn === null) {
    return (
      <Empty title="No function is chosen.">
        <p>
          <Go to={{ page: "functions" }}>Choose one from the table</Go>
        </p>
      </Empty>
    );
  }
  return <Show asked={asked}>{(page) => <Shown page={page} />}</Show>;
}

function Shown(props: { page: Page }): JSX.Element {
  const { page } = props;
  const { metric, summary } = useSession();
  const { row, total } = page;
  const calls = row.inclusive.calls;
  const metrics = summary.metrics.filter((name) => name !== "calls");
  return (
    <article class="function-page">
      <h2 class="function-name">
        <bdi>{row.name}</bdi>
      </h2>
      <p class="function-facts">
        <OriginTag row={row} />
        {page.file === null ? null : (
          <span class="where">
            <Go to={{ page: "source", file: null }} title="Show the source">
              <bdi>{page.file}</bdi>
              {page.line > 0 ? `:${page.line}` : ""}
            </Go>{" "}
            <EditorLink file={page.file} line={page.line} />
          </span>
        )}
        {page.recursion > 0 ? <span>calls itself, {format.counted(page.recursion, "level")} deep</span> : null}
        {page.paths > 0 ? <span>{format.counted(page.paths, "call path")}</span> : null}
      </p>
      <div class="toolbar">
        <MetricMenu />
        {summary.hasStacks ? (
          <>
            <Go to={{ page: "sandwich" }} class="button">
              Sandwich
            </Go>
            <Go to={{ page: "flame", search: row.name.slice(0, 200), zoom: [], selected: null }} class="button">
              Find in flame graph
            </Go>
          </>
        ) : null}
        {summary.hasTimes ? (
          <Go to={{ page: "time", search: row.name.slice(0, 200) }} class="button">
            Find in time order
          </Go>
        ) : null}
      </div>
      <div class="function-parts">
        <div class="function-left">
          {metrics.length === 0 ? (
            <p>
              {format.counted(calls, "call")}, {format.share(calls, total.calls)} of all
            </p>
          ) : (
            <Costs page={page} metrics={metrics} />
          )}
          <Excerpt page={page} />
        </div>
        {summary.hasStacks ? (
          <section class="function-flame">
            <Halves fn={row.function} isSmall />
          </section>
        ) : null}
      </div>
      <div class="neighbours">
        <Neighbours
          title="Callers"
          rows={page.callers}
          empty="Nothing calls it: it is where the program begins."
          whole={row.inclusive[metric]}
        />
        <Neighbours title="Callees" rows={page.callees} empty="It calls no function." whole={row.inclusive[metric]} />
      </div>
    </article>
  );
}

/** What each metric came to, without and with the functions that it calls. */
function Costs(props: { page: Page; metrics: readonly MetricName[] }): JSX.Element {
  const { unit } = useSession();
  const { row, total } = props.page;
  const calls = row.inclusive.calls;
  return (
    <div class="scroll-x" role="region" aria-label="Costs" tabIndex={0}>
      <table class="costs">
        <caption class="sr-only">Costs</caption>
        <thead>
          <tr>
            <th scope="col">{calls > 0 ? format.counted(calls, "call") : "Metric"}</th>
            <th scope="col">Self</th>
            <th scope="col">of all</th>
            {calls > 0 ? <th scope="col">per call</th> : null}
            <th scope="col">Inclusive</th>
            <th scope="col">of all</th>
            {calls > 0 ? <th scope="col">per call</th> : null}
          </tr>
        </thead>
        <tbody>
          {props.metrics.map((name: MetricName) => (
            <tr key={name}>
              <th scope="row" title={format.metricNote(name) || undefined}>
                {format.totalMetricTitle(name, unit)}
              </th>
              <td>
                <Cost value={row.own[name]} metric={name} />
              </td>
              <td>{format.share(row.own[name], total[name])}</td>
              {calls > 0 ? (
                <td>
                  <CostPerCall value={row.own[name]} calls={calls} metric={name} />
                </td>
              ) : null}
              <td>
                <Cost value={row.inclusive[name]} metric={name} />
              </td>
              <td>{format.share(row.inclusive[name], total[name])}</td>
              {calls > 0 ? (
                <td>
                  <CostPerCall value={row.inclusive[name]} calls={calls} metric={name} />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const ROW = 30;

function Neighbours(props: {
  title: string;
  rows: readonly NeighbourRow[];
  empty: string;
  whole: number;
}): JSX.Element {
  const { metric, unit, go } = useSession();
  const { rows } = props;
  const hasCalls = metric !== "calls" && rows.some((row) => row.costs.calls > 0);
  // A callee may be called more often than its caller: calls are shares of their sum.
  const whole = metric === "calls" ? rows.reduce((sum, row) => sum + row.costs.calls, 0) : props.whole;
  return (
    <section>
      <h3>
        {props.title} {rows.length > 0 ? <span class="muted">{format.counted(rows.length, "function")}</span> : null}
      </h3>
      {rows.length === 0 ? (
        <p class="muted">{props.empty}</p>
      ) : (
        <div class="neighbour-table" style={{ height: `${(Math.min(rows.length, 14) + 1) * ROW + 6}px` }}>
          <VirtualTable
            label={props.title}
            rows={rows.length}
            rowHeight={ROW}
            columns={[
              { key: "name", title: "Function", width: "minmax(10rem, 1fr)" },
              ...(hasCalls ? [{ key: "calls", title: "Calls", width: "5.5rem", numeric: true }] : []),
              {
                key: "cost",
                title: format.metricTitle(metric, unit),
                width: costWidth(metric, unit, "8.5rem"),
                numeric: true,
              },
              {
                key: "share",
                title: "Share",
                width: "6rem",
                numeric: true,
                help: metric === "calls" ? "Of these calls" : "Of this function with its callees",
              },
            ]}
            cells={(at) => {
              const row = rows[at];
              if (row === undefined) return null;
              return [
                <FunctionLink key="name" fn={row.function} name={row.name} />,
                ...(hasCalls ? [format.count(row.costs.calls)] : []),
                <Cost key="cost" value={row.costs[metric]} metric={metric} />,
                format.share(row.costs[metric], whole),
              ];
            }}
            onOpen={(at) => {
              const row = rows[at];
              if (row) go({ fn: row.function });
            }}
          />
        </div>
      )}
    </section>
  );
}
