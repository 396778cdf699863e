/** One function: its callers above, what it calls below. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import { shortName } from "../canvas/paint";
import { Halves } from "../flame/Halves";
import * as format from "../format";
import { MetricMenu, TextField } from "../parts/controls";
import { Go, shortTitle } from "../parts/links";
import { Busy, Empty, Show } from "../parts/state";

export function SandwichPage(): JSX.Element {
  const { state, metric, go } = useSession();
  const list = useAnswer({ ask: "functions", filter: state.filter, sort: { by: "inclusive", metric }, rows: 200 });
  // Without a choice, the function with the greatest own cost is of interest.
  const top = useAnswer(state.fn === null ? { ask: "functions", sort: { by: "own", metric }, rows: 1 } : null);
  const fn = state.fn ?? top.answer?.rows[0]?.function ?? null;
  if (list.answer?.of === 0)
    return <Empty title={state.range === null ? "No function was called." : "There is no function in this range."} />;
  return (
    <section class="sandwich" aria-label="Sandwich">
      <div class="picker">
        <div class="toolbar">
          <TextField
            label="Find a function"
            value={state.filter}
            onChange={(filter) => {
              go({ filter }, "replace");
            }}
          />
          <MetricMenu />
        </div>
        <Show asked={list}>
          {(table) =>
            table.rows.length === 0 ? (
              <Empty title="No function matches." />
            ) : (
              <ul class="picker-list" aria-label="Functions">
                {table.rows.map((row) => (
                  <li key={row.function}>
                    <Go
                      to={{ fn: row.function, selected: null, half: null }}
                      class={row.function === fn ? "picked" : ""}
                      title={shortTitle(row.name)}
                      current={row.function === fn}
                    >
                      <span class="line-share">{format.share(row.inclusive[metric], table.total[metric])}</span>
                      <span class="ending">
                        <bdi>{shortName(row.name).slice(-300)}</bdi>
                      </span>
                    </Go>
                  </li>
                ))}
                {table.matches > table.rows.length ? (
                  <li class="muted">{format.count(table.matches - table.rows.length)} more: type to find them</li>
                ) : null}
              </ul>
            )
          }
        </Show>
      </div>
      {fn === null ? <Busy /> : <Halves fn={fn} />}
    </section>
  );
}
