/** The classes of code with their colours and shares; a click leaves the colour to some of them. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import { useIsDark } from "../app/theme";
import { codeFill } from "../canvas/colours";
import * as format from "../format";
import type { CodeClassRow, Scope } from "../types";
import { originTitle } from "./links";

/** More would take more room than the graph. */
const MOST = 9;

export function classTitle(row: Pick<CodeClassRow, "origin" | "vendor">): string {
  return row.vendor ?? originTitle(row.origin);
}

export function CodeLegend(props: { scope?: Scope }): JSX.Element | null {
  const { state, metric, go } = useSession();
  const isDark = useIsDark();
  const { answer } = useAnswer({ ask: "classes", metric }, props.scope);
  if (answer === null) return null;
  const { rows, total } = answer;
  const isShown = (row: CodeClassRow, at: number): boolean => at < MOST || state.only.includes(row.class);
  const shown = rows.filter(isShown);
  const toggle = (number: number): void => {
    const others = state.only.filter((one) => one !== number);
    go({ only: others.length === state.only.length ? [...others, number] : others }, "replace");
  };
  return (
    <div class="legend code-legend" role="group" aria-label="Classes of code: choose those to colour">
      {shown.map((row) => (
        <button
          key={row.class}
          type="button"
          aria-pressed={state.only.includes(row.class)}
          class={state.only.length > 0 && !state.only.includes(row.class) ? "unchosen" : ""}
          title={`${format.counted(row.functions, "function")}; self cost ${format.share(row.own, total) || "unknown"} of all`}
          onClick={() => {
            toggle(row.class);
          }}
        >
          <span class="swatch" style={{ background: codeFill(row.colour, isDark) }} />
          <bdi>{format.middle(classTitle(row), 28)}</bdi>
          {metric === "calls" || row.own <= 0 ? null : <span class="muted">{format.share(row.own, total)}</span>}
        </button>
      ))}
      {rows.length > shown.length ? <span class="muted">{format.count(rows.length - shown.length)} more</span> : null}
      {state.only.length > 0 ? (
        <button
          type="button"
          onClick={() => {
            go({ only: [] }, "replace");
          }}
        >
          All classes
        </button>
      ) : null}
    </div>
  );
}
