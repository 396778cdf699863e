/**
 * The boxes of a flame graph on a canvas as large as the window, never as tall
 * as the stack: scrolling draws other rows.
 */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isForeign } from "../app/keys";
import { useIsDark } from "../app/theme";
import { ink } from "../canvas/colours";
import { useLevel } from "../canvas/level";
import { drawFrame, drawLabel, prepare } from "../canvas/paint";
import * as format from "../format";
import type { MenuPlace } from "../parts/ContextMenu";
import { useSize } from "../parts/size";
import { Tip } from "../parts/Tip";
import { NONE, type Boxes } from "./boxes";
import { ALL, isAll, moved, zoomed, type FlameView, type Transform } from "./viewport";

const ROW = 20;
const GAP = 0.95;
/** A narrower box has no room for more than its name. */
const LEAST_FOR_COSTS = 150;

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
  /** What a click does, if it does not select. */
  readonly onClick?: (place: number) => void;
  readonly onZoom: (place: number) => void;
  /** Shows one box more of the path that is zoomed into; or all. */
  readonly onZoomOut?: (all: boolean) => void;
  /** Selects the next match of the search, or the one before. */
  readonly onMatch?: (step: 1 | -1) => void;
  /** When it changes, the first row of interest is scrolled to. */
  readonly subject: string;
  /** How many levels are scrolled out of view, as the address says it. */
  readonly level?: number | null;
  readonly onLevel?: ((level: number | null) => void) | undefined;
  /** Stands in front of a name: what the colour says, for those who do not see it. */
  readonly sign?: (place: number) => string;
  /** Shows the root first, even if a tower of wrappers stands there. */
  readonly startsAtRoot?: boolean;
  /** Which part of the width is in the window; none if it cannot be changed. */
  readonly view?: FlameView;
  readonly onView?: (view: FlameView) => void;
  /** From the answer's pixels to the window's, by the window's width. */
  readonly transform?: (width: number) => Transform;
  /** No line below that describes the box: the view has one for several graphs. */
  readonly isBare?: boolean;
  readonly onHover?: (place: number) => void;
  /** What stands beside the pointer. */
  readonly tip?: (place: number) => JSX.Element;
  /** What a wide box says beside its name: the longest first. */
  readonly costs?: (place: number) => readonly string[];
  /** Opens the menu of a box at a place of the window. */
  readonly onMenu?: (place: number, at: MenuPlace) => void;
  /** What the line below says if no box is pointed at. */
  readonly hint?: string;
}

/** Wheels and double clicks are of no use to a finger. */
const MOUSE_HINT = "Click: details. Double click: focus. Right click or m: menu. Ctrl and wheel: zoom. Drag: move.";
const TOUCH_HINT = "Tap: details. Tap twice: focus. Hold: menu.";

export function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

