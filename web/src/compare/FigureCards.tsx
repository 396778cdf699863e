/** The figures of both groups, as cards. */
import type { JSX } from "preact";
import type { Compared, Figures } from "../api/generated";
import * as format from "../format";
import { Change } from "../parts/Change";

const share = (part: number): string => format.share(part, 1);

const FIGURES: readonly { name: keyof Figures; label: string; text: (value: number) => string }[] = [
  { name: "mean", label: "Mean", text: format.time },
  { name: "p50", label: "p50", text: format.time },
  { name: "p95", label: "p95", text: format.time },
  { name: "p99", label: "p99", text: format.time },
  { name: "cpu", label: "CPU, mean", text: format.time },
  { name: "peak", label: "Peak, mean", text: format.bytes },
  { name: "sql", label: "SQL a request", text: format.count },
  { name: "failed", label: "Errors", text: share },
];

export function FigureCards(props: { figures: Figures }): JSX.Element {
  const known = FIGURES.filter(({ name }) => isKnown(props.figures[name]));
  return (
    <div class="figure-cards" role="list" aria-label="Figures before and after">
      {known.map(({ name, label, text }) => (
        <FigureCard key={name} label={label} compared={props.figures[name]} text={text} />
      ))}
    </div>
  );
}

function isKnown({ before, now }: Compared): boolean {
  return before !== null || now !== null;
}

function FigureCard(props: { label: string; compared: Compared; text: (value: number) => string }): JSX.Element {
  const { before, now } = props.compared;
  const text = (value: number | null): string => (value === null ? "not measured" : props.text(value));
  return (
    <div class="figure-card" role="listitem">
      <div class="label">{props.label}</div>
      <div class="figure">{text(now)}</div>
      <div class="delta">
        <Change compared={props.compared} isShort />
      </div>
      <div class="muted small">before {text(before)}</div>
    </div>
  );
}
