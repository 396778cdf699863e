/** A figure against what it was before. Colour only where the server says that a change means something. */
import type { JSX } from "preact";
import type { Compared, Verdict } from "../api/generated";
import { changeWords } from "../compare/words";

const CLASSES: Readonly<Partial<Record<Verdict, string>>> = { worse: "bad", better: "good" };
const MARKS: Readonly<Partial<Record<Verdict, string>>> = { worse: "▲ ", better: "▼ " };

export function Change(props: {
  compared: Compared;
  /** In a table: a change of too few runs is told on request only. */
  isShort?: boolean;
}): JSX.Element {
  const { change, verdict } = props.compared;
  if (props.isShort === true && verdict === "unknown")
    return (
      <span class="muted" title={changeWords(change, verdict)}>
        too few runs
      </span>
    );
  return (
    <span class={(verdict && CLASSES[verdict]) ?? "muted"}>
      {(verdict && MARKS[verdict]) ?? ""}
      {changeWords(change, verdict)}
    </span>
  );
}
