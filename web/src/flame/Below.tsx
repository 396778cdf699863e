/** Below a graph that leaves room: the source of the selected function, and the costliest functions. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import { TopFunctions } from "../parts/TopFunctions";
import { Excerpt } from "../source/Excerpt";

export function Below(props: { fn: number | null }): JSX.Element {
  const { metric } = useSession();
  const { answer } = useAnswer(props.fn === null ? null : { ask: "function", function: props.fn, metric });
  return (
    <div class="below">
      <div class="below-parts">
        {answer !== null && answer.row.function === props.fn ? <Excerpt page={answer} /> : null}
        <TopFunctions />
      </div>
    </div>
  );
}
