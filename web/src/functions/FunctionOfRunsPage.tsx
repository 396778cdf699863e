/** One function in all runs of a selection: over time, by route, its callers and callees. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { address, functionAddress } from "../api/filter";
import type { FunctionDay, FunctionOfRuns, NeighbourRow, ReleaseInfo } from "../api/generated";
import { valueOf } from "../api/terms";
import { useApi } from "../api/useApi";
import { Chart, type Line } from "../chart/Chart";
import { inRange, marksOf } from "../chart/RequestCharts";
import * as format from "../format";
import { FunctionName } from "../parts/links";
import { ShareBar } from "../parts/ShareBar";
import { Page, Panel } from "../shell/Page";
import { RouteLink } from "../shell/RouteLink";
import { filterOf, setParameter } from "../shell/server";
import { Answered, Nothing } from "../shell/states";

export function FunctionOfRunsPage(props: { url: URL }): JSX.Element {
  const { url } = props;
  const q = filterOf(url);
  const name = url.searchParams.get("name") ?? "";
  const asked = useApi<FunctionOfRuns>(name === "" ? null : address("/api/v1/pages/function", { name, q }));
  return (
    <Page title={name === "" ? "Function" : name} note={valueOf(q, "app") ?? ""}>
      {name === "" ? (
        <Nothing title="The address names no function.">
          <p>Search for one: Ctrl K.</p>
        </Nothing>
      ) : asked.error?.status === 404 ? (
        <Nothing title={q === "" ? `No run calls ${name}.` : asked.error.message}>
          {q === "" ? null : (
            <p>
              <a href={functionAddress(name, "")}>In all runs</a>
            </p>
          )}
        </Nothing>
      ) : (
        <Answered asked={asked} lines={10}>
          {(of) =>
            of.calls === 0 ? (
              <Nothing title="It was not called in this selection." />
            ) : (
              <Known of={of} url={url} q={q} />
            )
          }
        </Answered>
      )}
    </Page>
  );
}

function Known(props: { of: FunctionOfRuns; url: URL; q: string }): JSX.Element {
  const { of, url, q } = props;
  const facts: readonly [string, string, string][] = [
    ["Self, of a run", format.time(of.per_run.own), "on the routes below"],
    ["Inclusive, of a run", format.time(of.per_run.wall), "on the routes below"],
    ["Calls, of a run", format.count(of.per_run.calls), `${format.count(of.calls)} in all`],
    ["Self CPU, of a run", format.time(of.per_run.own_cpu), ""],
    ["Memory, of a run", format.bytes(of.per_run.own_memory), "what its own code adds"],
    ["Inclusive, p95", of.p95 === null ? "–" : format.time(of.p95), "of runs that call it"],
    ["Runs", format.count(of.runs), of.called === null ? "" : `${format.count(of.called)} call it`],
  ];
  return (
    <>
      <ul class="cards" aria-label="Figures of the function">
        {facts.map(([label, text, note]) => (
          <li key={label} class="card">
            <div class="label">{label}</div>
            <div class="figure">{text}</div>
            <div class="delta muted">{note}</div>
          </li>
        ))}
      </ul>
      <Panel title="Self time by day" note="of a run on any route, on average">
        <Days days={of.days} releases={of.releases} url={url} />
      </Panel>
      <Panel title="Routes">
        <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Route</th>
                <th>Part of its self time</th>
                <th class="n">Self, of a run</th>
                <th class="n">Inclusive</th>
                <th class="n">Calls</th>
                <th class="n">Runs</th>
              </tr>
            </thead>
            <tbody>
              {of.routes.map((row) => (
                <tr key={`${row.app} ${row.route}`}>
                  <td class="mono clip">
                    <RouteLink app={row.app} route={row.route} />
                  </td>
                  <td>
                    <ShareBar share={row.part} />
                  </td>
                  <td class="n">{format.time(row.per_run.own)}</td>
                  <td class="n">{format.time(row.per_run.wall)}</td>
                  <td class="n">{format.count(row.per_run.calls)}</td>
                  <td class="n">{format.count(row.runs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <div class="columns-2">
        <Neighbours title="Callers" rows={of.callers} q={q} />
        <Neighbours title="Callees" rows={of.callees} q={q} />
      </div>
    </>
  );
}

function Days(props: { days: readonly FunctionDay[]; releases: readonly ReleaseInfo[]; url: URL }): JSX.Element {
  const { days, releases, url } = props;
  // A day with two releases has two points: the later one stands for the day.
  const byDay = useMemo(() => [...new Map(days.map((day) => [day.time_s, day])).values()], [days]);
  const times = useMemo(() => byDay.map(({ time_s }) => time_s), [byDay]);
  const lines = useMemo<Line[]>(
    () => [
      { label: "self", colour: "--accent", isBold: true, values: byDay.map(({ per_run }) => per_run.own) },
      { label: "inclusive", colour: "--line-2", values: byDay.map(({ per_run }) => per_run.wall) },
    ],
    [byDay],
  );
  const marks = useMemo(() => marksOf(releases, times), [releases, times]);
  if (byDay.length < 2) return <Nothing title="There are too few days for a chart." />;
  return (
    <Chart
      title="Self time by day"
      times={times}
      lines={lines}
      text={format.time}
      marks={marks}
      onRange={(from, to) => {
        setParameter(url, "q", inRange(filterOf(url), from, to));
      }}
    />
  );
}

function Neighbours(props: { title: string; rows: readonly NeighbourRow[]; q: string }): JSX.Element {
  return (
    <Panel title={props.title} note="of a run, on average">
      {props.rows.length === 0 ? (
        <Nothing title="None." />
      ) : (
        <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>Function</th>
                <th>Share</th>
                <th class="n">Time</th>
                <th class="n">Calls</th>
              </tr>
            </thead>
            <tbody>
              {props.rows.map((row) => (
                <tr key={row.name}>
                  <td class="clip">
                    <a href={functionAddress(row.name, props.q)}>
                      <FunctionName name={row.name} />
                    </a>
                  </td>
                  <td>
                    <ShareBar share={row.share} />
                  </td>
                  <td class="n">{format.time(row.wall)}</td>
                  <td class="n">{format.count(row.calls)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
