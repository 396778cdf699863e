/** The page Settings, in parts with an address each. */
import type { JSX } from "preact";
import type { Session, SettingsPage as Answer } from "../api/generated";
import { useApi, type Asked } from "../api/useApi";
import { Page } from "../shell/Page";
import { useUrl } from "../shell/router";
import { useServer } from "../shell/server";
import { Answered } from "../shell/states";
import { AlertsPart } from "./AlertsPart";
import { PolicyPart } from "./PolicyPart";
import { RetentionPart } from "./RetentionPart";
import { StorePart } from "./StorePart";
import { TokensPart } from "./TokensPart";
import { UploadsPart } from "./UploadsPart";

const PARTS = [
  { part: "", title: "Applications and size" },
  { part: "retention", title: "Retention and quotas" },
  { part: "tokens", title: "Tokens" },
  { part: "alerts", title: "Alerts" },
  { part: "uploads", title: "Uploads" },
] as const;

export function SettingsPage(): JSX.Element {
  const session = useServer();
  const url = useUrl();
  const [part = ""] = url.pathname.split("/").slice(2);
  const asked = useApi<Answer>("/api/v1/pages/settings");
  const title = PARTS.find((one) => one.part === part)?.title ?? PARTS[0].title;
  return (
    <Page
      title="Settings"
      note={
        session.has_login ? (
          <>
            logged in with the token <bdi>{session.name}</bdi>
          </>
        ) : (
          "this server asks for no login"
        )
      }
    >
      <div class="settings-parts">
        <nav class="side-nav" aria-label="Parts of the settings">
          {PARTS.map((one) => (
            <a
              key={one.part}
              href={one.part === "" ? "/settings" : `/settings/${one.part}`}
              aria-current={one.title === title ? "page" : undefined}
            >
              {one.title}
            </a>
          ))}
        </nav>
        <div class="stack">
          <Part part={part} asked={asked} session={session} query={url.searchParams} />
        </div>
      </div>
    </Page>
  );
}

function Part(props: { part: string; asked: Asked<Answer>; session: Session; query: URLSearchParams }): JSX.Element {
  const { part, asked, session, query } = props;
  const policyOf = query.get("app");
  if (part === "tokens") return <TokensPart session={session} />;
  return (
    <Answered asked={asked}>
      {(answer) => {
        switch (part) {
          case "retention":
            return policyOf === null ? (
              <RetentionPart answer={answer} session={session} saved={query.get("saved")} />
            ) : (
              <PolicyPart key={policyOf} app={policyOf} answer={answer} session={session} again={asked.again} />
            );
          case "alerts":
            return <AlertsPart answer={answer} session={session} />;
          case "uploads":
            return <UploadsPart answer={answer} />;
          default:
            return <StorePart answer={answer} />;
        }
      }}
    </Answered>
  );
}
