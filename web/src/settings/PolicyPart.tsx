/** The form of a policy: how long the runs of an application are kept. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { change } from "../api/client";
import type { Policy, Removed, Session, SettingsPage } from "../api/generated";
import { ConfirmDialog } from "../parts/ConfirmDialog";
import { Field, focusFirstWrong } from "../parts/Field";
import { navigate } from "../shell/router";
import { POLICY_FIELDS, policyOf, refusedField, typedPolicy, type TypedPolicy, type WrongFields } from "./policyFields";
import { removedWords } from "./removed";
import { maySet } from "./rights";
import { exactSize } from "./size";
import { useChange } from "./useChange";

export function PolicyPart(props: {
  /** Empty: all applications without a policy of their own. */
  app: string;
  answer: SettingsPage;
  session: Session;
  again: () => void;
}): JSX.Element {
  const { app, answer, session } = props;
  const name = app === "" ? "other applications" : app;
  const [now] = useState<Policy>(
    () => answer.retention.find((of) => of.app === app)?.policy ?? answer.policies.default,
  );
  const isSet = app === "" ? answer.policies.is_default_set : answer.policies.apps.some((own) => own.app === app);
  const [typed, setTyped] = useState<TypedPolicy>(() => typedPolicy(now));
  const [wrong, setWrong] = useState<WrongFields>({});
  const [counted, setCounted] = useState<Removed | null>(null);
  const [asks, setAsks] = useState<"save" | "reset" | null>(null);
  const changing = useChange();
  const form = useRef<HTMLFormElement>(null);
  const path = app === "" ? "/api/v1/policies" : `/api/v1/policies/${encodeURIComponent(app)}`;

  if (!maySet(session, app))
    return (
      <section class="panel state">
        <p>
          The policy of <bdi>{name}</bdi> is changed with a token that has the scope admin
          {app === "" ? " and is for all applications" : ""}.
        </p>
        <p>
          <a href="/settings/retention">Back to retention</a>
        </p>
      </section>
    );

  const valid = (): Policy | null => {
    const { policy, wrong: found } = policyOf(typed);
    setWrong(found ?? {});
    setCounted(null);
    changing.clear();
    if (policy === null) focusFirstWrong(form.current);
    return policy;
  };
  const count = async (then: "show" | "save"): Promise<void> => {
    const policy = valid();
    if (policy === null) return;
    let removed: Removed | null = null;
    const isTaken = await changing.run(async () => {
      const asked = { ...(app === "" ? {} : { app }), policy, dry_run: true };
      removed = await change<Removed>("POST", "/api/v1/retain", asked);
    });
    if (!isTaken || removed === null) return;
    setCounted(removed);
    // What removes nothing needs no question.
    if (then === "save") {
      if (removesNothing(removed)) await save(policy);
      else setAsks("save");
    }
  };
  const save = async (policy: Policy): Promise<void> => {
    const isTaken = await changing.run(() => change("PUT", path, policy));
    setAsks(null);
    if (isTaken) done();
  };
  const reset = async (): Promise<void> => {
    const isTaken = await changing.run(() => change("DELETE", path));
    setAsks(null);
    if (isTaken) done();
  };
  const done = (): void => {
    props.again();
    navigate(`/settings/retention?saved=${encodeURIComponent(app)}`);
  };

  const refused = changing.error === null ? null : refusedField(changing.error.message);
  const reason = changing.error === null || refused !== null ? null : changing.error.message;
  return (
    <section class="panel" aria-labelledby="policy-title">
      <div class="head">
        <h2 id="policy-title">
          Retention of <bdi>{name}</bdi>
        </h2>
      </div>
      <div class="panel-text">
        <p class="muted">
          {whose(app, isSet)} The server removes what the policy does not keep, every hour. Runs with a label stay.
        </p>
      </div>
      <form
        ref={form}
        class="fields panel-text"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void count("save");
        }}
      >
        {POLICY_FIELDS.map((field) => {
          const isLocked = field.isQuota && session.app !== null;
          return (
            <Field
              key={field.name}
              name={field.name}
              label={field.label}
              hint={isLocked ? "Only a token for all applications changes it." : field.hint}
              error={wrong[field.name] ?? (refused?.field === field.name ? refused.reason : null)}
              input={(attributes) => (
                <input
                  {...attributes}
                  value={typed[field.name]}
                  inputMode={field.kind === "size" ? "text" : "numeric"}
                  autocomplete="off"
                  disabled={isLocked}
                  onInput={(event) => {
                    setTyped({ ...typed, [field.name]: event.currentTarget.value });
                    setCounted(null);
                  }}
                />
              )}
            />
          );
        })}
        {reason === null ? null : (
          <p class="field-error" role="alert">
            {reason} Nothing was saved.
          </p>
        )}
        <p role="status">
          {counted === null || asks !== null ? "" : `${removedWords(counted, "It would remove")} Nothing was saved.`}
        </p>
        <p class="buttons">
          <button type="submit" class="primary" disabled={changing.isBusy}>
            Save
          </button>
          <button type="button" disabled={changing.isBusy} onClick={() => void count("show")}>
            Count what it removes
          </button>
          {isSet ? (
            <button
              type="button"
              class="danger"
              disabled={changing.isBusy}
              onClick={() => {
                setAsks("reset");
              }}
            >
              {app === "" ? "Back to the program’s default" : "Remove this policy"}
            </button>
          ) : null}
          <a class="button" href="/settings/retention">
            Cancel
          </a>
        </p>
      </form>
      {asks === "save" && counted !== null ? (
        <ConfirmDialog
          title={`Save the policy of ${name}?`}
          action="Save and remove"
          keep="Change nothing"
          isBusy={changing.isBusy}
          onConfirm={() => {
            const policy = valid();
            if (policy !== null) void save(policy);
          }}
          onClose={() => {
            setAsks(null);
          }}
        >
          <p>{removedWords(counted, "Within an hour it removes")} They do not come back.</p>
        </ConfirmDialog>
      ) : null}
      {asks === "reset" ? (
        <ConfirmDialog
          title={app === "" ? "Go back to the program’s default?" : `Remove the policy of ${name}?`}
          action={app === "" ? "Go back" : "Remove the policy"}
          keep="Keep it"
          isBusy={changing.isBusy}
          onConfirm={() => void reset()}
          onClose={() => {
            setAsks(null);
          }}
        >
          <p>
            {app === "" ? "The default keeps " : "Then it has that of the others, which keeps "}
            {keepsWords(app === "" ? answer.program_default : answer.policies.default)}. What that does not keep is
            removed within an hour.
          </p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function removesNothing(removed: Removed): boolean {
  return removed.runs === 0 && removed.cells === 0;
}

function whose(app: string, isSet: boolean): string {
  if (app === "") return "It is for all applications without a policy of their own.";
  return isSet
    ? "This application has a policy of its own."
    : "This application has the policy of the others; saving gives it its own.";
}

function keepsWords(policy: Policy): string {
  const parts = [
    policy.days === null ? null : `runs of ${policy.days} days`,
    policy.runs === null ? null : `${policy.runs} runs`,
    policy.bytes === null ? null : `at most ${exactSize(policy.bytes)}`,
  ];
  return parts.filter((part) => part !== null).join(", ") || "everything";
}
