/** The page Regressions: what releases made slower or larger, and why. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { RegressionsPage as Answer } from "../api/generated";
import { address, condition, routeAddress } from "../api/filter";
import { sentence } from "../api/client";
import { termsOf, withValue } from "../api/terms";
import { useApi, type Asked } from "../api/useApi";
import * as format from "../format";
import { CopyLine } from "../parts/CopyLine";
import { Page, Panel } from "../shell/Page";
import { decoded, navigate, useUrl } from "../shell/router";
import { filterOf } from "../shell/server";
import { Answered, Nothing } from "../shell/states";
import { ReleasePanel } from "./ReleasePanel";

export function RegressionsPage(): JSX.Element {
  const url = useUrl();
  const old = filterOfOld(url);
  useEffect(() => {
    if (old !== null) navigate(old, "replace");
  }, [old]);
  const q = filterOf(url);
  const asked = useApi<Answer>(old === null ? address("/api/v1/pages/regressions", { q }) : null);
  const named = decoded(url.hash.slice(1));
  const isThere = asked.answer !== null;
  useEffect(() => {
    // The finding comes after the document, so the browser did not find it.
    if (isThere && named !== "") document.getElementById(named)?.scrollIntoView({ block: "start" });
  }, [isThere, named]);
  return (
    <Page title="Regressions" note={note(asked)}>
      <Answered asked={asked}>{(answer) => <Findings answer={answer} q={q} named={named} />}</Answered>
    </Page>
  );
}

/** The address for one that has the application and the route beside the filter, as messages had. */
function filterOfOld(url: URL): string | null {
  const [app, route] = [url.searchParams.get("app"), url.searchParams.get("route")];
  if (app === null && route === null) return null;
  const ofApp = app === null ? filterOf(url) : withValue(filterOf(url), "app", app);
  const q = route === null ? ofApp : withValue(ofApp, "route", route);
  return address(url.pathname, { q }) + url.hash;
}

/** What the page follows of the filter; findings are of all hosts. */
const FOLLOWED = ["app", "route", "release", "since", "until"];

function note(asked: Asked<Answer>): string {
  if (asked.answer !== null) return told(asked.answer);
  return asked.isLoading ? "searching the releases, which takes some seconds the first time…" : "";
}

/** What there is, in words. */
function told(answer: Answer): string {
  if (answer.app === null || answer.reason !== null) return "";
  const found = answer.releases.reduce((sum, release) => sum + release.found.length, 0);
  const releases = format.counted(answer.releases.length, "release");
  return `${answer.app} · ${format.counted(found, "finding")} in ${releases}`;
}

function Findings(props: { answer: Answer; q: string; named: string }): JSX.Element {
  const { q } = props;
  const { app, apps, releases, reason, routes } = props.answer;
  if (app === null)
    return apps.length === 0 ? (
      <Nothing title="There are no runs yet.">
        <p>Send some of each release:</p>
        <CopyLine label="Sending runs" text={`xhprof push FILES… --to ${location.origin} --release 2026.11`} />
      </Nothing>
    ) : (
      <Panel title="Applications">
        <ul class="link-list">
          {apps.map((name) => (
            <li key={name}>
              <a href={address("/regressions", { q: withValue(q, "app", name) })}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </Panel>
    );
  const unused = termsOf(q, FOLLOWED, false);
  const isPart = termsOf(q, ["route", "release", "since", "until"]).length > 0;
  return (
    <>
      {routes.length === 0 ? null : (
        <p class="notice">
          Only {routes.length === 1 ? "the route" : "the routes"}{" "}
          {routes.map((route, place) => (
            <span key={route}>
              {place > 0 ? ", " : ""}
              <a class="mono" href={routeAddress(app, route)}>
                <bdi>{route}</bdi>
              </a>
            </span>
          ))}
          . <a href={address("/regressions", { q: withValue(q, "route", null) })}>All routes</a>
        </p>
      )}
      {unused.length === 0 ? null : (
        <p class="notice">
          Findings are of all runs of a release: <bdi class="mono">{unused.join(" ")}</bdi> does not limit them.
        </p>
      )}
      {reason === null ? null : <Nothing title={sentence(reason)} />}
      {reason === null && releases.length === 0 ? (
        <Nothing
          title={
            routes.length > 0
              ? "No release made this route slower, as far as it could be compared."
              : isPart
                ? "No release of this filter began in this time."
                : "There is no release to compare."
          }
        >
          {isPart ? (
            <p>
              <a href={address("/regressions", { q: condition("app", app) })}>All releases of {app}</a>
            </p>
          ) : null}
        </Nothing>
      ) : null}
      {releases.map((release) => (
        <ReleasePanel key={release.release} app={app} of={release} named={props.named} />
      ))}
    </>
  );
}
