/** Calls in the order of time, on a canvas as large as the window. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Colouring } from "../app/state";
import { isForeign } from "../app/keys";
import { useIsDark } from "../app/theme";
import { functionFills, ink } from "../canvas/colours";
import { useLevel } from "../canvas/level";
import { drawFrame, drawLabel, prepare } from "../canvas/paint";
import * as format from "../format";
import { useSize } from "../parts/size";
import type { TimeRange, Timeline } from "../types";
import { marks, moved, timeOf, xOf, zoomed } from "./scale";

export const ROW = 18;
const AXIS = 22;

/** A call, or several that are too narrow to be told apart. */
export interface Picked {
  readonly row: number;
  readonly start: number;
  readonly duration: number;
  /** Its place in the answer's names; -1 for several. */
  readonly name: number;
  readonly joined: number;
}

export interface TimeCanvasProps {
  readonly timeline: Timeline;
  readonly part: TimeRange;
  readonly range: TimeRange | null;
  readonly isSearching: boolean;
  readonly colouring: Colouring;
  /** The classes of code that are coloured; all if empty. */
  readonly only: readonly number[];
  readonly selected: Picked | null;
  readonly describe: (picked: Picked) => string;
  readonly onSelect: (picked: Picked | null) => void;
  readonly onPart: (part: TimeRange | null) => void;
  readonly onRange: (range: TimeRange | null) => void;
  readonly onRows: (first: number) => void;
  /** How many rows are scrolled out of view, as the address says it. */
  readonly level: number | null;
  readonly onLevel: (level: number | null) => void;
}

