/** Below a graph that leaves room: the source of the selected function, and the costliest functions. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import { useSize } from "../parts/size";
import { TopFunctions } from "../parts/TopFunctions";
import { Excerpt } from "../source/Excerpt";

/** Less room than this, in pixels, is better left empty. */
const LEAST = 128;

export function Below(props: { fn: number | null }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const { height } = useSize(frame);
  return (
    <div class="below" ref={frame}>
      {height < LEAST ? null : <Parts fn={props.fn} />}
    </div>
  );
}

function Parts(props: { fn: number | null }): JSX.Element {
  const { metric } = useSession();
  const { answer } = useAnswer(props.fn === null ? null : { ask: "function", function: props.fn, metric });
  return (
    <div class="below-parts">
      {answer !== null && answer.row.function === props.fn ? <Excerpt page={answer} /> : null}
      <TopFunctions />
    </div>
  );
}
