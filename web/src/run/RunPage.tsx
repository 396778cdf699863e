/** A run: where it stands among those of its route, and the viewer with it. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address, condition, filter, routeAddress } from "../api/filter";
import type { RunContext, RunInfo } from "../api/generated";
import { useApi } from "../api/useApi";
import * as format from "../format";
import { Change } from "../parts/Change";
import { Page, Tag } from "../shell/Page";
import { Answered, Nothing } from "../shell/states";
import { Viewer } from "../shell/Viewer";

export function RunPage(props: { id: string }): JSX.Element {
  const asked = useApi<RunContext>(`/api/v1/pages/run/${encodeURIComponent(props.id)}`);
  if (asked.error) {
    return (
      <Page title="Run">
        <Nothing title={asked.error.message}>
          <p>
            {asked.error.status === 404 ? "A policy may have removed it: " : null}
            <a href="/runs">{asked.error.status === 404 ? "the runs that are there" : "The runs that are there"}</a>
          </p>
        </Nothing>
      </Page>
    );
  }
  return (
    <Answered asked={asked} lines={3}>
      {(context) => <Known context={context} />}
    </Answered>
  );
}

function Known(props: { context: RunContext }): JSX.Element {
  const { context } = props;
  const { run } = context;
  const title = `${run.route === "" ? run.title : run.route}`;
  useEffect(() => {
    document.title = `${title} – xhprof`;
  }, [title]);
  return (
    <>
      <RunHead context={context} title={title} />
      <Viewer
        title={title}
        files={[{ name: run.title || run.id, isBase: false, path: `/api/v1/runs/${run.id}/file` }]}
      />
    </>
  );
}

function RunHead(props: { context: RunContext; title: string }): JSX.Element {
  const { run, previous, next, siblings, usual, wall, peak, trace } = props.context;
  const same = filter(condition("app", run.app), condition("route", run.route));
  const cost = run.unit === "time" ? format.time : (count: number) => format.counted(count, "sample");
  return (
    <div class="run-head">
      <div class="run-title">
        <h1 class="mono">
          <a href={routeAddress(run.app, run.route)}>
            <bdi>{props.title}</bdi>
          </a>
        </h1>
        <span class="muted">
          {run.app}
          {run.release === "" ? "" : ` · release ${run.release}`}
          {run.host === "" ? "" : ` · ${run.host}`} · {format.moment(run.started_us)}
        </span>
        {run.failed ? (
          <Tag kind="bad">{run.status === "" ? "failed" : run.status}</Tag>
        ) : run.status === "" ? null : (
          <Tag>{run.status}</Tag>
        )}
        {run.label === "" ? null : <Tag>{run.label}</Tag>}
      </div>
      <div class="run-facts">
        <span>
          <b>{cost(run.wall)}</b>
          {wall === null || wall.before === null ? null : (
            <span class="small">
              {" "}
              <span class="muted">usual {cost(wall.before)},</span> <Change compared={wall} />
            </span>
          )}
        </span>
        {run.peak === null ? null : (
          <span>
            <b>{format.bytes(run.peak)}</b> peak{" "}
            {peak === null || peak.before === null ? null : (
              <span class="small">
                <span class="muted">usual {format.bytes(peak.before)},</span> <Change compared={peak} />
              </span>
            )}
          </span>
        )}
        {run.sql > 0 ? <span>{format.counted(run.sql, "statement")}</span> : null}
        <span class="run-links">
          <Step to={previous} title="Previous run of this route" text="← Previous" />
          <Step to={next} title="Next run of this route" text="Next →" />
          <Siblings runs={siblings} current={run.id} />
          {usual === null || usual.id === run.id ? null : (
            <a class="button" href={address("/compare/runs", { base: usual.id, new: run.id })}>
              Compare with a usual run
            </a>
          )}
          <a class="button" href={address("/runs", { q: same })}>
            All runs of the route
          </a>
          {trace === null ? null : (
            <a class="button" href={trace} rel="noreferrer">
              Trace
            </a>
          )}
          <a class="button" href={`/api/v1/runs/${run.id}/file`} download={`${run.id}.xhp`}>
            Download
          </a>
          <ShareLink />
        </span>
      </div>
    </div>
  );
}

function Step(props: { to: RunInfo | null; title: string; text: string }): JSX.Element | null {
  if (props.to === null) return null;
  return (
    <a class="button" href={`/run/${props.to.id}${location.hash}`} title={props.title}>
      {props.text}
    </a>
  );
}

/** Runs of the same route and release, to jump to. */
function Siblings(props: { runs: readonly RunInfo[]; current: string }): JSX.Element | null {
  if (props.runs.length < 2) return null;
  return (
    <details class="menu-place" key={props.current}>
      <summary class="button">Others</summary>
      <ul class="menu">
        {props.runs.map((run) => (
          <li key={run.id}>
            <a href={`/run/${run.id}${location.hash}`} aria-current={run.id === props.current ? "page" : undefined}>
              {format.moment(run.started_us)} · {format.time(run.wall)}
              {run.failed ? " · failed" : ""}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function ShareLink(): JSX.Element {
  const [told, setTold] = useState("");
  return (
    <>
      <button
        type="button"
        onClick={() => {
          navigator.clipboard?.writeText(location.href).then(
            () => {
              setTold("Copied");
            },
            () => {
              setTold("Copy the address above");
            },
          );
          if (navigator.clipboard === undefined) setTold("Copy the address above");
        }}
      >
        {told === "" ? "Copy link" : told}
      </button>
      <span class="sr-only" role="status">
        {told}
      </span>
    </>
  );
}
