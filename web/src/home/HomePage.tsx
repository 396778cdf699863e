/** Home: an application now against a week ago, what the last release did, and what is missing. */
import type { JSX } from "preact";
import { address, condition, functionAddress, routeAddress } from "../api/filter";
import type { Compared, Found, HomePage as Home, HomeRoute, RegressionsPage, SeriesPoint } from "../api/generated";
import { sentence } from "../api/client";
import { valueOf, withValue } from "../api/terms";
import { useApi } from "../api/useApi";
import { RequestCharts, useSeries } from "../chart/RequestCharts";
import { Spark } from "../chart/Spark";
import * as format from "../format";
import { Change } from "../parts/Change";
import { FunctionName } from "../parts/links";
import { ShareBar } from "../parts/ShareBar";
import { ShortName } from "../parts/ShortName";
import { Page, Panel, Tag } from "../shell/Page";
import { RouteLink } from "../shell/RouteLink";
import { filterOf, useServer } from "../shell/server";
import { Answered, Loading, Nothing, TooFew } from "../shell/states";
import { GettingStarted } from "./GettingStarted";
import { MissingPanel } from "./MissingPanel";

export function HomePage(props: { url: URL }): JSX.Element {
  const { apps } = useServer();
  const q = filterOf(props.url);
  const asked = useApi<Home>(address("/api/v1/pages/home", { q }));
  const only = apps.length === 1 ? (apps[0]?.name ?? null) : null;
  const app = asked.answer?.app ?? valueOf(q, "app") ?? only;
  return (
    <Page title={app ?? "All applications"} note={asked.answer?.has_runs ? windowWords(asked.answer) : ""}>
      <Answered asked={asked} lines={10}>
        {(home) => (home.has_runs ? <Known home={home} url={props.url} q={q} app={app} /> : <GettingStarted />)}
      </Answered>
    </Page>
  );
}

function windowWords({ window, runs, release }: Home): string {
  const hours = Math.round((window.until_s - window.since_s) / 3600);
  const time =
    hours <= 48 ? `last ${format.counted(hours, "hour")}` : `last ${format.counted(Math.round(hours / 24), "day")}`;
  const weeks = Math.round(window.shift_s / (7 * 86_400));
  const before = weeks === 1 ? "a week earlier" : `${format.counted(weeks, "week")} earlier`;
  const of = release === null ? "" : ` · release ${release.release}`;
  return `${time}, ${format.counted(runs[1], "run")}${of} · compared with the same time ${before}`;
}

function Known(props: { home: Home; url: URL; q: string; app: string | null }): JSX.Element {
  const { home, url, q, app } = props;
  const asked = useSeries(inMonth(q));
  return (
    <>
      <Cards home={home} points={asked.answer?.points ?? null} />
      <div class={app === null ? "stack" : "columns-2-1"}>
        <div class="stack">
          <RequestCharts url={url} q={inMonth(q)} asked={asked} />
          <Panel
            title="Routes by time"
            note={routesNote(home)}
            actions={<a href={address("/routes", { q })}>All routes</a>}
          >
            {home.routes.length === 0 ? (
              <Nothing title="No request in this time." />
            ) : (
              <RoutesTable routes={home.routes} hasApp={app === null} />
            )}
          </Panel>
        </div>
        <div class="stack">
          {app === null ? null : <Findings app={app} />}
          {home.release === null ? null : <LastRelease effect={home.release} />}
          <MissingPanel missing={home.missing} />
        </div>
      </div>
    </>
  );
}

/** The table has the first routes: more are said, as Routes lists them all. */
function routesNote({ routes, all_routes }: Home): string {
  const all = format.counted(all_routes, "route");
  return routes.length < all_routes ? `the first ${format.count(routes.length)} of ${all}` : all;
}

/** The chart shows the month around what the cards compare, unless the filter has a time. */
function inMonth(q: string): string {
  const hasTime = valueOf(q, "since") !== null || valueOf(q, "until") !== null;
  return hasTime ? q : withValue(q, "since", "30d");
}

/** Requests a minute: few are not none. */
function rate(value: number): string {
  return value > 0 && value < 0.005 ? "<0.01" : format.count(value);
}

