/** Where findings are sent, and those that the receiver refused. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { change } from "../api/client";
import type { Session, SettingsPage, WebhookState, WebhookTest } from "../api/generated";
import { address } from "../api/filter";
import * as format from "../format";
import { CopyLine } from "../parts/CopyLine";
import { DataTable } from "../parts/DataTable";
import { useChange } from "./useChange";

const FORMS: Readonly<Record<string, string>> = {
  plain: "plain JSON with a text in Markdown",
  slack: "the form of Slack",
  teams: "the form of Microsoft Teams",
  mattermost: "the form of Mattermost",
};

export function AlertsPart(props: { answer: SettingsPage; session: Session }): JSX.Element {
  const { answer, session } = props;
  if (session.app !== null)
    return (
      <section class="panel state">
        <p>Findings of all applications are sent to one address. Only a token for all applications sees it.</p>
      </section>
    );
  return (
    <>
      <section class="panel" aria-labelledby="alerts-title">
        <div class="head">
          <h2 id="alerts-title">Webhook</h2>
        </div>
        {answer.webhook === null ? (
          <NoWebhook />
        ) : (
          <Webhook webhook={answer.webhook} mayTest={session.scopes.includes("admin")} />
        )}
      </section>
      <Undelivered answer={answer} />
    </>
  );
}

function NoWebhook(): JSX.Element {
  const url = "https://hooks.example.com/1";
  return (
    <div class="panel-text">
      <p>No address gets the findings. Start the server with one, and each new regression is sent there once:</p>
      <CopyLine
        label="Findings to Slack"
        text={`xhprof serve --webhook ${url} --webhook-format slack --public-url ${location.origin}`}
      />
      <p class="muted">
        <code>--webhook-format</code> is <code>plain</code>, <code>slack</code>, <code>teams</code> or{" "}
        <code>mattermost</code>. If the address is a secret, put it into the environment variable{" "}
        <code>XHPROF_WEBHOOK</code>.
      </p>
    </div>
  );
}

function Webhook(props: { webhook: WebhookState; mayTest: boolean }): JSX.Element {
  const { webhook } = props;
  const [test, setTest] = useState<WebhookTest | null>(null);
  const changing = useChange();
  const send = async (): Promise<void> => {
    setTest(null);
    await changing.run(async () => {
      setTest(await change<WebhookTest>("POST", "/api/v1/webhook/test"));
    });
  };
  const facts: [string, string][] = [
    ["Receiver", webhook.host],
    ["Messages", FORMS[webhook.format] ?? webhook.format],
    ["Searches", `every ${format.counted(webhook.every_s / 60, "minute")}`],
    ["Last taken", webhook.last_sent_us === null ? "none since the start" : format.moment(webhook.last_sent_us)],
  ];
  return (
    <>
      <dl class="fact-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {props.mayTest ? (
        <div class="panel-text">
          <p class="buttons">
            <button type="button" disabled={changing.isBusy} onClick={() => void send()}>
              {changing.isBusy ? "Sending…" : "Send a test message"}
            </button>
          </p>
          <p role="status" class={test !== null && !test.is_taken ? "field-error" : undefined}>
            {test === null
              ? ""
              : test.is_taken
                ? "The receiver took it."
                : `The receiver did not take it: ${test.reason ?? "no reason"}.`}
          </p>
          {changing.error === null ? null : (
            <p class="field-error" role="alert">
              {changing.error.message}
            </p>
          )}
        </div>
      ) : null}
    </>
  );
}

function Undelivered(props: { answer: SettingsPage }): JSX.Element | null {
  const refused = props.answer.undelivered ?? [];
  if (props.answer.webhook === null && refused.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="undelivered-title">
      <div class="head">
        <h2 id="undelivered-title">Findings that were not taken</h2>
      </div>
      <p class="panel-text muted">
        {refused.length === 0
          ? "None. The receiver took all findings since the server started."
          : "The receiver refused them. They are sent again with each search; others do not wait for them."}
      </p>
      {refused.length === 0 ? null : (
        <DataTable
          label="Findings that were not taken"
          columns={[
            { title: "Sent at" },
            { title: "Application", isWide: true },
            { title: "Finding" },
            { title: "Why", isText: true },
          ]}
          rows={refused.map((of) => ({
            key: of.id,
            cells: [
              format.moment(of.at_us),
              <bdi>{of.app}</bdi>,
              <a href={`${address("/regressions", { app: of.app })}#${of.id}`} class="mono">
                {of.id.slice(0, 12)}
              </a>,
              of.reason,
            ],
          }))}
        />
      )}
    </section>
  );
}
