/** The applications, and how much the store holds. */
import type { JSX } from "preact";
import type { SettingsPage, Stats } from "../api/generated";
import { condition, runsAddress } from "../api/filter";
import * as format from "../format";
import { CopyLine } from "../parts/CopyLine";
import { DataTable } from "../parts/DataTable";

export function StorePart(props: { answer: SettingsPage }): JSX.Element {
  const { apps, stats } = props.answer;
  return (
    <>
      <section class="panel" aria-labelledby="apps-title">
        <div class="head">
          <h2 id="apps-title">Applications</h2>
        </div>
        {apps.length === 0 ? (
          <div class="panel-text">
            <p>There are no runs yet. Send one:</p>
            <CopyLine label="Sending a run" text={`xhprof push run.xhp --to ${location.origin} --app shop`} />
          </div>
        ) : (
          <DataTable
            label="Applications"
            columns={[
              { title: "Application" },
              { title: "Runs", isNumber: true },
              { title: "Size of their files", isNumber: true },
              { title: "Part of all", isNumber: true, isWide: true },
              { title: "Latest run", isWide: true },
            ]}
            rows={apps.map((app) => ({
              key: app.name,
              cells: [
                <a href={runsAddress(condition("app", app.name))}>
                  <bdi>{app.name}</bdi>
                </a>,
                format.count(app.runs),
                format.bytes(app.bytes),
                format.share(app.part, 1),
                app.runs === 0 ? "" : format.moment(app.last_us),
              ],
            }))}
          />
        )}
      </section>
      {stats === null ? null : <Size stats={stats} />}
    </>
  );
}

const REASONS: Readonly<Record<Stats["removed"][number]["reason"], string>> = {
  age: "runs that were too old",
  count: "runs that were too many",
  size: "runs that took too much space",
  sums: "hourly sums that were too old",
};

function Size(props: { stats: Stats }): JSX.Element {
  const { stats } = props;
  const moment = (us: number | null): string => (us === null ? "none" : format.moment(us));
  const facts: [string, string][] = [
    ["Runs", format.count(stats.runs)],
    ["Files of runs", format.bytes(stats.run_bytes)],
    ["On disk, sums included", format.bytes(stats.disk_bytes)],
    ["Hourly sums", format.count(stats.cells)],
    ["Routes", format.count(stats.routes)],
    ["Names of functions", format.count(stats.names)],
    ["Earliest run", moment(stats.first_us)],
    ["Latest run", moment(stats.last_us)],
  ];
  const removed = stats.removed.filter((of) => of.count > 0);
  return (
    <section class="panel" aria-labelledby="size-title">
      <div class="head">
        <h2 id="size-title">Size</h2>
      </div>
      <dl class="fact-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="panel-text">
        <h3>Removed by policies so far</h3>
        {removed.length === 0 ? (
          <p class="muted">Nothing.</p>
        ) : (
          <ul class="plain">
            {removed.map((of) => (
              <li key={of.reason}>
                {format.count(of.count)} {REASONS[of.reason]}
                {of.bytes > 0 ? `, ${format.bytes(of.bytes)}` : ""}
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
