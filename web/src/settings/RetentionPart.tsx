/** How long the runs of each application are kept, and how many are taken a day. */
import type { JSX } from "preact";
import type { Policy, Session, SettingsPage } from "../api/generated";
import { address } from "../api/filter";
import * as format from "../format";
import { DataTable } from "../parts/DataTable";
import { maySet } from "./rights";
import { exactSize } from "./size";

export function RetentionPart(props: {
  answer: SettingsPage;
  session: Session;
  /** The application whose policy was just saved or removed. */
  saved: string | null;
}): JSX.Element {
  const { answer, session, saved } = props;
  const any = (value: string | null): string => value ?? "any";
  const row = (app: string, policy: Policy, isOwn: boolean) => ({
    key: app,
    cells: [
      app === "" ? <em>others</em> : <bdi>{app}</bdi>,
      any(policy.days === null ? null : format.count(policy.days)),
      any(policy.runs === null ? null : format.count(policy.runs)),
      any(policy.bytes === null ? null : exactSize(policy.bytes)),
      format.count(policy.notable),
      format.count(policy.keep_notable_days),
      any(policy.sums_days === null ? null : format.count(policy.sums_days)),
      app === "" || isOwn ? "" : <span class="muted">that of the others</span>,
      maySet(session, app) ? (
        <a
          class="button"
          href={`/settings/retention?app=${encodeURIComponent(app)}`}
          aria-label={`Change the policy of ${app === "" ? "the others" : app}`}
        >
          Change
        </a>
      ) : (
        ""
      ),
    ],
  });
  const rows = answer.retention.map(({ app, policy, is_own }) => row(app, policy, is_own));
  if (session.app === null) rows.push(row("", answer.policies.default, true));
  return (
    <>
      {saved === null ? null : (
        <p class="notice" role="status">
          {savedWords(saved, answer)}
        </p>
      )}
      <section class="panel" aria-labelledby="retention-title">
        <div class="head">
          <h2 id="retention-title">Retention</h2>
        </div>
        <p class="panel-text muted">
          The server removes what a policy does not keep, every hour. Runs with a label stay.
          {session.scopes.includes("admin") ? "" : " A token with the scope admin changes a policy."}
        </p>
        <DataTable
          label="Retention"
          columns={[
            { title: "Application" },
            { title: "Days", isNumber: true },
            { title: "Runs", isNumber: true, isWide: true },
            { title: "Size", isNumber: true },
            { title: "Slowest and failed of each route", isNumber: true, isWide: true },
            { title: "Their days", isNumber: true, isWide: true },
            { title: "Days of sums", isNumber: true, isWide: true },
            { title: "Policy", isWide: true },
            { title: "Change", isUntitled: true },
          ]}
          rows={rows}
        />
      </section>
      <Quotas answer={answer} />
    </>
  );
}

function savedWords(app: string, answer: SettingsPage): string {
  if (app === "") return "The policy of the other applications is saved.";
  const hasOwn = answer.policies.apps.some((own) => own.app === app);
  return hasOwn ? `The policy of ${app} is saved.` : `${app} has the policy of the others.`;
}

function Quotas(props: { answer: SettingsPage }): JSX.Element {
  const { quotas } = props.answer;
  return (
    <section class="panel" aria-labelledby="quotas-title">
      <div class="head">
        <h2 id="quotas-title">Quotas</h2>
      </div>
      <p class="panel-text muted">
        {quotas.length === 0
          ? "No application has a quota. One is a part of its policy."
          : "Days begin at 00:00 UTC. Uploads beyond a quota are refused with status 429; agents keep what they can until the next day."}
      </p>
      {quotas.length === 0 ? null : (
        <DataTable
          label="Quotas"
          columns={[
            { title: "Application" },
            { title: "Runs today", isNumber: true },
            { title: "Quota of runs", isNumber: true, isWide: true },
            { title: "Size today", isNumber: true },
            { title: "Quota of size", isNumber: true, isWide: true },
            { title: "State" },
          ]}
          rows={quotas.map((of) => ({
            key: of.app,
            cells: [
              <a href={address("/settings/retention", { app: of.app })}>
                <bdi>{of.app}</bdi>
              </a>,
              format.count(of.runs),
              of.runs_a_day === null ? "none" : format.count(of.runs_a_day),
              format.bytes(of.bytes),
              of.bytes_a_day === null ? "none" : exactSize(of.bytes_a_day),
              of.is_used_up ? <span class="tag bad">used up</span> : "open",
            ],
          }))}
        />
      )}
    </section>
  );
}
