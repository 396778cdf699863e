/**
 * A table of any length: only the rows in view are in the page.
 *
 * Made of elements with roles, because a `<table>` cannot leave rows out. One
 * row is the current one; arrow keys move it, Enter opens it.
 */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isForeign } from "../app/keys";
import { usePrinting } from "./printing";
import { useSize } from "./size";
import type { MetricName, Unit } from "../types";
import { scrollToRow, scrollToTop, windowOf } from "./windowing";

export interface TableColumn {
  readonly key: string;
  readonly title: string;
  /** What the column means, for the tooltip of its header. */
  readonly help?: string;
  readonly numeric?: boolean;
  /** A width for `grid-template-columns`. */
  readonly width: string;
  /** Sorts by this column; none if it cannot be sorted by. */
  readonly sort?: () => void;
  readonly sorted?: "ascending" | "descending" | null;
}

/** What of a table is looked at: the first row in view, and the current row. */
export interface TablePlace {
  readonly top: number;
  readonly row: number | null;
}

export interface TableProps {
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly rows: number;
  /** The cells of a row, in the order of the columns; none while it is loading. */
  readonly cells: (row: number) => readonly ComponentChildren[] | null;
  /** Tells which rows are needed. */
  readonly onWindow?: (first: number, end: number) => void;
  readonly onOpen?: (row: number) => void;
  readonly rowHeight?: number;
  /** What the address says is looked at. */
  readonly place?: TablePlace;
  /** Tells what is looked at, when scrolling rests. */
  readonly onPlace?: (place: TablePlace) => void;
}

/** An address changes when scrolling rests for so long: browsers limit how often it may. */
const REST_MS = 150;

/** The width of a column of costs: `1,234,567 samples` is longer than any time or amount of memory. */
export function costWidth(metric: MetricName, unit: Unit, width = "7rem"): string {
  return metric === "wall" && unit === "samples" ? "12rem" : width;
}

/** Room for one below the last row. */
const SCROLLBAR = 18;

/** A page of paper has some 40 rows. */
const MOST_PRINTED = 200;

export function VirtualTable(props: TableProps): JSX.Element {
  const { columns, rows, cells, onWindow, onOpen, rowHeight = 30 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const [scrollTop, setScrollTop] = useState(0);
  const [current, setCurrent] = useState(-1);
  const id = useId();
  const head = rowHeight + 2;
  const viewport = Math.max(0, size.height - head);
  const isPrinting = usePrinting();
  const window = isPrinting
    ? windowOf(0, MOST_PRINTED * rowHeight, rowHeight, Math.min(rows, MOST_PRINTED))
    : windowOf(scrollTop, viewport, rowHeight, rows);
  useEffect(() => {
    if (window.end > window.first && !isPrinting) onWindow?.(window.first, window.end);
  }, [window.first, window.end, onWindow, isPrinting]);
  const told = useRef<TablePlace>({ top: 0, row: null });
  const isTold = ({ top, row }: TablePlace): boolean => top === told.current.top && row === told.current.row;
  useLayoutEffect(() => {
    const { place } = props;
    const element = scroller.current;
    if (place === undefined || element === null || size.height === 0 || isTold(place)) return;
    // From the address: by a link, or by going back.
    told.current = place;
    setCurrent(place.row ?? -1);
    element.scrollTop = scrollToTop(place.top, viewport, rowHeight, rows);
  }, [props.place?.top, props.place?.row, size.height === 0]);
  const tell = (row = current): void => {
    if (size.height === 0 || isPrinting) return;
    const place = { top: windowOf(scrollTop, viewport, rowHeight, rows).first, row: row < 0 ? null : row };
    if (isTold(place)) return;
    told.current = place;
    props.onPlace?.(place);
  };
  // Effects end later than the next drawing, so the timer of an earlier list may still run out.
  const tellWhatIs = useRef(tell);
  tellWhatIs.current = tell;
  useEffect(() => {
    const timer = setTimeout(() => {
      tellWhatIs.current();
    }, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [scrollTop, current]);
  useLayoutEffect(() => {
    // A shorter list may end above where it was scrolled to.
    const element = scroller.current;
    if (element !== null && element.scrollTop !== scrollTop) setScrollTop(element.scrollTop);
  });
  const moveTo = (row: number): void => {
    const next = Math.max(0, Math.min(rows - 1, row));
    setCurrent(next);
    const element = scroller.current;
    if (element) element.scrollTop = scrollToRow(next, element.scrollTop, viewport, rowHeight, rows);
  };
  const page = Math.max(1, Math.floor(viewport / rowHeight) - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event) || event.target !== event.currentTarget) return;
    const moves: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: rows - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) moveTo(move);
    else if (event.key === "Enter" && current >= 0) {
      tell();
      onOpen?.(current);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const template = columns.map((column) => column.width).join(" ");
  const inView = Array.from({ length: window.end - window.first }, (_, at) => window.first + at);
  const shown = isPrinting ? inView.filter((row) => cells(row) !== null) : inView;
  return (
    <div
      class="vtable"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={rows + 1}
      aria-activedescendant={current >= window.first && current < window.end ? `${id}-${String(current)}` : undefined}
      style={{
        "--columns": template,
        "--row": `${String(rowHeight)}px`,
        maxHeight: `min(${String(head + rows * rowHeight + SCROLLBAR)}px, var(--most-height, 100000rem))`,
      }}
      onScroll={(event) => {
        setScrollTop(event.currentTarget.scrollTop);
      }}
      onKeyDown={onKeyDown}
    >
      <div class="vtable-head" role="rowgroup">
        <div class="vrow" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div
              key={column.key}
              role="columnheader"
              class={column.numeric === true ? "num" : ""}
              title={column.help}
              aria-sort={column.sort ? (column.sorted ?? "none") : undefined}
            >
              {column.sort ? (
                <button type="button" class="sorter" onClick={column.sort}>
                  {column.title}
                  <span class="arrow" aria-hidden="true">
                    {column.sorted === "ascending" ? "▲" : column.sorted === "descending" ? "▼" : ""}
                  </span>
                </button>
              ) : (
                column.title
              )}
            </div>
          ))}
        </div>
      </div>
      <div class="vtable-body" role="rowgroup" style={{ height: `${String(window.height)}px` }}>
        <div class="vtable-window" style={{ transform: `translateY(${String(window.top)}px)` }}>
          {shown.map((row) => {
            const list = cells(row);
            return (
              <div
                key={row}
                id={`${id}-${String(row)}`}
                class={`vrow${row === current ? " current" : ""}${row % 2 ? " odd" : ""}`}
                role="row"
                aria-rowindex={row + 2}
                aria-busy={list === null}
                onClick={() => {
                  setCurrent(row);
                  // Before a link of the row leads elsewhere.
                  tell(row);
                }}
                onDblClick={() => onOpen?.(row)}
              >
                {columns.map((column, at) => (
                  <div key={column.key} role="gridcell" class={column.numeric === true ? "num" : "text"}>
                    {list === null ? (at === 0 ? "…" : "") : list[at]}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