function Cards(props: { home: Home; points: readonly SeriesPoint[] | null }): JSX.Element {
  const { figures, throughput } = props.home;
  const cards: readonly {
    label: string;
    compared: Compared;
    text: (value: number) => string;
    values: (point: SeriesPoint) => number | null;
  }[] = [
    { label: "Requests a minute", compared: throughput, text: rate, values: ({ requests }) => requests },
    { label: "p95", compared: figures.p95, text: format.time, values: ({ p95 }) => p95 },
    {
      label: "Errors",
      compared: figures.failed,
      text: (value) => format.share(value, 1),
      values: ({ failed }) => failed,
    },
    { label: "Peak, mean", compared: figures.peak, text: format.bytes, values: ({ peak }) => peak },
    { label: "SQL a request", compared: figures.sql, text: format.count, values: ({ sql }) => sql },
  ];
  return (
    <ul class="cards" aria-label="Now, against the week before">
      {cards.map(({ label, compared, text, values }) => (
        <li key={label} class="card">
          <div class="label">{label}</div>
          <div class="figure">{compared.now === null ? "–" : text(compared.now)}</div>
          <div class="delta">
            <Change compared={compared} />
            <span class="muted">{compared.before === null ? "" : ` from ${text(compared.before)}`}</span>
          </div>
          {props.points === null ? (
            <div class="spark" />
          ) : (
            <Spark values={props.points.map(values)} class={compared.verdict === "worse" ? "bad" : ""} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The latest findings of all releases: they are searched for apart, which takes longer. */
function Findings(props: { app: string }): JSX.Element {
  const asked = useApi<RegressionsPage>(address("/api/v1/pages/regressions", { q: condition("app", props.app) }));
  const all = (asked.answer?.releases ?? []).flatMap(({ release, found }) =>
    found.filter(({ is_gone }) => !is_gone).map((one) => ({ release, one })),
  );
  return (
    <Panel
      title="What got worse"
      actions={<a href={address("/regressions", { q: condition("app", props.app) })}>All findings</a>}
    >
      {asked.error ? (
        <p class="notice bad">{asked.error.message}</p>
      ) : asked.answer === null ? (
        <Loading />
      ) : all.length === 0 ? (
        <Nothing
          title={
            (asked.answer.reason === null ? null : sentence(asked.answer.reason)) ??
            (asked.answer.releases.some(({ is_compared }) => is_compared)
              ? "Nothing: no release made a route slower or larger."
              : "Not known: no release has enough runs to be compared.")
          }
        />
      ) : (
        <ul class="findings">
          {all.slice(0, 5).map(({ release, one }) => (
            <Finding key={one.id} release={release} found={one} app={props.app} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Finding(props: { release: string; found: Found; app: string }): JSX.Element {
  const { release, found, app } = props;
  const [place] = found.places;
  return (
    <li class="finding">
      <span class="small muted">
        <Tag kind="bad">{found.heading}</Tag> {release} · {found.is_provisional ? "likely" : "sure"}
      </span>
      <a href={`${address("/regressions", { q: condition("app", app) })}#${found.id}`} class="finding-text">
        {found.sentence}
      </a>
      {found.function !== null ? (
        <a href={functionAddress(found.function, condition("app", app))}>
          <FunctionName name={found.function} />
        </a>
      ) : place ? (
        <a href={routeAddress(app, place.route)} class="mono">
          <bdi>{place.route}</bdi>
        </a>
      ) : null}
    </li>
  );
}

function LastRelease(props: { effect: NonNullable<Home["release"]> }): JSX.Element {
  const { effect } = props;
  return (
    <Panel
      title={`Release ${effect.release}`}
      note={`against ${effect.before}, since ${format.moment(effect.since_s * 1e6)}`}
    >
      {!effect.is_enough ? (
        <TooFew runs={effect.runs} />
      ) : (
        <table>
          <thead>
            <tr>
              <th>Route</th>
              <th class="n">p95</th>
              <th class="n">Change</th>
            </tr>
          </thead>
          <tbody>
            {effect.routes.slice(0, 6).map((row) => (
              <tr key={row.route}>
                <td class="mono clip">
                  <RouteLink app={effect.app} route={row.route} />
                </td>
                <td class="n">{row.p95.now === null ? "–" : format.time(row.p95.now)}</td>
                <td class="n">
                  <Change compared={row.p95} isShort />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function RoutesTable(props: { routes: readonly HomeRoute[]; hasApp: boolean }): JSX.Element {
  return (
    <div class="scroll-x" role="group" aria-label="Table" tabIndex={0}>
      <table class="home-routes">
        <thead>
          <tr>
            <th>Route</th>
            {props.hasApp ? <th>Application</th> : null}
            <th>Share of time</th>
            <th class="n">Requests</th>
            <th class="n wide">p50</th>
            <th class="n">p95</th>
            <th class="n">Change of p95</th>
            <th class="n">Peak</th>
            <th class="n">Errors</th>
          </tr>
        </thead>
        <tbody>
          {props.routes.map((row) => (
            <tr key={`${row.app} ${row.route}`}>
              <td class="mono clip">
                <RouteLink app={row.app} route={row.route} />
              </td>
              {props.hasApp ? (
                <td>
                  <ShortName name={row.app} />
                </td>
              ) : null}
              <td>
                <ShareBar share={row.share} />
              </td>
              <td class="n">{format.count(row.requests)}</td>
              <td class="n wide">{format.time(row.p50)}</td>
              <td class="n">{format.time(row.p95)}</td>
              <td class="n">
                {row.effect === null ? <span class="muted">–</span> : <Change compared={row.effect.p95} isShort />}
              </td>
              <td class="n">{row.mean_peak === null ? "–" : format.bytes(row.mean_peak)}</td>
              <td class={row.failed > 0 ? "n bad" : "n muted"}>{format.share(row.failed_share, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
