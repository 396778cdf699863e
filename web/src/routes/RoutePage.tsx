/** One route: its figures, its functions and statements, its slowest runs. */
import type { JSX } from "preact";
import { capital } from "../api/client";
import { address, functionAddress } from "../api/filter";
import type { RouteFunction, RouteOfRuns, RouteSpan } from "../api/generated";
import { valueOf } from "../api/terms";
import { useApi } from "../api/useApi";
import { RequestCharts, useSeries } from "../chart/RequestCharts";
import { Spark } from "../chart/Spark";
import * as format from "../format";
import { FunctionName } from "../parts/links";
import { ShareBar } from "../parts/ShareBar";
import { RunsTable } from "../runs/RunsTable";
import { Page, Panel, Tag } from "../shell/Page";
import { filterOf } from "../shell/server";
import { Answered, NoRuns, Nothing } from "../shell/states";

export function RoutePage(props: { url: URL }): JSX.Element {
  const q = filterOf(props.url);
  const asked = useApi<RouteOfRuns>(address("/api/v1/pages/route", { q }));
  const route = asked.answer?.route ?? valueOf(q, "route") ?? "Requests";
  return (
    <Page
      title={route}
      note={asked.answer?.app ?? ""}
      actions={
        <>
          <a class="button" href={address("/runs", { q, sort: "wall" })}>
            Runs
          </a>
          <a class="button" href={address("/tree", { q })}>
            Flame graph of an average run
          </a>
        </>
      }
    >
      {asked.error?.status === 404 ? (
        <NoRuns q={q} path="/routes" />
      ) : (
        <Answered asked={asked} lines={10}>
          {(answer) =>
            answer.total.runs === 0 ? (
              <Nothing title="No request of this route in this time." />
            ) : (
              <Known of={answer} {...props} q={q} />
            )
          }
        </Answered>
      )}
    </Page>
  );
}

function Known(props: { of: RouteOfRuns; url: URL; q: string }): JSX.Element {
  const { of, url, q } = props;
  const { total } = of;
  const series = useSeries(q);
  const facts: readonly [string, string][] = [
    ["Requests", format.count(total.requests)],
    ["p50", format.time(total.p50)],
    ["p95", format.time(total.p95)],
    ["p99", format.time(total.p99)],
    ["CPU, mean", total.mean_cpu === null ? "–" : format.time(total.mean_cpu)],
    ["Peak, mean", total.mean_peak === null ? "–" : format.bytes(total.mean_peak)],
    ["Errors", format.share(of.failed_share, 1)],
    ...(of.share === null ? [] : ([["Share of time", format.share(of.share, 1)]] as [string, string][])),
  ];
  return (
    <>
      <ul class="cards" aria-label="Figures of the route">
        {facts.map(([label, text]) => (
          <li key={label} class="card">
            <div class="label">{label}</div>
            <div class="figure">{text}</div>
          </li>
        ))}
      </ul>
      <div class="columns-2-1">
        <RequestCharts url={url} q={q} asked={series} />
        <Panel title="Compare">
          {of.proposals.length === 0 ? (
            <Nothing title="There is one release, and nothing to compare it with." />
          ) : (
            <ul class="link-list">
              {of.proposals.map(({ before, after, text }) => (
                <li key={text}>
                  <a href={address("/compare", { before, after })}>{capital(text)}</a>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
      <Panel title="Functions by self time" note={`of a run, on average of ${format.counted(total.runs, "run")}`}>
        <FunctionsTable functions={of.functions} q={q} />
      </Panel>
      {of.spans.length === 0 ? null : (
        <Panel title="Statements and requests" note="of a run, on average">
          <SpansTable spans={of.spans} />
        </Panel>
      )}
      <Panel title="Slowest runs" actions={<a href={address("/runs", { q, sort: "wall" })}>All runs</a>}>
        <RunsTable runs={of.slowest} sort="wall" isAscending={false} />
      </Panel>
    </>
  );
}

function FunctionsTable(props: { functions: readonly RouteFunction[]; q: string }): JSX.Element {
  return (
    <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Function</th>
            <th>Share of time</th>
            <th class="n">Self</th>
            <th class="n">Inclusive</th>
            <th class="n">Calls</th>
            <th class="n">Self CPU</th>
            <th class="n">Memory</th>
            <th>Self by day</th>
          </tr>
        </thead>
        <tbody>
          {props.functions.map((row) => (
            <tr key={row.name}>
              <td class="clip">
                <a href={functionAddress(row.name, props.q)}>
                  <FunctionName name={row.name} />
                </a>
              </td>
              <td>
                <ShareBar share={row.share} />
              </td>
              <td class="n">{format.time(row.own)}</td>
              <td class="n">{format.time(row.wall)}</td>
              <td class="n">{format.count(row.calls)}</td>
              <td class="n">{format.time(row.own_cpu)}</td>
              <td class="n">{format.bytes(row.own_memory)}</td>
              <td>
                <Spark values={row.days.map(({ mean }) => mean)} label={`Self time of ${row.days.length} days`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SpansTable(props: { spans: readonly RouteSpan[] }): JSX.Element {
  return (
    <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Kind</th>
            <th>Text</th>
            <th>Share of time</th>
            <th class="n">Of a run</th>
            <th class="n">Time of a run</th>
            <th class="n">Longest</th>
            <th class="n">Runs</th>
          </tr>
        </thead>
        <tbody>
          {props.spans.map((row) => (
            <tr key={`${row.kind} ${row.text}`}>
              <td>{row.kind}</td>
              <td class="mono statement">
                <bdi>{row.text}</bdi> {row.is_repeated ? <Tag kind="bad">repeated: N+1</Tag> : null}
              </td>
              <td>
                <ShareBar share={row.share} />
              </td>
              <td class="n">{format.count(row.per_run)}</td>
              <td class="n">{format.time(row.wall_per_run)}</td>
              <td class="n">{format.time(row.max)}</td>
              <td class="n">{format.count(row.runs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
