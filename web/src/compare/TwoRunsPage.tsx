/** Two runs in the viewer, inside of the shell: `/compare/runs?base=ID&new=ID`. */
import type { JSX } from "preact";
import { address, routeAddress } from "../api/filter";
import type { RunInfo } from "../api/generated";
import { useApi } from "../api/useApi";
import * as format from "../format";
import { useUrl } from "../shell/router";
import { Failed, Loading, Nothing } from "../shell/states";
import { Viewer } from "../shell/Viewer";
import { DifferenceHead } from "./DifferenceHead";

export function TwoRunsPage(): JSX.Element {
  const url = useUrl();
  const [base, fresh] = [url.searchParams.get("base") ?? "", url.searchParams.get("new") ?? ""];
  const path = (id: string): string | null => (id === "" ? null : `/api/v1/runs/${encodeURIComponent(id)}`);
  const [before, after] = [useApi<RunInfo>(path(base)), useApi<RunInfo>(path(fresh))];
  if (base === "" || fresh === "")
    return (
      <Nothing title="Two runs are compared.">
        <p>
          Choose two in the list of <a href="/runs">runs</a>.
        </p>
      </Nothing>
    );
  const failed = before.error ?? after.error;
  if (failed !== null) return <Failed message={failed.message} />;
  if (before.answer === null || after.answer === null) return <Loading />;
  return <TwoRuns before={before.answer} after={after.answer} />;
}

function TwoRuns(props: { before: RunInfo; after: RunInfo }): JSX.Element {
  const { before, after } = props;
  const isOneRoute = before.route === after.route && before.app === after.app;
  return (
    <div class="viewer-place">
      <DifferenceHead
        title={isOneRoute ? `Two runs of ${after.route}` : "Two runs"}
        before={<RunLink run={before} isOneRoute={isOneRoute} />}
        after={<RunLink run={after} isOneRoute={isOneRoute} />}
        actions={
          <>
            <a class="button" href={address("/compare/runs", { base: after.id, new: before.id })}>
              Exchange
            </a>
            <a class="button" href={routeAddress(after.app, after.route)}>
              The route
            </a>
          </>
        }
      />
      <Viewer
        title={`${after.title || after.route}, compared`}
        files={[
          { name: nameOf(before), isBase: true, path: `/api/v1/runs/${before.id}/file` },
          { name: nameOf(after), isBase: false, path: `/api/v1/runs/${after.id}/file` },
        ]}
      />
    </div>
  );
}

function RunLink(props: { run: RunInfo; isOneRoute: boolean }): JSX.Element {
  const { run } = props;
  return (
    <a href={`/run/${run.id}`}>
      <bdi>{nameOf(run)}</bdi>
      {props.isOneRoute ? "" : ` of ${run.route}`}
    </a>
  );
}

/** When a run began, and of which release it is. */
function nameOf(run: RunInfo): string {
  const moment = format.moment(run.started_us);
  return run.release === "" ? moment : `${run.release}, ${moment}`;
}