export function FlameCanvas(props: FlameCanvasProps): JSX.Element {
  const { boxes, upwards, fills, selected, describe } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(scroller);
  const isDark = useIsDark();
  const [scrollTop, setScrollTop] = useState(0);
  const [hovered, setHovered] = useState(NONE);
  const [pointer, setPointer] = useState<MenuPlace | null>(null);
  const rows = boxes.rows.length;
  const space = Math.max(rows * ROW, size.height);
  const view = props.view ?? ALL;
  const { scale, shift } = props.transform?.(size.width) ?? {
    scale: size.width / Math.max(1, boxes.flame.boxes.right[0] ?? 1),
    shift: 0,
  };
  const drag = useRef<{ x: number; y: number; top: number; view: FlameView; hasMoved: boolean } | null>(null);
  /** Left edge and width of a box in the window. */
  const edges = (place: number): readonly [number, number] => {
    const left = (boxes.flame.boxes.left[place] ?? 0) * scale + shift;
    return [left, (boxes.flame.boxes.right[place] ?? 0) * scale + shift - left];
  };
  const setHover = (place: number): void => {
    setHovered(place);
    props.onHover?.(place);
  };
  const topOf = (row: number): number => (upwards ? space - (row + 1) * ROW : row * ROW);

  const scrollTo = (top: number): void => {
    const element = scroller.current;
    if (element) element.scrollTop = top;
  };

  const topOfLevel = (level: number): number => (upwards ? space - size.height - level * ROW : level * ROW);
  // Only for another graph, not for another size or colour.
  const isChosen = useLevel({
    scroller,
    isReady: size.height > 0,
    subject: props.subject,
    level: props.level ?? null,
    start: () => {
      const first = props.startsAtRoot === true ? 0 : boxes.firstInterestingRow(size.width / Math.max(scale, 1e-9));
      return topOfLevel((first + 1) * ROW > size.height * 0.6 ? Math.max(0, first - 3) : 0);
    },
    topOf: topOfLevel,
    levelOf: (top) => Math.round((upwards ? space - size.height - top : top) / ROW),
    scrollTop,
    onLevel: props.onLevel,
  });

  useEffect(() => {
    setHovered(NONE);
  }, [boxes]);

  useEffect(() => {
    if (selected === NONE || size.height === 0 || isChosen.current) return;
    const top = topOf(boxes.row(selected));
    const at = scroller.current?.scrollTop ?? 0;
    if (top < at) scrollTo(top - ROW);
    else if (top + ROW > at + size.height) scrollTo(top + 2 * ROW - size.height);
  }, [selected, boxes, size.height > 0]);

  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, size.width, size.height, paint.paper);
    if (!context) return;
    const { joined } = boxes.flame.boxes;
    const labels: number[] = [];
    let last = "";
    const inView = (row: number): boolean => topOf(row) + ROW > scrollTop && topOf(row) < scrollTop + size.height;
    for (let row = 0; row < rows; row += 1) {
      if (!inView(row)) continue;
      const top = topOf(row) - scrollTop;
      for (const place of boxes.rows[row] ?? []) {
        const [x, wide] = edges(place);
        if (x > size.width || x + wide < 0) continue;
        // A gap parts neighbours; the last one ends with the window.
        const gap = x + wide >= size.width - 0.5 ? 0 : GAP;
        const width = Math.max(0.6, wide - gap);
        const fill = fills(place);
        if (fill !== last) {
          context.fillStyle = fill;
          last = fill;
        }
        context.fillRect(x, top, width, ROW - 1);
        if (width > 24 && ((joined[place] ?? 1) === 1 || width > 60)) labels.push(place);
      }
    }
    context.fillStyle = paint.text;
    for (const place of labels) {
      const [x, wide] = edges(place);
      // The name stays in the window if its box begins before it.
      const left = Math.max(0, x);
      const width = Math.min(size.width, x + wide) - left;
      const levels = boxes.levels(place);
      const sign = `${props.sign?.(place) ?? ""}${levels > 1 ? `${format.count(levels)}× ` : ""}`;
      drawLabel(context, {
        sign,
        name: boxes.name(place),
        left,
        top: topOf(boxes.row(place)) - scrollTop,
        width,
        height: ROW - 1,
        ...(width > LEAST_FOR_COSTS && props.costs ? { costs: props.costs(place) } : {}),
      });
    }
    for (const place of new Set([hovered, selected])) {
      if (place === NONE || place >= boxes.count) continue;
      const [x, wide] = edges(place);
      const left = Math.max(-4, x);
      const frame = [
        left,
        topOf(boxes.row(place)) - scrollTop,
        Math.min(size.width + 4, x + wide) - left,
        ROW - 1,
      ] as const;
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
    return boxes.at(row, (event.clientX - area.left - shift) / scale, 1 / scale);
  };

  useEffect(() => {
    const element = scroller.current;
    if (element === null || props.onView === undefined) return undefined;
    // Not passive: the browser must not zoom or go back at the same time.
    const wheel = (event: WheelEvent): void => {
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (isSideways) {
        if (isAll(view)) return;
        props.onView?.(moved(view, (event.deltaX || event.deltaY) / Math.max(1, size.width)));
      } else if (event.ctrlKey || event.metaKey) {
        const around = (event.clientX - element.getBoundingClientRect().left) / Math.max(1, size.width);
        const next = zoomed(view, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), around);
        props.onView?.(next);
      } else return;
      event.preventDefault();
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("wheel", wheel);
    };
  });

  const select = (place: number): boolean => {
    if (place === NONE) return false;
    props.onSelect(place);
    return true;
  };
  const root = boxes.rows[0]?.[0] ?? NONE;
  /** At the box itself. */
  const openMenu = (place: number): boolean => {
    const area = canvas.current?.getBoundingClientRect();
    if (place === NONE || !area || props.onMenu === undefined) return false;
    const [x, wide] = edges(place);
    const left = area.left + Math.max(8, Math.min(x + wide / 2, size.width - 8));
    setPointer(null);
    props.onMenu(place, { x: left, y: area.top + topOf(boxes.row(place)) - scrollTop + ROW });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event)) return;
    const up = (): boolean => select(boxes.parent(selected));
    const down = (): boolean => select(boxes.costliestChild(selected));
    const hasSelection = selected !== NONE;
    const zoomBy = (factor: number): boolean => {
      if (props.onView === undefined) return false;
      const [left, width] = hasSelection ? edges(selected) : [0, size.width];
      const middle = (left + width / 2) / Math.max(1, size.width);
      props.onView(zoomed(view, factor, middle >= 0 && middle <= 1 ? middle : 0.5));
      return true;
    };
    const moveBy = (share: number): boolean => {
      if (props.onView === undefined) return false;
      props.onView(moved(view, share));
      return true;
    };
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
      "+": () => zoomBy(0.6),
      "-": () => {
        // At the edge of what is zoomed into, one box more.
        if (isAll(view)) props.onZoomOut?.(false);
        else zoomBy(1 / 0.6);
        return true;
      },
      w: () => zoomBy(0.6),
      s: () => zoomBy(1 / 0.6),
      a: () => moveBy(-0.25),
      d: () => moveBy(0.25),
      Backspace: () => {
        props.onZoomOut?.(false);
        return true;
      },
      "0": () => {
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
      m: () => openMenu(selected),
      ContextMenu: () => openMenu(selected),
      Escape: () => {
        if (!hasSelection) return false;
        props.onSelect(NONE);
        return true;
      },
    };
    act["="] = act["+"] ?? (() => false);
    const action = act[event.key === "F10" && event.shiftKey ? "ContextMenu" : event.key];
    if (action === undefined) return;
    const isArrow = event.key.startsWith("Arrow");
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
        class={isAll(view) ? "flame" : "flame zoomed"}
        ref={scroller}
        role="group"
        aria-roledescription="flame graph"
        aria-label={`${props.label}. Arrow keys select a box, Enter zooms into it, Backspace out of it, plus and minus zoom, m opens its menu, t shows the boxes as text.`}
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
            onPointerDown={(event) => {
              if (event.button !== 0 || event.pointerType === "touch") return;
              drag.current = { x: event.clientX, y: event.clientY, top: scrollTop, view, hasMoved: false };
            }}
            onPointerMove={(event) => {
              const from = drag.current;
              if (from === null || event.buttons === 0) {
                setHover(placeAt(event));
                setPointer(event.pointerType === "touch" ? null : { x: event.clientX, y: event.clientY });
                return;
              }
              setPointer(null);
              const [x, y] = [event.clientX - from.x, event.clientY - from.y];
              if (!from.hasMoved && Math.abs(x) + Math.abs(y) < 5) return;
              if (!from.hasMoved) event.currentTarget.setPointerCapture(event.pointerId);
              from.hasMoved = true;
              scrollTo(from.top - y);
              props.onView?.(moved(from.view, -x / Math.max(1, size.width)));
            }}
            onPointerLeave={() => {
              setHover(NONE);
              setPointer(null);
            }}
            onContextMenu={(event) => {
              const place = placeAt(event);
              if (place === NONE || props.onMenu === undefined) return;
              event.preventDefault();
              event.stopPropagation();
              setPointer(null);
              props.onSelect(place);
              props.onMenu(place, { x: event.clientX, y: event.clientY });
            }}
            onClick={(event) => {
              const wasDragged = drag.current?.hasMoved === true;
              drag.current = null;
              if (!wasDragged) (props.onClick ?? props.onSelect)(placeAt(event));
            }}
            onDblClick={(event) => {
              const place = placeAt(event);
              if (place !== NONE) props.onZoom(place);
            }}
          />
        </div>
      </div>
      {props.isBare === true ? null : (
        <div class="flame-status" aria-hidden="true">
          <bdi>{shown === NONE ? (props.hint ?? (isTouch() ? TOUCH_HINT : MOUSE_HINT)) : describe(shown)}</bdi>
        </div>
      )}
      {pointer !== null && hovered !== NONE && hovered < boxes.count && props.tip ? (
        <Tip x={pointer.x} y={pointer.y}>
          {props.tip(hovered)}
        </Tip>
      ) : null}
      <div class="sr-only" aria-live="polite">
        {selected === NONE ? "" : describe(selected)}
      </div>
    </div>
  );
}
