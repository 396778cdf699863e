/**
 * A table of any length: only the rows in view are in the page.
 *
 * Made of elements with roles, because a `<table>` cannot leave rows out. One
 * row is the current one; arrow keys move it, Enter opens it.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isForeign } from '../app/keys';
import { usePrinting } from './printing';
import { useSize } from './size';
import { scrollToRow, windowOf } from './windowing';

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
  readonly sorted?: 'ascending' | 'descending' | null;
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
  const window = isPrinting ? windowOf(0, MOST_PRINTED * rowHeight, rowHeight, Math.min(rows, MOST_PRINTED)) : windowOf(scrollTop, viewport, rowHeight, rows);
  useEffect(() => {
    if (window.end > window.first && !isPrinting) onWindow?.(window.first, window.end);
  }, [window.first, window.end, onWindow, isPrinting]);
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
    else if (event.key === 'Enter' && current >= 0) onOpen?.(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const template = columns.map((column) => column.width).join(' ');
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
      style={{ '--columns': template, '--row': `${String(rowHeight)}px`, maxHeight: `${String(head + rows * rowHeight + SCROLLBAR)}px` }}
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
              class={column.numeric === true ? 'num' : ''}
              title={column.help}
              aria-sort={column.sort ? (column.sorted ?? 'none') : undefined}
            >
              {column.sort ? (
                <button type="button" class="sorter" onClick={column.sort}>
                  {column.title}
                  <span class="arrow" aria-hidden="true">
                    {column.sorted === 'ascending' ? '▲' : column.sorted === 'descending' ? '▼' : ''}
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
                class={`vrow${row === current ? ' current' : ''}${row % 2 ? ' odd' : ''}`}
                role="row"
                aria-rowindex={row + 2}
                aria-busy={list === null}
                onClick={() => {
                  setCurrent(row);
                }}
                onDblClick={() => onOpen?.(row)}
              >
                {columns.map((column, at) => (
                  <div key={column.key} role="gridcell" class={column.numeric === true ? 'num' : 'text'}>
                    {list === null ? (at === 0 ? '…' : '') : list[at]}
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
