/** The whole flame graph in small, and which part of it is in the window. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useIsDark } from "../app/theme";
import { ink } from "../canvas/colours";
import { prepare } from "../canvas/paint";
import { useSize } from "../parts/size";
import { NONE, type Boxes } from "./boxes";
import type { FlameView } from "./viewport";

const HEIGHT = 56;

export function Minimap(props: {
  boxes: Boxes;
  fills: (place: number) => string;
  zoom: readonly number[];
  view: FlameView;
  upwards: boolean;
  onZoom: (path: readonly number[]) => void;
  onView: (view: FlameView) => void;
}): JSX.Element {
  const { boxes, fills, zoom, view, upwards } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const isDark = useIsDark();
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const rows = boxes.rows.length;
  const rowHeight = Math.min(4, HEIGHT / Math.max(1, rows));
  const scale = width / Math.max(1, boxes.flame.boxes.right[0] ?? 1);
  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, width, HEIGHT, paint.paper);
    if (!context) return;
    const { left, right } = boxes.flame.boxes;
    const high = Math.max(0.5, rowHeight - (rowHeight > 2 ? 0.5 : 0));
    boxes.rows.forEach((places, row) => {
      const top = row * rowHeight;
      for (const place of places) {
        const x = (left[place] ?? 0) * scale;
        context.fillStyle = fills(place);
        context.fillRect(
          x,
          upwards ? HEIGHT - top - rowHeight : top,
          Math.max(0.5, (right[place] ?? 0) * scale - x),
          high,
        );
      }
    });
    const [from, to] = drag
      ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
      : shownPart(boxes, zoom, view, scale);
    if (to - from >= width - 0.5) return;
    context.fillStyle = isDark ? "rgb(0 0 0 / 60%)" : "rgb(255 255 255 / 70%)";
    context.fillRect(0, 0, from, HEIGHT);
    context.fillRect(to, 0, width - to, HEIGHT);
    context.strokeStyle = paint.accent;
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(1, to - from - 2), HEIGHT - 2);
  });
  const xOf = (event: MouseEvent): number =>
    Math.max(0, Math.min(width, event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0)));
  return (
    <div class="minimap" ref={frame}>
      <canvas
        ref={canvas}
        aria-hidden="true"
        title="The whole graph: drag over a part to show it, click a box to zoom into it, double click for all"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: xOf(event), to: xOf(event) });
        }}
        onPointerMove={(event) => {
          if (drag) setDrag({ ...drag, to: xOf(event) });
        }}
        onPointerUp={(event) => {
          if (drag === null) return;
          setDrag(null);
          const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
          if (to - from > 4) {
            props.onView({ from: from / width, to: to / width });
            return;
          }
          const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
          const row = Math.floor((upwards ? HEIGHT - y : y) / rowHeight);
          const place = boxes.at(row, xOf(event) / scale, 2 / scale);
          const path = place === NONE ? null : boxes.path(place);
          if (path !== null) props.onZoom(path);
        }}
        onDblClick={() => {
          props.onZoom([]);
        }}
      />
    </div>
  );
}

/** The edges of what is in the window, in pixels of this picture. */
function shownPart(boxes: Boxes, zoom: readonly number[], view: FlameView, scale: number): readonly [number, number] {
  // The box that is zoomed into, or the nearest caller that can be seen here.
  let path = zoom;
  let place = boxes.find(path);
  while (place === NONE && path.length > 0) {
    path = path.slice(0, -1);
    place = boxes.find(path);
  }
  const { left, right } = boxes.flame.boxes;
  const start = (left[place] ?? 0) * scale;
  const width = (right[place] ?? 0) * scale - start;
  const from = start + width * view.from;
  return [from, Math.max(from + 2, start + width * view.to)];
}
