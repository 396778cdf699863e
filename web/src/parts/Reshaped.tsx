/** What all views leave out or fold, and how to undo it. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { shortName } from "../canvas/paint";

export function Reshaped(): JSX.Element | null {
  const { state, go } = useSession();
  const { hidden, collapsed } = state;
  if (hidden.length + collapsed.length === 0) return null;
  return (
    <div class="reshaped" role="group" aria-label="What is left out">
      {hidden.map((fn) => (
        <Part
          key={fn}
          fn={fn}
          what="hidden"
          onUndo={() => {
            go({ hidden: hidden.filter((one) => one !== fn), zoom: [], selected: null });
          }}
        />
      ))}
      {collapsed.map((fn) => (
        <Part
          key={fn}
          fn={fn}
          what="recursion as one call"
          onUndo={() => {
            go({ collapsed: collapsed.filter((one) => one !== fn), zoom: [], selected: null });
          }}
        />
      ))}
      <button
        type="button"
        onClick={() => {
          go({ hidden: [], collapsed: [], zoom: [], selected: null });
        }}
      >
        Show all
      </button>
    </div>
  );
}

function Part(props: { fn: number; what: string; onUndo: () => void }): JSX.Element {
  // Of the whole profile: what is hidden has no cost in what remains.
  const { answer } = useAnswer({ ask: "function", function: props.fn }, {});
  const name = answer?.row.name ?? `function ${String(props.fn)}`;
  return (
    <span class="chip">
      <bdi title={name.slice(0, 300)}>{format.middle(shortName(name), 48)}</bdi> <span class="muted">{props.what}</span>
      <button type="button" aria-label={`Undo: ${name.slice(0, 200)} ${props.what}`} onClick={props.onUndo}>
        ✕
      </button>
    </span>
  );
}
