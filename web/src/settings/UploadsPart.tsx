/** What was stored and refused, and the runs that did not come here. */
import type { JSX } from "preact";
import type { SettingsPage, Uploads } from "../api/generated";
import * as format from "../format";
import { DataTable } from "../parts/DataTable";

export function UploadsPart(props: { answer: SettingsPage }): JSX.Element {
  const { uploads } = props.answer;
  return (
    <>
      {uploads === null ? null : <Counters uploads={uploads} />}
      <Dropped answer={props.answer} />
    </>
  );
}

function Counters(props: { uploads: Uploads }): JSX.Element {
  const { uploads } = props;
  const facts: [string, number][] = [
    ["Stored", uploads.stored],
    ["Sent again, so not stored", uploads.known],
    ["Refused", uploads.refused],
    ["Beyond a quota", uploads.over_quota],
  ];
  return (
    <section class="panel" aria-labelledby="uploads-title">
      <div class="head">
        <h2 id="uploads-title">Uploads</h2>
        <span class="muted small">since the server started</span>
      </div>
      <dl class="fact-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{format.count(value)}</dd>
          </div>
        ))}
      </dl>
      {uploads.refusals.length === 0 ? null : (
        <DataTable
          label="Refused uploads"
          columns={[{ title: "Refused at" }, { title: "Sender" }, { title: "Why", isText: true }]}
          rows={uploads.refusals.map((of, at) => ({
            key: `${at}`,
            cells: [format.moment(of.at_us), <bdi>{of.by}</bdi>, of.reason],
          }))}
        />
      )}
    </section>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  queue_full: "the agent's queue was full",
  refused: "this server refused them",
  too_large: "they were too large",
  over_quota: "the quota of the application was used up",
  damaged: "the agent's file was damaged",
};

function Dropped(props: { answer: SettingsPage }): JSX.Element {
  const { dropped, dropped_runs: all } = props.answer;
  return (
    <section class="panel" aria-labelledby="dropped-title">
      <div class="head">
        <h2 id="dropped-title">Runs that did not come here</h2>
      </div>
      <p class="panel-text muted">
        {dropped.length === 0
          ? "Agents dropped no run in the last 30 days."
          : `Agents dropped ${format.counted(all, "run")} in the last 30 days. Lists and sums do not have them.`}
      </p>
      {dropped.length === 0 ? null : (
        <DataTable
          label="Runs that did not come here"
          columns={[
            { title: "Day (UTC)" },
            { title: "Application" },
            { title: "Machine" },
            { title: "Why", isText: true },
            { title: "Runs", isNumber: true },
            { title: "Size", isNumber: true, isWide: true },
          ]}
          rows={dropped.map((row) => ({
            key: `${row.agent} ${row.day_s} ${row.app} ${row.reason}`,
            cells: [
              new Date(row.day_s * 1000).toISOString().slice(0, 10),
              row.app === "" ? <span class="muted">not known</span> : <bdi>{row.app}</bdi>,
              <bdi>{row.host}</bdi>,
              REASONS[row.reason] ?? row.reason,
              format.count(row.runs),
              format.bytes(row.bytes),
            ],
          }))}
        />
      )}
    </section>
  );
}
