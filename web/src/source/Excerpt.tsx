/** The source of one function: the lines from its beginning, with the costs of lines where they are known. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { EditorLink } from "../parts/EditorLink";
import { Go } from "../parts/links";
import type { FunctionPage, SourceLines } from "../types";
import { commentStarts, tokens } from "./highlight";
import { knownCost } from "./knownCost";
import { useText } from "./useText";

/** A longer function is read in the view Source. */
const MOST_LINES = 28;

export function Excerpt(props: { page: FunctionPage }): JSX.Element | null {
  const { page } = props;
  const { metric } = useSession();
  const { answer } = useAnswer(page.file === null ? null : { ask: "sources", metric, function: page.row.function });
  const text = useText(page.file);
  if (page.file === null || page.line === 0 || typeof text !== "string") return null;
  const lines = text.split(/\r\n|\r|\n/);
  if (page.line > lines.length) return null;
  const end = endOf(lines, page.line, answer?.shown ?? null);
  return (
    <section class="excerpt" aria-label="Source of the function">
      <h3>
        Source{" "}
        <span class="card-more">
          <EditorLink file={page.file} line={page.line} isShort />{" "}
          <Go to={{ page: "source", file: null }}>whole file</Go>
        </span>
      </h3>
      <Lines
        lines={lines}
        first={page.line}
        end={end}
        shown={answer?.shown ?? null}
        hasLines={answer?.hasLines === true}
      />
    </section>
  );
}

/** The line behind the function: that of the next function, or where its block is closed. */
function endOf(lines: readonly string[], first: number, shown: SourceLines | null): number {
  const next = shown?.functions.map(({ line }) => line).filter((line) => line > first) ?? [];
  const indent = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
  const own = indent(lines[first - 1] ?? "");
  const closed = lines.findIndex((line, at) => at >= first && /^[ \t]*[}\])]/.test(line) && indent(line) <= own);
  return Math.min(lines.length + 1, first + MOST_LINES, ...next, ...(closed < 0 ? [] : [closed + 2]));
}

function Lines(props: {
  lines: readonly string[];
  first: number;
  end: number;
  shown: SourceLines | null;
  hasLines: boolean;
}): JSX.Element {
  const { lines, first, end } = props;
  const { metric, unit } = useSession();
  const starts = commentStarts([...lines]);
  const known = knownCost(props.shown?.lines ?? [], metric);
  const costs = new Map(props.hasLines ? props.shown?.lines.map((line) => [line.line, line]) : []);
  const shown = lines.slice(first - 1, end - 1);
  return (
    <div class="excerpt-lines" tabIndex={0} role="region" aria-label="Lines of the function">
      <table>
        <tbody>
          {shown.map((text, at) => {
            const number = first + at;
            const cost = costs.get(number)?.[known][metric] ?? 0;
            return (
              <tr key={number}>
                {props.hasLines ? (
                  <td class="num line-mark">{cost === 0 ? "" : format.cost(cost, metric, unit)}</td>
                ) : null}
                <td class="num line-number">{number}</td>
                <td class="code">
                  {tokens(text.slice(0, 1_000), starts[number - 1] ?? false).map((token, place) => (
                    <span key={place} class={`code-${token.kind}`}>
                      {token.text}
                    </span>
                  ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
