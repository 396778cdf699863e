/** The average runs of two groups in the viewer, inside of the shell: `/compare/tree?before=&after=`. */
import type { JSX } from "preact";
import { address, runsAddress } from "../api/filter";
import { useUrl } from "../shell/router";
import { Nothing } from "../shell/states";
import { Viewer } from "../shell/Viewer";
import { DifferenceHead } from "./DifferenceHead";
import { sidesOf } from "./sides";

export function TreesPage(): JSX.Element {
  const url = useUrl();
  const get = (name: string): string => url.searchParams.get(name) ?? "";
  const [before, after] = [get("before"), get("after")];
  if (before === "" && after === "")
    return (
      <Nothing title="Two groups of runs are compared.">
        <p>
          Choose them on the page <a href="/compare">Compare</a>.
        </p>
      </Nothing>
    );
  const sides = sidesOf(before, after);
  const title = sides.shared === "" ? "An average run, compared" : `An average run of ${sides.shared}`;
  // Costs of one run on average: groups of different sizes can be compared.
  const path = (q: string): string => address("/api/v1/tree", { q, per: "run" });
  return (
    <div class="viewer-place">
      <DifferenceHead
        title={title}
        before={
          <a href={runsAddress(before)}>
            <bdi>{sides.before}</bdi>
          </a>
        }
        after={
          <a href={runsAddress(after)}>
            <bdi>{sides.after}</bdi>
          </a>
        }
        actions={
          <>
            <a class="button" href={address("/compare", { before, after })}>
              Figures and causes
            </a>
            <a class="button" href={address("/compare/tree", { before: after, after: before })}>
              Exchange
            </a>
          </>
        }
      />
      <Viewer
        title={title}
        files={[
          { name: sides.before, isBase: true, path: path(before) },
          { name: sides.after, isBase: false, path: path(after) },
        ]}
      />
    </div>
  );
}
