/** The tokens: who may send runs, and see them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { change } from "../api/client";
import type { Session, ShownToken } from "../api/generated";
import { useApi } from "../api/useApi";
import * as format from "../format";
import { ConfirmDialog } from "../parts/ConfirmDialog";
import { CopyLine } from "../parts/CopyLine";
import { DataTable } from "../parts/DataTable";
import { Answered } from "../shell/states";
import { TokenForm, type Made } from "./TokenForm";
import { useChange } from "./useChange";

export function TokensPart(props: { session: Session }): JSX.Element {
  const { session } = props;
  const isAdmin = session.scopes.includes("admin");
  if (!session.has_login)
    return (
      <section class="panel" aria-labelledby="tokens-title">
        <div class="head">
          <h2 id="tokens-title">Tokens</h2>
        </div>
        <div class="panel-text">
          <p>
            This server asks for no token. The first one is made on its machine, and a server that is started after that
            asks for it:
          </p>
          <CopyLine label="Make the first token" text="xhprof store token add NAME --may read,write,admin" />
        </div>
      </section>
    );
  if (!isAdmin)
    return (
      <section class="panel state">
        <p>Only tokens with the scope admin see the list of tokens.</p>
      </section>
    );
  return <Tokens session={session} />;
}

function Tokens(props: { session: Session }): JSX.Element {
  const asked = useApi<ShownToken[]>("/api/v1/tokens");
  const [made, setMade] = useState<Made | null>(null);
  const [removing, setRemoving] = useState<ShownToken | null>(null);
  const [told, setTold] = useState("");
  const changing = useChange();
  const remove = async (token: ShownToken): Promise<void> => {
    const isTaken = await changing.run(() => change("DELETE", `/api/v1/tokens/${encodeURIComponent(token.id)}`));
    if (!isTaken) return;
    setRemoving(null);
    setTold(`The token ${token.name} is removed.`);
    if (made?.id === token.id) setMade(null);
    asked.again();
  };
  return (
    <>
      <p class={told === "" ? "sr-only" : "notice"} role="status">
        {told}
      </p>
      <Answered asked={asked}>
        {(tokens) => (
          <section class="panel" aria-labelledby="tokens-title">
            <div class="head">
              <h2 id="tokens-title">Tokens</h2>
              <span class="muted small">{format.counted(tokens.length, "token")}</span>
            </div>
            <DataTable
              label="Tokens"
              columns={[
                { title: "Name" },
                { title: "May" },
                { title: "Application" },
                { title: "Made", isWide: true },
                { title: "Ends", isWide: true },
                { title: "Remove", isUntitled: true },
              ]}
              rows={tokens.map((token) => ({
                key: token.id,
                cells: [
                  <bdi>{token.name}</bdi>,
                  token.scopes.join(", "),
                  token.app === null ? <em>all</em> : <bdi>{token.app}</bdi>,
                  token.created_us === null ? "" : format.moment(token.created_us),
                  token.until_us === null ? "never" : format.moment(token.until_us),
                  token.is_in_file ? (
                    <span class="muted" title="The administrator of the machine removes its line from the file">
                      in a file
                    </span>
                  ) : (
                    <button
                      type="button"
                      aria-label={`Remove the token ${token.name}`}
                      onClick={() => {
                        changing.clear();
                        setRemoving(token);
                      }}
                    >
                      Remove
                    </button>
                  ),
                ],
              }))}
            />
          </section>
        )}
      </Answered>
      {made === null ? null : <MadeToken made={made} />}
      <TokenForm
        session={props.session}
        onMade={(next) => {
          setMade(next);
          setTold("");
          asked.again();
        }}
      />
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove the token ${removing.name}?`}
          action="Remove the token"
          keep="Keep it"
          isBusy={changing.isBusy}
          error={changing.error?.message ?? null}
          onConfirm={() => void remove(removing)}
          onClose={() => {
            setRemoving(null);
          }}
        >
          <p>
            Programs that use it ({removing.scopes.join(", ")};{" "}
            {removing.app === null ? "all applications" : <bdi>{removing.app}</bdi>}) are refused from then on, and its
            sessions end.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** The secret, which the server does not show again. */
function MadeToken(props: { made: Made }): JSX.Element {
  return (
    <section class="panel made-token" aria-labelledby="made-title" role="status">
      <div class="head">
        <h2 id="made-title">
          The token <bdi>{props.made.name}</bdi>
        </h2>
      </div>
      <div class="panel-text">
        <p>
          <strong>This is the only time that it is shown.</strong> Copy it now.
        </p>
        <CopyLine label="The token" text={props.made.token} />
        <p class="muted">
          Programs send it as <code>Authorization: Bearer TOKEN</code>; <code>xhprof agent</code> and{" "}
          <code>xhprof push</code> read it from the file of <code>--token-file</code>.
        </p>
      </div>
    </section>
  );
}
