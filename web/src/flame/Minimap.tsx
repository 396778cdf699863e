/** The whole flame graph in small, and which part of it is zoomed into. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useIsDark } from '../app/theme';
import { ink } from '../canvas/colours';
import { prepare } from '../canvas/paint';
import { useSize } from '../parts/size';
import { NONE, type Boxes } from './boxes';

const HEIGHT = 56;

export function Minimap(props: {
  boxes: Boxes;
  fills: (place: number) => string;
  zoom: readonly number[];
  upwards: boolean;
  onZoom: (path: readonly number[]) => void;
}): JSX.Element {
  const { boxes, fills, zoom, upwards } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const isDark = useIsDark();
  const rows = boxes.rows.length;
  const rowHeight = Math.min(4, HEIGHT / Math.max(1, rows));
  const scale = width / Math.max(1, boxes.flame.boxes.right[0] ?? 1);
  useLayoutEffect(() => {
    const paint = ink(isDark);
    const context = canvas.current && prepare(canvas.current, width, HEIGHT, paint.paper);
    if (!context) return;
    const { left, right, row } = boxes.flame.boxes;
    for (let place = 0; place < row.length; place += 1) {
      const x = (left[place] ?? 0) * scale;
      const top = (row[place] ?? 0) * rowHeight;
      context.fillStyle = fills(place);
      const high = Math.max(0.5, rowHeight - (rowHeight > 2 ? 0.5 : 0));
      context.fillRect(x, upwards ? HEIGHT - top - rowHeight : top, Math.max(0.5, (right[place] ?? 0) * scale - x), high);
    }
    if (zoom.length === 0) return;
    // The part that is zoomed into, or the nearest caller that can be seen here.
    let path = zoom;
    let place = boxes.find(path);
    while (place === NONE && path.length > 0) {
      path = path.slice(0, -1);
      place = boxes.find(path);
    }
    const from = (left[place] ?? 0) * scale;
    const to = Math.max(from + 2, (right[place] ?? 0) * scale);
    context.fillStyle = isDark ? 'rgb(0 0 0 / 60%)' : 'rgb(255 255 255 / 70%)';
    context.fillRect(0, 0, from, HEIGHT);
    context.fillRect(to, 0, width - to, HEIGHT);
    context.strokeStyle = paint.accent;
    context.lineWidth = 2;
    context.strokeRect(from + 1, 1, Math.max(1, to - from - 2), HEIGHT - 2);
  });
  return (
    <div class="minimap" ref={frame}>
      <canvas
        ref={canvas}
        aria-hidden="true"
        title="The whole graph: click to zoom to a part of it"
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
        onClick={(event) => {
          const area = event.currentTarget.getBoundingClientRect();
          const y = event.clientY - area.top;
          const row = Math.floor((upwards ? HEIGHT - y : y) / rowHeight);
          const place = boxes.at(row, (event.clientX - area.left) / scale, 2 / scale);
          const path = place === NONE ? null : boxes.path(place);
          props.onZoom(path ?? []);
        }}
      />
    </div>
  );
}
