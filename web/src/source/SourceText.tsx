/** The lines of a file with their costs beside them. Only the lines in view are in the page. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { isForeign } from "../app/keys";
import { usePrinting } from "../parts/printing";
import { useSize } from "../parts/size";
import { scrollToRow, windowOf } from "../parts/windowing";
import { commentStarts, tokens } from "./highlight";

const ROW = 20;
/** Some 40 pages of paper. */
const MOST_PRINTED = 2_000;
/** In a narrow window the text needs the room more than all costs do. */
const NARROW = 560;

/** What stands beside a line that has costs. */
export interface LineMark {
  /** From 0 to 1: how much of the file's cost is here. */
  readonly heat: number;
  readonly cells: readonly ComponentChildren[];
  /** For screen readers and the tooltip. */
  readonly title: string;
}

export function SourceText(props: {
  label: string;
  text: string;
  /** Titles of the columns of costs. */
  columns: readonly { title: string; help: string }[];
  marks: ReadonlyMap<number, LineMark>;
  /** The line to begin at, counted from one. */
  line: number;
  onOpen: (line: number) => void;
}): JSX.Element {
  const { marks } = props;
  const lines = useMemo(() => props.text.split(/\r\n|\r|\n/), [props.text]);
  const starts = useMemo(() => commentStarts(lines), [lines]);
  const hot = useMemo(() => [...marks.keys()].sort((a, b) => a - b), [marks]);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const columns = size.width > 0 && size.width < NARROW ? props.columns.slice(0, 1) : props.columns;
  const [scrollTop, setScrollTop] = useState(0);
  const [current, setCurrent] = useState(props.line);
  const id = useId();
  const head = 30;
  const viewport = Math.max(0, size.height - head);
  const isPrinting = usePrinting();
  const printed = Math.min(lines.length, MOST_PRINTED);
  const window = isPrinting
    ? windowOf(0, printed * ROW, ROW, printed)
    : windowOf(scrollTop, viewport, ROW, lines.length);
  const isReady = size.height > 0;
  useEffect(() => {
    setCurrent(props.line);
    const element = scroller.current;
    // The line stands in the upper third, so that what follows can be read.
    if (element && isReady) element.scrollTop = Math.max(0, (props.line - 1) * ROW - viewport / 3);
  }, [props.text, props.line, isReady]);
  const move = (line: number): void => {
    const next = Math.max(1, Math.min(lines.length, line));
    setCurrent(next);
    const element = scroller.current;
    if (element) element.scrollTop = scrollToRow(next - 1, element.scrollTop, viewport, ROW, lines.length);
  };
  const page = Math.max(1, Math.floor(viewport / ROW) - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event) || event.target !== event.currentTarget) return;
    const moves: Record<string, number | undefined> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 1,
      End: lines.length,
      n: hot.find((line) => line > current) ?? hot[0],
      N: [...hot].reverse().find((line) => line < current) ?? hot.at(-1),
    };
    const to = moves[event.key];
    if (to !== undefined) move(to);
    else if (event.key === "Enter" && marks.has(current)) props.onOpen(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const digits = String(lines.length).length;
  const template = `${columns.map(() => "5.6rem").join(" ")} max(3.8rem, ${String(digits)}ch + 1.5rem) minmax(max-content, 1fr)`;
  return (
    <div
      class="source-text"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={`${props.label}. n and N go to the next and the previous line with costs.`}
      aria-rowcount={lines.length + 1}
      aria-activedescendant={
        current - 1 >= window.first && current - 1 < window.end ? `${id}-${String(current)}` : undefined
      }
      style={{ "--columns": template }}
      onScroll={(event) => {
        setScrollTop(event.currentTarget.scrollTop);
      }}
      onKeyDown={onKeyDown}
    >
      <div class="source-head" role="rowgroup">
        <div class="source-line" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.title} role="columnheader" class="num" title={column.help}>
              {column.title}
            </div>
          ))}
          <div role="columnheader" class="num">
            Line
          </div>
          <div role="columnheader">Text</div>
        </div>
      </div>
      <div class="vtable-body" role="rowgroup" style={{ height: `${String(window.height)}px` }}>
        <div class="source-window" style={{ transform: `translateY(${String(window.top)}px)` }}>
          {lines.slice(window.first, window.end).map((text, at) => {
            const number = window.first + at + 1;
            const mark = marks.get(number);
            return (
              <div
                key={number}
                id={`${id}-${String(number)}`}
                class={`source-line${number === current ? " current" : ""}${mark ? " marked" : ""}`}
                role="row"
                aria-rowindex={number + 1}
                title={mark?.title}
                style={mark ? { "--heat": `${(mark.heat * 100).toFixed(0)}%` } : undefined}
                onClick={() => {
                  setCurrent(number);
                }}
                onDblClick={() => {
                  if (mark) props.onOpen(number);
                }}
              >
                {columns.map((column, place) => (
                  <div key={column.title} role="gridcell" class="num line-mark">
                    {mark?.cells[place] ?? ""}
                  </div>
                ))}
                <div role="gridcell" class="num line-number">
                  {number}
                </div>
                <div role="gridcell" class="code">
                  {tokens(text, starts[number - 1] ?? false).map((token, place) =>
                    token.kind === "plain" ? (
                      shortened(token.text)
                    ) : (
                      <span key={place} class={`code-${token.kind}`}>
                        {shortened(token.text)}
                      </span>
                    ),
                  )}
                </div>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A line of a megabyte is minified code, which no person reads. */
function shortened(text: string): string {
  return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
}
