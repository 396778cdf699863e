/** What does not arrive: silent hosts, dropped and refused runs, findings that were not taken. */
import type { JSX } from "preact";
import type { Missing } from "../api/generated";
import * as format from "../format";
import { Panel } from "../shell/Page";

export function MissingPanel(props: { missing: Missing }): JSX.Element {
  const { last_run_us: last, silent_hosts: silent, dropped, refused, undelivered } = props.missing;
  const lost = dropped.reduce((sum, { runs }) => sum + runs, 0);
  const isQuiet = silent.length === 0 && lost === 0 && (refused ?? 0) === 0 && (undelivered ?? 0) === 0;
  return (
    <Panel title="What is missing" note={last === null ? "" : `latest run ${format.moment(last)}`}>
      <ul class="facts">
        {isQuiet ? <li class="muted">Nothing: each host sends, and no run was dropped or refused.</li> : null}
        {silent.map(({ host, last_us }) => (
          <li key={host}>
            <bdi>{host === "" ? "(unknown host)" : host}</bdi> is silent since {format.moment(last_us)}
          </li>
        ))}
        {dropped.map(({ reason, runs }) => (
          <li key={reason}>
            {format.counted(runs, "run")} dropped in seven days: {reason.replaceAll("_", " ")}
          </li>
        ))}
        {refused !== null && refused > 0 ? (
          <li>
            {format.counted(refused, "upload")} refused: <a href="/settings">Settings</a> say why
          </li>
        ) : null}
        {undelivered !== null && undelivered > 0 ? (
          <li>
            {format.counted(undelivered, "finding")} not taken by the webhook: <a href="/settings/alerts">Settings</a>
          </li>
        ) : null}
      </ul>
    </Panel>
  );
}
