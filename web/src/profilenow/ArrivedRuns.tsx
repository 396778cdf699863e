/** The latest runs; those that arrive while the page is open are marked. */
import type { JSX } from "preact";
import type { RunInfo } from "../api/generated";
import * as format from "../format";
import { DataTable } from "../parts/DataTable";
import { Panel } from "../shell/Page";
import { RouteLink } from "../shell/RouteLink";
import { Nothing } from "../shell/states";
import type { Arrivals } from "./useArrivals";

const SHOWN = 10;

export function ArrivedRuns(props: { arrivals: Arrivals }): JSX.Element {
  const { latest, fresh, error, isKnown } = props.arrivals;
  const isFresh = new Set(fresh.map(({ id }) => id));
  return (
    <Panel title="The latest runs" note="new ones appear here; a run does not say whether a trigger asked for it">
      {error === null ? null : (
        <p class="field-error panel-text" role="alert">
          {error}
        </p>
      )}
      <p class="sr-only" role="status">
        {fresh.length === 0 ? "" : `${format.counted(fresh.length, "new run")}`}
      </p>
      {!isKnown ? null : latest.length === 0 ? (
        <Nothing title="None yet.">
          <p>
            Start the server with <code>--watch DIR</code>, the folder of <code>xhprof.output_dir</code>, or send files
            with <code>xhprof push</code>.
          </p>
        </Nothing>
      ) : (
        <DataTable
          label="The latest runs"
          columns={[
            { title: "Started" },
            { title: "Route", isText: true },
            { title: "Status", isWide: true },
            { title: "Time", isNumber: true },
            { title: "Peak", isNumber: true, isWide: true },
            { title: "SQL", isNumber: true, isWide: true },
            { title: "Host", isWide: true },
          ]}
          rows={latest.slice(0, SHOWN).map((run) => ({
            key: run.id,
            class: isFresh.has(run.id) ? "new" : "",
            cells: cells(run, isFresh.has(run.id)),
          }))}
        />
      )}
    </Panel>
  );
}

function cells(run: RunInfo, isNew: boolean): (JSX.Element | string)[] {
  return [
    <>
      <a href={`/run/${run.id}`} title={format.moment(run.started_us)}>
        {format.shortMoment(run.started_us)}
      </a>{" "}
      {isNew ? <span class="tag good">new</span> : null}
    </>,
    <span class="mono">
      <RouteLink app={run.app} route={run.route} />
    </span>,
    run.failed ? <span class="tag bad">{run.status || "failed"}</span> : run.status,
    run.unit === "time" ? format.time(run.wall) : format.count(run.wall),
    run.peak === null ? "" : format.bytes(run.peak),
    format.count(run.sql),
    <bdi>{run.host}</bdi>,
  ];
}
