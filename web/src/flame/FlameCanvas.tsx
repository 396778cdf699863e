/**
 * The boxes of a flame graph on a canvas as large as the window, never as tall
 * as the stack: scrolling draws other rows.
 */
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isForeign } from '../app/keys';
import { useIsDark } from '../app/theme';
import { ink } from '../canvas/colours';
import { drawFrame, drawLabel, prepare } from '../canvas/paint';
import { useSize } from '../parts/size';
import { NONE, type Boxes } from './boxes';

const ROW = 20;

export interface FlameCanvasProps {
  readonly boxes: Boxes;
  readonly label: string;
  /** Callers below callees. */
  readonly upwards: boolean;
  readonly fills: (place: number) => string;
  readonly selected: number;
  /** What is read out and shown of a box: its name and costs. */
  readonly describe: (place: number) => string;
  readonly onSelect: (place: number) => void;
  readonly onZoom: (place: number) => void;
  /** Shows one box more of the path that is zoomed into; or all. */
  readonly onZoomOut?: (all: boolean) => void;
  /** Selects the next match of the search, or the one before. */
  readonly onMatch?: (step: 1 | -1) => void;
  /** When it changes, the first row of interest is scrolled to. */
  readonly subject: string;
  /** Stands in front of a name: what the colour says, for those who do not see it. */
  readonly sign?: (place: number) => string;
  /** Shows the root first, even if a tower of wrappers stands there. */
  readonly startsAtRoot?: boolean;
}

