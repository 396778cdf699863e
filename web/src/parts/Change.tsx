/** A figure beside what it was before. Colour only where the server says that a change means something. */
import type { JSX } from "preact";
import type { Compared } from "../api/generated";
import { verdictClass } from "../compare/FigureCards";
import { changeWords } from "../compare/words";

export function Change(props: { compared: Compared }): JSX.Element {
  const { change, verdict } = props.compared;
  return (
    <span class={verdictClass(verdict)}>
      {verdict === "worse" ? "▲ " : verdict === "better" ? "▼ " : ""}
      {changeWords(change, verdict)}
    </span>
  );
}
