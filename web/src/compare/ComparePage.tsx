/** The page Compare: two groups of runs by their filters, or what can be compared without typing. */
import type { JSX } from "preact";
import type { ComparisonPage, Proposals } from "../api/generated";
import { capital } from "../api/client";
import { address } from "../api/filter";
import { useApi } from "../api/useApi";
import { CopyLine } from "../parts/CopyLine";
import { Page, Panel } from "../shell/Page";
import { navigate, useUrl } from "../shell/router";
import { filterOf } from "../shell/server";
import { Answered, Nothing } from "../shell/states";
import { Comparison } from "./Comparison";
import { GroupsForm, type Groups } from "./GroupsForm";
import { sidesOf } from "./sides";

export function ComparePage(): JSX.Element {
  const url = useUrl();
  const get = (name: string): string => url.searchParams.get(name) ?? "";
  const groups = { before: get("before"), after: get("after") };
  const isAsked = groups.before !== "" || groups.after !== "";
  const asked = useApi<ComparisonPage>(isAsked ? address("/api/v1/pages/compare", { ...groups }) : null);
  const { error } = asked;
  // A filter that is wrong, or that no run matches: that is said beside it.
  const wrong =
    error !== null && (error.status === 400 || error.status === 404) ? wrongOf(groups, error.message) : null;
  return (
    <Page title="Compare" note={isAsked ? <SidesNote groups={groups} /> : "two releases, days, hosts or tags"}>
      <section class="panel" aria-label="Groups of runs">
        <GroupsForm
          groups={groups}
          wrong={wrong ?? {}}
          onCompare={(next) => {
            navigate(address("/compare", { ...next }));
          }}
        />
      </section>
      {!isAsked ? (
        <ProposalsPanel q={filterOf(url)} />
      ) : wrong !== null ? null : (
        <Answered asked={asked}>
          {(answer) => <Comparison before={groups.before} after={groups.after} answer={answer} />}
        </Answered>
      )}
    </Page>
  );
}

/** What tells the groups apart, and what they share. */
export function SidesNote(props: { groups: Groups }): JSX.Element {
  const { shared, before, after, isSame } = sidesOf(props.groups.before, props.groups.after);
  if (isSame)
    return (
      <>
        <bdi class="strong">{shared}</bdi> on both sides
      </>
    );
  return (
    <>
      <bdi>{before}</bdi> → <bdi class="strong">{after}</bdi>
      {shared === "" ? "" : ", of "}
      <bdi>{shared}</bdi>
    </>
  );
}

/** The field that an error of the server is about: that whose filter it quotes, else the first. */
function wrongOf(groups: Groups, error: string): Partial<Record<keyof Groups, string>> {
  const isAfter = error.includes(`“${groups.after}”`) && groups.after !== groups.before;
  return isAfter ? { after: error } : { before: error };
}

/** Comparisons that need no typing. */
function ProposalsPanel(props: { q: string }): JSX.Element {
  const asked = useApi<Proposals[]>(address("/api/v1/pages/compare/proposals", { q: props.q }));
  return (
    <Answered asked={asked}>
      {(apps) =>
        apps.length === 0 ? (
          <Nothing title="There are no runs to compare yet.">
            <p>Send some of each release:</p>
            <CopyLine label="Sending runs" text={`xhprof push FILES… --to ${location.origin} --release 2026.11`} />
          </Nothing>
        ) : (
          apps.map(({ app, proposals }) => (
            <Panel key={app} title={app}>
              <ul class="link-list">
                {proposals.map(({ before, after, text }) => (
                  <li key={text}>
                    <a href={address("/compare", { before, after })}>{capital(text)}</a>
                  </li>
                ))}
              </ul>
            </Panel>
          ))
        )
      }
    </Answered>
  );
}
