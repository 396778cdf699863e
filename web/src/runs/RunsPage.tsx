/** Runs: the list, its facets, its query, and new ones as they arrive. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { address } from "../api/filter";
import type { RunInfo, RunPage, RunSort } from "../api/generated";
import { useApi } from "../api/useApi";
import { Page, Panel } from "../shell/Page";
import { navigate } from "../shell/router";
import { filterOf, setParameter } from "../shell/server";
import { Answered, NoRuns } from "../shell/states";
import { COLUMNS } from "./columns";
import { FacetLists } from "./FacetLists";
import { RunsTable } from "./RunsTable";

const LIMIT = "50";
/** How often a live list is asked for again. */
const LIVE_MS = 3000;

export function RunsPage(props: { url: URL }): JSX.Element {
  const { url } = props;
  const q = filterOf(url);
  const wanted = url.searchParams.get("sort");
  const sort = COLUMNS.find((one) => one.sort === wanted)?.sort ?? "started";
  const isAscending = url.searchParams.get("order") === "ascending";
  const cursor = url.searchParams.get("cursor");
  const isLive = url.searchParams.get("live") === "1";
  const asked = useApi<RunPage>(
    address("/api/v1/runs", { q, sort, ascending: isAscending ? "true" : null, limit: LIMIT, cursor }),
  );
  const { again } = asked;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    // Rows must not move under the pointer of who chooses.
    if (!isLive || cursor !== null || chosen.length > 0) return;
    const timer = setInterval(again, LIVE_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isLive, cursor, chosen.length, again]);
  const query = Object.fromEntries(url.searchParams);
  const sortAddress = (next: RunSort): string => {
    // Numbers begin with the most, texts with the first of the alphabet; a second click turns the order.
    const isNumber = COLUMNS.some((one) => one.sort === next && (one.isNumber || next === "started"));
    const turned = next === sort ? !isAscending : !isNumber;
    return address(url.pathname, { ...query, cursor: null, sort: next, order: turned ? "ascending" : null });
  };
  return (
    <Page
      title="Runs"
      actions={
        <>
          <CompareTwo runs={asked.answer?.runs ?? []} chosen={chosen} />
          <label class="check">
            <input
              type="checkbox"
              checked={isLive}
              onChange={(event) => {
                setParameter(url, "live", event.currentTarget.checked ? "1" : null, "replace");
              }}
            />{" "}
            Live
          </label>
        </>
      }
    >
      <Query url={url} q={q} />
      <div class="with-facets">
        <FacetLists url={url} q={q} />
        <Panel title="Runs" note={cursor === null ? "" : "a further part of the list"}>
          <Answered asked={asked} lines={12}>
            {({ runs, next }) =>
              runs.length === 0 ? (
                <NoRuns q={q} path="/runs" />
              ) : (
                <>
                  <RunsTable
                    runs={runs}
                    sort={sort}
                    isAscending={isAscending}
                    sortAddress={sortAddress}
                    chosen={chosen}
                    onChoose={(id, isChosen) => {
                      setChosen((before) =>
                        [...before.filter((one) => one !== id), ...(isChosen ? [id] : [])].slice(-2),
                      );
                    }}
                  />
                  <p class="pager">
                    {cursor === null ? null : (
                      <a class="button" href={address(url.pathname, { ...query, cursor: null })}>
                        First part
                      </a>
                    )}
                    {next === null ? null : (
                      <a class="button" href={address(url.pathname, { ...query, cursor: next })}>
                        Next part
                      </a>
                    )}
                  </p>
                </>
              )
            }
          </Answered>
        </Panel>
      </div>
    </Page>
  );
}

/** Opens two chosen runs in the viewer: the earlier one is the base. */
function CompareTwo(props: { runs: readonly RunInfo[]; chosen: readonly string[] }): JSX.Element {
  const two = props.runs
    .filter(({ id }) => props.chosen.includes(id))
    .sort((a, b) => a.started_us - b.started_us || (a.id < b.id ? -1 : 1));
  const [base, run] = two;
  return (
    <button
      type="button"
      disabled={base === undefined || run === undefined}
      onClick={() => {
        if (base && run) navigate(address("/compare/runs", { base: base.id, new: run.id }));
      }}
    >
      Compare the two chosen runs
    </button>
  );
}

/** The filter as text, for conditions that have no menu. */
function Query(props: { url: URL; q: string }): JSX.Element {
  const [text, setText] = useState(props.q);
  useEffect(() => {
    setText(props.q);
  }, [props.q]);
  return (
    <form
      class="query"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const url = new URL(props.url);
        url.searchParams.delete("cursor");
        setParameter(url, "q", text.trim() === "" ? null : text.trim());
      }}
    >
      <input
        type="search"
        aria-label="Filter of the runs"
        placeholder="route:/cart* wall:>200ms status:500 tag.tenant:acme"
        value={text}
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <button type="submit">Filter</button>
    </form>
  );
}
