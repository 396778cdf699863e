/** Small canvases of the time order: all of it above, spans below. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useIsDark } from "../app/theme";
import { codeFill, ink, spanFill } from "../canvas/colours";
import { drawLabel, prepare } from "../canvas/paint";
import * as format from "../format";
import { useSize } from "../parts/size";
import type { TimeRange, Timeline } from "../types";
import { timeOf, xOf } from "./scale";

const HEIGHT = 48;

/** The whole time, and which part of it is in the window: dragging chooses another. */
export function Strip(props: {
  whole: Timeline;
  part: TimeRange;
  onPart: (part: TimeRange | null) => void;
}): JSX.Element {
  const { whole, part } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const isDark = useIsDark();
  const [drag, setDrag] = useState<TimeRange | null>(null);
  const scale = { part: { from: 0, to: Math.max(1, whole.end) }, width };
  const xOfMouse = (event: MouseEvent): number => event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0);
  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, width, HEIGHT, paint.paper);
    if (!context) return;
    const { boxes, names, rows } = whole;
    const high = Math.min(4, HEIGHT / Math.max(1, rows.length));
    for (let place = 0; place < boxes.row.length; place += 1) {
      const left = xOf(scale, boxes.start[place] ?? 0);
      const right = xOf(scale, (boxes.start[place] ?? 0) + (boxes.duration[place] ?? 0));
      const name = names[boxes.name[place] ?? -1];
      context.fillStyle = name === undefined ? paint.joined : codeFill(name.colour, isDark);
      context.fillRect(left, (boxes.row[place] ?? 0) * high, Math.max(0.6, right - left), Math.max(0.6, high - 0.3));
    }
    const shown = drag ?? part;
    const left = xOf(scale, Math.min(shown.from, shown.to));
    const right = Math.max(left + 2, xOf(scale, Math.max(shown.from, shown.to)));
    context.fillStyle = isDark ? "rgb(0 0 0 / 60%)" : "rgb(255 255 255 / 70%)";
    context.fillRect(0, 0, left, HEIGHT);
    context.fillRect(right, 0, width - right, HEIGHT);
    context.strokeStyle = paint.accent;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, right - left - 2), HEIGHT - 2);
  });
  return (
    <div class="minimap" ref={frame}>
      <canvas
        ref={canvas}
        aria-hidden="true"
        title="The whole time: drag over the part to show, double click for all"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = timeOf(scale, xOfMouse(event));
          setDrag({ from: at, to: at });
        }}
        onPointerMove={(event) => {
          if (drag) setDrag({ ...drag, to: timeOf(scale, xOfMouse(event)) });
        }}
        onPointerUp={() => {
          if (drag === null) return;
          setDrag(null);
          const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
          if (xOf(scale, to) - xOf(scale, from) > 3) props.onPart({ from, to });
        }}
        onDblClick={() => {
          props.onPart(null);
        }}
      />
    </div>
  );
}

const SPAN_ROW = 18;
const MOST_ROWS = 10;

/** Statements, requests and commands, below the calls that waited for them. */
export function SpanStrip(props: { timeline: Timeline; part: TimeRange; onOpen: () => void }): JSX.Element | null {
  const { spans } = props.timeline;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const isDark = useIsDark();
  const [hovered, setHovered] = useState(-1);
  const rows = spans.row.reduce((most, row) => Math.max(most, row + 1), 0);
  const shownRows = Math.min(MOST_ROWS, rows);
  const height = shownRows * SPAN_ROW;
  const scale = { part: props.part, width };
  const textOf = (place: number): string => {
    const joined = spans.joined[place] ?? 1;
    if (joined > 1) return `${format.count(joined)} × ${spans.kind[place] ?? ""}`;
    return spans.texts[spans.text[place] ?? -1] ?? spans.kind[place] ?? "";
  };
  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, width, height, paint.paper);
    if (!context) return;
    for (let place = 0; place < spans.row.length; place += 1) {
      const left = Math.max(-2, xOf(scale, spans.start[place] ?? 0));
      const right = Math.min(width + 2, xOf(scale, (spans.start[place] ?? 0) + (spans.duration[place] ?? 0)));
      const top = (spans.row[place] ?? 0) * SPAN_ROW;
      context.fillStyle = spanFill(spans.kind[place] ?? "", isDark);
      context.fillRect(left, top, Math.max(1.5, right - left - 0.6), SPAN_ROW - 1);
      context.fillStyle = paint.text;
      if (place === hovered) context.fillRect(left, top + SPAN_ROW - 3, Math.max(2, right - left), 2);
      if (right - left > 24) {
        const from = Math.max(0, left);
        drawLabel(context, { name: textOf(place), left: from, top, width: right - from, height: SPAN_ROW - 1 });
      }
    }
  });
  if (rows === 0) return null;
  return (
    <section class="span-strip" aria-label="Spans">
      <h2>
        SQL, HTTP and cache calls{" "}
        <span class="muted">
          {hovered >= 0 ? (
            <bdi>
              {format.time(spans.duration[hovered] ?? 0)} · {format.middle(textOf(hovered), 160)}
            </bdi>
          ) : rows > shownRows ? (
            `${format.count(rows - shownRows)} more rows overlap`
          ) : (
            ""
          )}
        </span>
      </h2>
      <div ref={frame}>
        <canvas
          ref={canvas}
          aria-hidden="true"
          style={{ width: `${width}px`, height: `${height}px` }}
          onPointerMove={(event) => {
            const area = event.currentTarget.getBoundingClientRect();
            const row = Math.floor((event.clientY - area.top) / SPAN_ROW);
            const x = event.clientX - area.left;
            setHovered(
              spans.row.findIndex(
                (at, place) =>
                  at === row &&
                  x >= xOf(scale, spans.start[place] ?? 0) - 2 &&
                  x <= xOf(scale, (spans.start[place] ?? 0) + (spans.duration[place] ?? 0)) + 2,
              ),
            );
          }}
          onPointerLeave={() => {
            setHovered(-1);
          }}
          onClick={props.onOpen}
        />
      </div>
    </section>
  );
}