export function FlameCanvas(props: FlameCanvasProps): JSX.Element {
  const { boxes, upwards, fills, selected, describe } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(scroller);
  const isDark = useIsDark();
  const [scrollTop, setScrollTop] = useState(0);
  const [hovered, setHovered] = useState(NONE);
  const rows = boxes.rows.length;
  const space = Math.max(rows * ROW, size.height);
  const scale = size.width / Math.max(1, boxes.flame.boxes.right[0] ?? 1);
  const topOf = (row: number): number => (upwards ? space - (row + 1) * ROW : row * ROW);

  const scrollTo = (top: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = top;
  };

  useLayoutEffect(() => {
    if (size.height === 0) return;
    const first = props.startsAtRoot === true ? 0 : boxes.firstInterestingRow(size.width / Math.max(scale, 0.01));
    const hidden = (first + 1) * ROW > size.height * 0.6 ? Math.max(0, first - 3) * ROW : 0;
    scrollTo(upwards ? space - size.height - hidden : hidden);
    // Only for another graph, not for another size or colour.
  }, [props.subject, size.height === 0]);

  useEffect(() => {
    setHovered(NONE);
  }, [boxes]);

  useEffect(() => {
    if (selected === NONE || size.height === 0) return;
    const top = topOf(boxes.row(selected));
    const at = scroller.current?.scrollTop ?? 0;
    if (top < at) scrollTo(top - ROW);
    else if (top + ROW > at + size.height) scrollTo(top + 2 * ROW - size.height);
  }, [selected, boxes]);

  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, size.width, size.height, paint.paper);
    if (!context) return;
    const { left, right, joined } = boxes.flame.boxes;
    const labels: number[] = [];
    let last = '';
    const inView = (row: number): boolean => topOf(row) + ROW > scrollTop && topOf(row) < scrollTop + size.height;
    for (let row = 0; row < rows; row += 1) {
      if (!inView(row)) continue;
      const top = topOf(row) - scrollTop;
      for (const place of boxes.rows[row] ?? []) {
        const x = (left[place] ?? 0) * scale;
        const width = Math.max(0.6, (right[place] ?? 0) * scale - x - (1 - 1 / ROW));
        const fill = fills(place);
        if (fill !== last) {
          context.fillStyle = fill;
          last = fill;
        }
        context.fillRect(x, top, width, ROW - 1);
        if (width > 24 && (joined[place] ?? 1) === 1) labels.push(place);
      }
    }
    context.fillStyle = paint.text;
    for (const place of labels) {
      const x = (left[place] ?? 0) * scale;
      const width = (right[place] ?? 0) * scale - x;
      drawLabel(context, { sign: props.sign?.(place) ?? '', name: boxes.name(place), left: x, top: topOf(boxes.row(place)) - scrollTop, width, height: ROW - 1 });
    }
    for (const place of new Set([hovered, selected])) {
      if (place === NONE || place >= boxes.count) continue;
      const x = (left[place] ?? 0) * scale;
      const frame = [x, topOf(boxes.row(place)) - scrollTop, (right[place] ?? 0) * scale - x, ROW - 1] as const;
      if (place === selected) drawFrame(context, paint, frame);
      else {
        context.lineWidth = 1;
        context.strokeStyle = paint.text;
        context.strokeRect(frame[0] + 0.5, frame[1] + 0.5, Math.max(2, frame[2] - 1), frame[3] - 1);
      }
    }
  });

  const placeAt = (event: MouseEvent): number => {
    const area = canvas.current?.getBoundingClientRect();
    if (!area) return NONE;
    const y = event.clientY - area.top + scrollTop;
    const row = Math.floor((upwards ? space - y : y) / ROW);
    return boxes.at(row, (event.clientX - area.left) / scale, 1 / scale);
  };

  const select = (place: number): boolean => {
    if (place === NONE) return false;
    props.onSelect(place);
    return true;
  };
  const root = boxes.rows[0]?.[0] ?? NONE;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event)) return;
    const up = (): boolean => select(boxes.parent(selected));
    const down = (): boolean => select(boxes.costliestChild(selected));
    const hasSelection = selected !== NONE;
    const act: Record<string, () => boolean> = {
      ArrowLeft: () => select(hasSelection ? boxes.beside(selected, -1) : root),
      ArrowRight: () => select(hasSelection ? boxes.beside(selected, 1) : root),
      ArrowUp: () => (hasSelection ? (upwards ? down() : up()) : select(root)),
      ArrowDown: () => (hasSelection ? (upwards ? up() : down()) : select(root)),
      Home: () => select(root),
      Enter: () => {
        if (hasSelection) props.onZoom(selected);
        return true;
      },
      '+': () => {
        if (hasSelection) props.onZoom(selected);
        return true;
      },
      '-': () => {
        props.onZoomOut?.(false);
        return true;
      },
      Backspace: () => {
        props.onZoomOut?.(false);
        return true;
      },
      '0': () => {
        props.onZoomOut?.(true);
        return true;
      },
      n: () => {
        props.onMatch?.(1);
        return true;
      },
      N: () => {
        props.onMatch?.(-1);
        return true;
      },
      Escape: () => {
        if (!hasSelection) return false;
        props.onSelect(NONE);
        return true;
      },
    };
    act['='] = act['+'] ?? (() => false);
    const action = act[event.key];
    if (action === undefined) return;
    const isArrow = event.key.startsWith('Arrow');
    // An arrow at the border does nothing: it does not scroll the page.
    if (action() || isArrow) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const shown = hovered !== NONE && hovered < boxes.count ? hovered : selected;
  return (
    <div class="flame-frame">
      <div
        class="flame"
        ref={scroller}
        role="group"
        aria-roledescription="flame graph"
        aria-label={`${props.label}. Arrow keys select a box, Enter zooms in, minus zooms out, t shows the boxes as text.`}
        tabIndex={0}
        onScroll={(event) => {
          setScrollTop(event.currentTarget.scrollTop);
        }}
        onKeyDown={onKeyDown}
      >
        <div class="flame-space" style={{ height: `${space}px` }}>
          <canvas
            ref={canvas}
            aria-hidden="true"
            style={{ width: `${size.width}px`, height: `${size.height}px` }}
            onMouseMove={(event) => {
              setHovered(placeAt(event));
            }}
            onMouseLeave={() => {
              setHovered(NONE);
            }}
            onClick={(event) => {
              props.onSelect(placeAt(event));
            }}
            onDblClick={(event) => {
              const place = placeAt(event);
              if (place !== NONE) props.onZoom(place);
            }}
          />
        </div>
      </div>
      <div class="flame-status" aria-hidden="true">
        <bdi>{shown === NONE ? 'Click a box for its details; double click zooms in.' : describe(shown)}</bdi>
      </div>
      <div class="sr-only" aria-live="polite">
        {selected === NONE ? '' : describe(selected)}
      </div>
    </div>
  );
}
