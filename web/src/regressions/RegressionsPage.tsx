/** The page Regressions: what releases made slower or larger, and why. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { RegressionsPage as Answer } from "../api/generated";
import { address, routeAddress } from "../api/filter";
import { sentence } from "../api/client";
import { valueOf } from "../api/terms";
import { useApi, type Asked } from "../api/useApi";
import * as format from "../format";
import { Page, Panel } from "../shell/Page";
import { useUrl } from "../shell/router";
import { filterOf } from "../shell/server";
import { Answered, Nothing } from "../shell/states";
import { ReleasePanel } from "./ReleasePanel";

export function RegressionsPage(): JSX.Element {
  const url = useUrl();
  // Of the filter of the shell, or of an address that a message has.
  const of = (key: string): string | null => url.searchParams.get(key) ?? valueOf(filterOf(url), key);
  const [app, route] = [of("app"), of("route")];
  const asked = useApi<Answer>(address("/api/v1/pages/regressions", { app, route }));
  const named = decodeURIComponent(url.hash.slice(1));
  const isThere = asked.answer !== null;
  useEffect(() => {
    // The finding comes after the document, so the browser did not find it.
    if (isThere && named !== "") document.getElementById(named)?.scrollIntoView({ block: "start" });
  }, [isThere, named]);
  return (
    <Page title="Regressions" note={note(asked)}>
      <Answered asked={asked}>{(answer) => <Findings answer={answer} named={named} />}</Answered>
    </Page>
  );
}

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

function Findings(props: { answer: Answer; named: string }): JSX.Element {
  const { app, apps, releases, reason, route } = props.answer;
  if (app === null)
    return apps.length === 0 ? (
      <Nothing title="There are no runs yet.">
        <p>Send some of each release:</p>
        <pre>
          <code>xhprof push FILES… --to {location.origin} --release 2026.11</code>
        </pre>
      </Nothing>
    ) : (
      <Panel title="Applications">
        <ul class="link-list">
          {apps.map((name) => (
            <li key={name}>
              <a href={address("/regressions", { app: name })}>
                <bdi>{name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </Panel>
    );
  return (
    <>
      {route === null ? null : (
        <p class="notice">
          Only the route{" "}
          <a class="mono" href={routeAddress(app, route)}>
            <bdi>{route}</bdi>
          </a>
          . <a href={address("/regressions", { app })}>All routes</a>
        </p>
      )}
      {reason === null ? null : <Nothing title={sentence(reason)} />}
      {reason === null && releases.length === 0 ? (
        <Nothing
          title={
            route === null
              ? "There is no release to compare."
              : "No release made this route slower, as far as it could be compared."
          }
        />
      ) : null}
      {releases.map((release) => (
        <ReleasePanel key={release.release} app={app} of={release} named={props.named} />
      ))}
    </>
  );
}