export function TimeCanvas(props: TimeCanvasProps): JSX.Element {
  const { timeline, part, range, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(scroller);
  const isDark = useIsDark();
  const [scrollTop, setScrollTop] = useState(0);
  const [hovered, setHovered] = useState<Picked | null>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const rows = timeline.rows.length;
  const space = Math.max(rows * ROW + AXIS, size.height);
  const scale = { part, width: size.width };
  const byRow = useMemo(() => groupByRow(timeline), [timeline]);
  const firstRow = Math.floor(scrollTop / ROW);
  useEffect(() => {
    props.onRows(firstRow);
  }, [firstRow]);

  const pick = (place: number): Picked => pickedAt(timeline, place);
  const at = (row: number, moment: number, slack: number): Picked | null => {
    for (const place of byRow.get(row) ?? []) {
      const start = timeline.boxes.start[place] ?? 0;
      if (moment >= start - slack && moment <= start + (timeline.boxes.duration[place] ?? 0) + slack)
        return pick(place);
    }
    return null;
  };

  const isChosen = useLevel({
    scroller,
    isReady: size.height > 0,
    subject: "",
    level: props.level,
    start: () => 0,
    topOf: (level) => level * ROW,
    levelOf: (top) => Math.round(top / ROW),
    scrollTop,
    onLevel: props.onLevel,
  });
  useEffect(() => {
    const element = scroller.current;
    if (selected === null || element === null || isChosen.current) return;
    const top = selected.row * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW + AXIS > element.scrollTop + size.height) element.scrollTop = top + ROW + AXIS - size.height;
  }, [selected, size.height]);

  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, size.width, size.height, paint.paper);
    if (!context) return;
    const { boxes, names } = timeline;
    const fills = props.isSearching
      ? names.map((name) => (name.found ? paint.found : paint.unfound))
      : functionFills(names, props.colouring, isDark, props.only);
    const frames: [number, number, number, number][] = [];
    for (let place = 0; place < boxes.row.length; place += 1) {
      const top = (boxes.row[place] ?? 0) * ROW + AXIS - scrollTop;
      if (top + ROW < AXIS || top > size.height) continue;
      const start = boxes.start[place] ?? 0;
      const duration = boxes.duration[place] ?? 0;
      const left = Math.max(-2, xOf(scale, start));
      const right = Math.min(size.width + 2, xOf(scale, start + duration));
      if (right < 0 || left > size.width) continue;
      const number = boxes.name[place] ?? -1;
      context.fillStyle = fills[number] ?? (props.isSearching ? paint.unfound : paint.joined);
      context.fillRect(left, top, Math.max(0.6, right - left - 0.6), ROW - 1);
      if (right - left > 24 && number >= 0) {
        context.fillStyle = paint.text;
        const from = Math.max(0, left);
        drawLabel(context, { name: names[number]?.name ?? "", left: from, top, width: right - from, height: ROW - 1 });
      }
      if (selected && selected.row === boxes.row[place] && selected.start === start && selected.duration === duration) {
        frames.push([left, top, right - left, ROW - 1]);
      }
    }
    for (const frame of frames) drawFrame(context, paint, frame);
    const lane = (row: number): number => timeline.rows[row]?.lane ?? 0;
    context.fillStyle = paint.line;
    for (let row = 1; row < rows; row += 1) {
      if (lane(row) !== lane(row - 1)) context.fillRect(0, row * ROW + AXIS - scrollTop - 1, size.width, 1);
    }
    const limit = drag ?? range;
    if (limit !== null) {
      const left = xOf(scale, Math.min(limit.from, limit.to));
      const right = xOf(scale, Math.max(limit.from, limit.to));
      context.fillStyle = isDark ? "rgb(0 0 0 / 45%)" : "rgb(255 255 255 / 60%)";
      if (left > 0) context.fillRect(0, AXIS, left, size.height);
      if (right < size.width) context.fillRect(right, AXIS, size.width - right, size.height);
      context.fillStyle = paint.accent;
      for (const x of [left, right]) if (x >= -1 && x <= size.width + 1) context.fillRect(x - 1, 0, 2, size.height);
    }
    context.fillStyle = paint.paper;
    context.fillRect(0, 0, size.width, AXIS);
    for (const moment of marks(scale)) {
      const x = xOf(scale, moment);
      context.fillStyle = paint.line;
      context.fillRect(x, 0, 1, AXIS);
      context.fillStyle = paint.muted;
      if (x < size.width - 40) context.fillText(format.time(moment), x + 4, AXIS / 2);
    }
    if (limit !== null) {
      context.fillStyle = paint.accent;
      const left = Math.max(0, xOf(scale, Math.min(limit.from, limit.to)));
      const right = Math.min(size.width, xOf(scale, Math.max(limit.from, limit.to)));
      if (right > left) context.fillRect(left, AXIS - 3, right - left, 3);
    }
  });

  const xOfMouse = (event: MouseEvent): number => event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0);
  const pickAt = (event: MouseEvent): Picked | null => {
    const area = canvas.current?.getBoundingClientRect();
    const y = event.clientY - (area?.top ?? 0);
    if (y < AXIS) return null;
    const slack = (2 * (part.to - part.from)) / Math.max(1, size.width);
    return at(Math.floor((y - AXIS + scrollTop) / ROW), timeOf(scale, xOfMouse(event)), slack);
  };

  const fit = (picked: Picked | null): void => {
    if (picked !== null && picked.duration > 0) {
      const room = Math.ceil(picked.duration * 0.02);
      props.onPart({
        from: Math.max(0, picked.start - room),
        to: Math.min(timeline.end, picked.start + picked.duration + room),
      });
    }
  };

  useEffect(() => {
    // Not passive: the page must not zoom or go back at the same time.
    const element = scroller.current;
    if (element === null) return undefined;
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey) {
        event.preventDefault();
        props.onPart(zoomed(part, timeline.end, Math.exp(event.deltaY * 0.005), timeOf(scale, xOfMouse(event))));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        event.preventDefault();
        props.onPart(moved(part, timeline.end, (event.deltaX || event.deltaY) / Math.max(1, size.width)));
      }
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("wheel", wheel);
    };
  });

  const step = (rowStep: number, side: number): void => {
    const all = byRow.get((selected?.row ?? 0) + rowStep) ?? [];
    if (selected === null) {
      const [first] = byRow.get(firstRow) ?? [];
      if (first !== undefined) props.onSelect(pick(first));
      return;
    }
    const here = all.findIndex((place) => timeline.boxes.start[place] === selected.start);
    const middle = selected.start + selected.duration / 2;
    const next =
      rowStep === 0
        ? all[here + side]
        : (all.find((place) => (timeline.boxes.start[place] ?? 0) + (timeline.boxes.duration[place] ?? 0) >= middle) ??
          all.at(-1));
    if (next !== undefined) props.onSelect(pick(next));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event)) return;
    const around = selected ? selected.start + selected.duration / 2 : (part.from + part.to) / 2;
    const zoomBy = (factor: number): void => {
      props.onPart(zoomed(part, timeline.end, factor, Math.max(part.from, Math.min(part.to, around))));
    };
    const act: Record<string, () => void> = {
      "+": () => {
        zoomBy(0.5);
      },
      "=": () => {
        zoomBy(0.5);
      },
      w: () => {
        zoomBy(0.5);
      },
      "-": () => {
        zoomBy(2);
      },
      s: () => {
        zoomBy(2);
      },
      a: () => {
        props.onPart(moved(part, timeline.end, -0.2));
      },
      d: () => {
        props.onPart(moved(part, timeline.end, 0.2));
      },
      "0": () => {
        props.onPart(null);
      },
      f: () => {
        fit(selected);
      },
      Enter: () => {
        fit(selected);
      },
      r: () => {
        if (selected && selected.duration > 0)
          props.onRange({ from: selected.start, to: selected.start + selected.duration });
      },
      ArrowLeft: () => {
        step(0, -1);
      },
      ArrowRight: () => {
        step(0, 1);
      },
      ArrowUp: () => {
        step(-1, 0);
      },
      ArrowDown: () => {
        step(1, 0);
      },
      Escape: () => {
        if (selected) props.onSelect(null);
        else props.onRange(null);
      },
    };
    const action = act[event.key];
    if (action === undefined) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = hovered ?? selected;
  return (
    <div class="flame-frame">
      <div
        class="flame"
        ref={scroller}
        role="group"
        aria-roledescription="time order"
        aria-label="Calls in the order of time. Arrow keys select a call, plus and minus zoom, a and d move, r limits all views to the selected call."
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
              if (event.button !== 0) return;
              event.currentTarget.setPointerCapture(event.pointerId);
              const moment = timeOf(scale, xOfMouse(event));
              setDrag({ from: moment, to: moment });
            }}
            onPointerMove={(event) => {
              if (drag) setDrag({ ...drag, to: timeOf(scale, xOfMouse(event)) });
              else setHovered(pickAt(event));
            }}
            onPointerUp={(event) => {
              if (drag === null) return;
              setDrag(null);
              const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
              if (Math.abs(xOf(scale, to) - xOf(scale, from)) > 4) props.onRange({ from, to });
              else props.onSelect(pickAt(event));
            }}
            onPointerLeave={() => {
              setHovered(null);
            }}
            onDblClick={(event) => {
              fit(pickAt(event));
            }}
          />
        </div>
      </div>
      <div class="flame-status" aria-hidden="true">
        <bdi>
          {shown === null
            ? "Drag over a range: all views follow it. Double click zooms to a call."
            : props.describe(shown)}
        </bdi>
      </div>
      <div class="sr-only" aria-live="polite">
        {selected === null ? "" : props.describe(selected)}
      </div>
    </div>
  );
}

export function pickedAt(timeline: Timeline, place: number): Picked {
  const { boxes } = timeline;
  return {
    row: boxes.row[place] ?? 0,
    start: boxes.start[place] ?? 0,
    duration: boxes.duration[place] ?? 0,
    name: boxes.name[place] ?? -1,
    joined: boxes.joined[place] ?? 1,
  };
}

function groupByRow(timeline: Timeline): Map<number, number[]> {
  const byRow = new Map<number, number[]>();
  timeline.boxes.row.forEach((row, place) => {
    const list = byRow.get(row);
    if (list) list.push(place);
    else byRow.set(row, [place]);
  });
  return byRow;
}
