/** Routes: all of a selection, those with the most time first. */
import type { JSX } from "preact";
import { address } from "../api/filter";
import type { RouteOfList, RoutesPage as Routes } from "../api/generated";
import { useApi } from "../api/useApi";
import { RequestCharts, useSeries } from "../chart/RequestCharts";
import { Spark } from "../chart/Spark";
import * as format from "../format";
import { Change } from "../parts/Change";
import { ShareBar } from "../parts/ShareBar";
import { ShortName } from "../parts/ShortName";
import { Page, Panel } from "../shell/Page";
import { RouteLink } from "../shell/RouteLink";
import { filterOf, setParameter } from "../shell/server";
import { Answered, NoRuns } from "../shell/states";

const SORTS = {
  time: { label: "Share of time", value: (row: RouteOfList) => row.share },
  requests: { label: "Requests", value: (row: RouteOfList) => row.requests },
  p50: { label: "p50", value: (row: RouteOfList) => row.p50 },
  p95: { label: "p95", value: (row: RouteOfList) => row.p95 },
  peak: { label: "Peak", value: (row: RouteOfList) => row.mean_peak ?? -1 },
  failed: { label: "Errors", value: (row: RouteOfList) => row.failed_share },
} as const;

type SortName = keyof typeof SORTS;

export function RoutesPage(props: { url: URL }): JSX.Element {
  const { url } = props;
  const q = filterOf(url);
  const asked = useApi<Routes>(address("/api/v1/pages/routes", { q }));
  const series = useSeries(q);
  const wanted = url.searchParams.get("sort") ?? "time";
  const sort: SortName = wanted in SORTS ? (wanted as SortName) : "time";
  return (
    <Page title="Routes">
      <RequestCharts url={url} q={q} asked={series} />
      <Panel title="Routes" note={asked.answer ? format.counted(asked.answer.routes.length, "route") : ""}>
        <Answered asked={asked} lines={10}>
          {({ routes }) =>
            routes.length === 0 ? (
              <NoRuns q={q} path="/routes" />
            ) : (
              <Table
                routes={[...routes].sort((a, b) => SORTS[sort].value(b) - SORTS[sort].value(a))}
                sort={sort}
                onSort={(next) => {
                  setParameter(url, "sort", next === "time" ? null : next, "replace");
                }}
              />
            )
          }
        </Answered>
      </Panel>
    </Page>
  );
}

function Table(props: {
  routes: readonly RouteOfList[];
  sort: SortName;
  onSort: (sort: SortName) => void;
}): JSX.Element {
  const { routes, sort, onSort } = props;
  const hasApp = new Set(routes.map(({ app }) => app)).size > 1;
  const heading = (name: SortName, isNumber = true): JSX.Element => (
    <th class={isNumber ? "n" : undefined} aria-sort={sort === name ? "descending" : undefined}>
      <button
        type="button"
        class="heading"
        onClick={() => {
          onSort(name);
        }}
      >
        {SORTS[name].label}
        {sort === name ? <span aria-hidden="true">&nbsp;↓</span> : null}
      </button>
    </th>
  );
  return (
    <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Route</th>
            {hasApp ? <th>Application</th> : null}
            {heading("time", false)}
            {heading("requests")}
            {heading("p50")}
            {heading("p95")}
            <th class="n">Mean, last release</th>
            {heading("peak")}
            {heading("failed")}
            <th>Mean by day</th>
          </tr>
        </thead>
        <tbody>
          {routes.map((row) => (
            <tr key={`${row.app} ${row.route}`}>
              <td class="mono clip">
                <RouteLink app={row.app} route={row.route} />
              </td>
              {hasApp ? (
                <td>
                  <ShortName name={row.app} />
                </td>
              ) : null}
              <td>
                <ShareBar share={row.share} />
              </td>
              <td class="n">{format.count(row.requests)}</td>
              <td class="n">{format.time(row.p50)}</td>
              <td class="n">{format.time(row.p95)}</td>
              <td class="n">
                {row.last_release === null ? (
                  <span class="muted" title="Fewer than 30 runs before or after it">
                    –
                  </span>
                ) : (
                  <Change compared={row.last_release.mean} />
                )}
              </td>
              <td class="n">{row.mean_peak === null ? "–" : format.bytes(row.mean_peak)}</td>
              <td class={row.failed > 0 ? "n bad" : "n muted"}>{format.share(row.failed_share, 1)}</td>
              <td>
                <Spark values={row.days.map(({ mean }) => mean)} label={`Mean time of ${row.days.length} days`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
