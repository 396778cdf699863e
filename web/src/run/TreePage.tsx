/** The runs of a filter in the viewer, as an average run. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { address } from "../api/filter";
import { filterOf } from "../shell/server";
import { Viewer } from "../shell/Viewer";

export function TreePage(props: { url: URL }): JSX.Element {
  const q = filterOf(props.url);
  const title = q === "" ? "All runs" : q;
  useEffect(() => {
    document.title = `${title} – xhprof`;
  }, [title]);
  return (
    <>
      <div class="run-head">
        <div class="run-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <span class="muted">costs of an average run</span>
          <span class="run-links">
            <a class="button" href={address("/runs", { q })}>
              Runs
            </a>
          </span>
        </div>
      </div>
      <Viewer
        title={title}
        files={[{ name: title, isBase: false, path: address("/api/v1/tree", { q, per: "run" }) }]}
      />
    </>
  );
}
