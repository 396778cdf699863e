/** The call graph: functions above a threshold and the calls between them. */
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isForeign } from "../app/keys";
import { useAnswer, useSession } from "../app/session";
import { toFragment } from "../app/state";
import * as format from "../format";
import { MetricMenu } from "../parts/controls";
import { useSize } from "../parts/size";
import { Busy, Empty, Show } from "../parts/state";
import { shortTitle } from "../parts/links";
import { shortName } from "../canvas/paint";
import { NODE_HEIGHT, NODE_WIDTH, type Point } from "./shape";
import type { GraphNode, MetricName, Summary, Unit } from "../types";
import { useLayout, type LaidOut } from "./useLayout";

/** How large it can be drawn: 1 is as large as other text. */
const SMALLEST = 0.05;
const LARGEST = 3;
const STEP = 1.25;

/** Of a graph that does not fit, a part is shown whose text can be read. */
const READABLE = 0.55;
const READABLE_NARROW = 0.8;
const NARROW = 700;

const THRESHOLDS = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 50] as const;

export function GraphPage(): JSX.Element {
  const { state, metric, go, summary } = useSession();
  const section = useRef<HTMLElement>(null);
  const { width } = useSize(section);
  // Of a graph that is several windows wide, a phone shows a corner.
  const threshold = state.threshold ?? (width < NARROW ? 5 : 2);
  const asked = useAnswer(width === 0 ? null : { ask: "graph", metric, threshold, most: 80 });
  const laidOut = useLayout(asked.answer);
  // As it is drawn now, and as all of it fits.
  const scale = useRef(1);
  const fit = useRef(1);
  const setZoom = (size: number | null): void => {
    go({ size: size && Math.max(SMALLEST, Math.min(LARGEST, size)) }, "replace");
  };
  const step = THRESHOLDS.findIndex((value) => value >= threshold);
  const graph = asked.answer;
  return (
    <section class="graph" aria-label="Call graph" ref={section}>
      <div class="toolbar">
        <MetricMenu />
        <label class="slider">
          <span>From {format.share(threshold, 100)}</span>
          <input
            type="range"
            min={0}
            max={THRESHOLDS.length - 1}
            step={1}
            value={step < 0 ? THRESHOLDS.length - 1 : step}
            aria-label="Least share of a function"
            aria-valuetext={format.share(threshold, 100)}
            onInput={(event) => {
              go({ threshold: THRESHOLDS[Number(event.currentTarget.value)] ?? 2 }, "replace");
            }}
          />
        </label>
        <div class="choice" role="group" aria-label="Size">
          <button
            type="button"
            aria-label="Smaller"
            onClick={() => {
              setZoom(scale.current / STEP);
            }}
          >
            −
          </button>
          <button
            type="button"
            title="All of it (0)"
            onClick={() => {
              setZoom(fit.current);
            }}
          >
            Fit
          </button>
          <button
            type="button"
            aria-label="Larger"
            onClick={() => {
              setZoom(scale.current * STEP);
            }}
          >
            +
          </button>
        </div>
        {graph ? (
          <span class="muted" role="status">
            {format.counted(graph.nodes.length, "function")}, {format.count(graph.omitted)} left out
            {kindOfCosts(summary)}
            {laidOut?.isPlain === true ? " · laid out plainly: raise the threshold for fewer crossings" : ""}
          </span>
        ) : null}
      </div>
      <ul class="legend">
        <li>
          <span class="swatch critical" /> critical path
        </li>
        <li>
          <span class="swatch heat" /> self cost
        </li>
      </ul>
      <Show asked={asked}>
        {(answer) =>
          answer.nodes.length === 0 && answer.omitted === 0 ? (
            <Empty title="No function was called." />
          ) : answer.nodes.length === 0 ? (
            <Empty title="No function reaches this threshold.">
              <p>Move the slider to the left.</p>
            </Empty>
          ) : laidOut === null ? (
            <Busy what="Laying out" />
          ) : (
            <Drawing laidOut={laidOut} scale={scale} fit={fit} onZoom={setZoom} />
          )
        }
      </Show>
    </section>
  );
}

/** The shares of a node, and its calls. */
function sharesOf(node: GraphNode, total: number): string {
  const { inclusive, own } = node;
  const shares = total > 0 ? [format.share(inclusive, total), `self ${format.share(own, total)}`] : [];
  return [...shares, ...(node.calls > 0 ? [`${format.count(node.calls)}×`] : [])].join(" · ");
}

/** All that a node has no room for. */
function costsOf(node: GraphNode, metric: MetricName, unit: Unit): string {
  const costs = [
    `inclusive ${format.cost(node.inclusive, metric, unit)}`,
    `self ${format.cost(node.own, metric, unit)}`,
    ...(node.calls > 0 ? [format.counted(node.calls, "call")] : []),
  ];
  return costs.join(", ");
}

/** How sure the costs are. */
function kindOfCosts(summary: Summary): string {
  const { isEstimated, isSampled } = summary;
  if (isEstimated || isSampled) return " · costs are estimates";
  return " · costs are exact";
}

function path(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const start = `M${first.x.toFixed(1)},${first.y.toFixed(1)}`;
  const last = rest.at(-1);
  if (last === undefined) return start;
  // Through the middles of all lines: a smooth curve that needs no other points.
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? point;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x.toFixed(1)},${point.y.toFixed(1)} ${end.x.toFixed(1)},${end.y.toFixed(1)}`;
  });
  return curves.length === 0 ? `${start}L${last.x.toFixed(1)},${last.y.toFixed(1)}` : start + curves.join("");
}

/** A place of the drawing, and where it is to be in the window. */
interface Anchor {
  readonly x: number;
  readonly y: number;
  readonly clientX: number;
  readonly clientY: number;
}

function Drawing(props: {
  laidOut: LaidOut;
  scale: RefObject<number>;
  fit: RefObject<number>;
  onZoom: (zoom: number | null) => void;
}): JSX.Element {
  const { graph, layout } = props.laidOut;
  const { state, metric, unit } = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const room = [(size.width - 16) / Math.max(1, layout.width), (size.height - 4) / Math.max(1, layout.height)];
  const fit = size.width > 0 ? Math.max(SMALLEST, Math.min(STEP, ...room)) : 1;
  const readable = size.width < NARROW ? READABLE_NARROW : READABLE;
  const scale = state.size ?? Math.max(fit, readable);
  props.scale.current = scale;
  props.fit.current = fit;
  const svg = useRef<SVGSVGElement>(null);
  const anchor = useRef<Anchor | null>(null);
  /** Zooms around a place of the window; around its middle, if none is given. */
  const zoomTo = (next: number, at?: { clientX: number; clientY: number }): void => {
    const [area, drawn] = [frame.current?.getBoundingClientRect(), svg.current?.getBoundingClientRect()];
    if (area === undefined || drawn === undefined) return;
    const { clientX, clientY } = at ?? { clientX: area.x + area.width / 2, clientY: area.y + area.height / 2 };
    anchor.current = { x: (clientX - drawn.x) / scale, y: (clientY - drawn.y) / scale, clientX, clientY };
    // The wheel may turn on before this is drawn.
    props.scale.current = next;
    props.onZoom(next);
  };
  useLayoutEffect(() => {
    const [from, drawn] = [anchor.current, svg.current?.getBoundingClientRect()];
    anchor.current = null;
    if (from === null || drawn === undefined) return;
    frame.current?.scrollBy(drawn.x + from.x * scale - from.clientX, drawn.y + from.y * scale - from.clientY);
  }, [scale]);
  const drag = useRef<{ x: number; y: number; left: number; top: number; hasMoved: boolean } | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const wheel = (event: WheelEvent): void => {
      const overflows = (part: Element | null): boolean => part !== null && part.scrollHeight > part.clientHeight + 1;
      const canScroll = overflows(element) || overflows(element.closest("main"));
      if (!event.ctrlKey && !event.metaKey && canScroll) return;
      event.preventDefault();
      zoomTo(props.scale.current * Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) * 0.005), event);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("wheel", wheel);
    };
  });
  const total = Math.abs(graph.total[metric]);
  const mostOwn = graph.nodes.reduce((most, node) => Math.max(most, node.own), 1);
  const names = new Map(graph.nodes.map((node) => [node.function, node.name]));
  useEffect(() => {
    // Of what does not fit, main() is shown first, and as much as can be of the critical path below it.
    const element = frame.current;
    const first = layout.nodes[0];
    if (element === null || first === undefined || size.width === 0) return;
    const isInView = (at: number): boolean =>
      graph.nodes[at]?.critical === true && (layout.nodes[at]?.y ?? 0) * scale < element.clientHeight;
    const path = layout.nodes.filter((_, at) => isInView(at)).map(({ x }) => x);
    const middle = path.reduce((sum, x) => sum + x, 0) / Math.max(1, path.length);
    // main() stays in the window.
    const most = Math.max(0, element.clientWidth / 2 / scale - NODE_WIDTH / 2 - 8);
    const at = Math.max(first.x - most, Math.min(first.x + most, path.length === 0 ? first.x : middle));
    element.scrollLeft = at * scale - element.clientWidth / 2;
  }, [layout, size.width === 0]);
  // The critical path over all others.
  const edgeOrder = graph.edges
    .map((_, at) => at)
    .sort((a, b) => Number(graph.edges[a]?.critical) - Number(graph.edges[b]?.critical));
  const order = graph.nodes.map((_, at) => at).sort((a, b) => (layout.nodes[a]?.y ?? 0) - (layout.nodes[b]?.y ?? 0));
  return (
    <div
      class="graph-frame"
      ref={frame}
      tabIndex={0}
      role="group"
      aria-label="Call graph. Arrow keys scroll, plus and minus zoom, zero shows all, Tab goes through the functions."
      onPointerDown={(event) => {
        const element = frame.current;
        if (event.button !== 0 || event.pointerType === "touch" || element === null) return;
        drag.current = {
          x: event.clientX,
          y: event.clientY,
          left: element.scrollLeft,
          top: element.scrollTop,
          hasMoved: false,
        };
      }}
      onPointerMove={(event) => {
        const [from, element] = [drag.current, frame.current];
        if (from === null || element === null || event.buttons === 0) return;
        const [x, y] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.hasMoved && Math.abs(x) + Math.abs(y) < 5) return;
        from.hasMoved = true;
        element.scrollTo(from.left - x, from.top - y);
      }}
      onClickCapture={(event) => {
        // A drag that ends on a function does not open it.
        if (drag.current?.hasMoved === true) {
          event.preventDefault();
          event.stopPropagation();
        }
        drag.current = null;
      }}
      onDragStart={(event) => {
        event.preventDefault();
      }}
      onKeyDown={(event) => {
        if (isForeign(event)) return;
        if (event.key === "+" || event.key === "=") zoomTo(scale * STEP);
        else if (event.key === "-") zoomTo(scale / STEP);
        else if (event.key === "0") props.onZoom(fit);
        else return;
        event.preventDefault();
      }}
    >
      <svg
        ref={svg}
        width={layout.width * scale + 12}
        height={layout.height * scale}
        viewBox={`0 0 ${layout.width + 12 / scale} ${layout.height}`}
        role="presentation"
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
            markerUnits="userSpaceOnUse"
          >
            <path d="M0,0L8,4L0,8z" class="arrow-head" />
          </marker>
        </defs>
        {edgeOrder.map((at) => {
          const edge = graph.edges[at];
          if (edge === undefined) return null;
          const share = total > 0 ? Math.max(0, edge.inclusive) / total : 0;
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              d={path(layout.edges[at] ?? [])}
              class={edge.critical ? "edge critical" : "edge"}
              stroke-width={((edge.critical ? 2.5 : 1) + 5 * Math.min(1, share)).toFixed(2)}
              marker-end="url(#arrow)"
            >
              <title>
                {shortTitle(names.get(edge.from) ?? "")} → {shortTitle(names.get(edge.to) ?? "")}:{" "}
                {format.cost(edge.inclusive, metric, unit)}, {format.counted(edge.calls, "call")}
              </title>
            </path>
          );
        })}
        {order.map((at) => {
          const [node, place] = [graph.nodes[at], layout.nodes[at]];
          if (node === undefined || place === undefined) return null;
          const heat = Math.sqrt(Math.max(0, node.own) / mostOwn);
          return (
            <a
              key={node.function}
              href={`#${toFragment({ ...state, page: "function", fn: node.function })}`}
              class={node.critical ? "node critical" : "node"}
            >
              <rect
                x={place.x - NODE_WIDTH / 2}
                y={place.y - NODE_HEIGHT / 2}
                width={NODE_WIDTH}
                height={NODE_HEIGHT}
                rx={5}
                style={{ "--heat": `${(heat * 100).toFixed(0)}%` }}
              >
                <title>
                  {shortTitle(node.name)}
                  {metric === "calls" ? "" : `: ${costsOf(node, metric, unit)}`}
                  {node.critical ? ", on the critical path" : ""}
                </title>
              </rect>
              <text x={place.x} y={place.y - 5} text-anchor="middle" class="node-name">
                {format.middle(shortName(node.name), 22)}
              </text>
              <text x={place.x} y={place.y + 13} text-anchor="middle" class="node-cost">
                {metric === "calls" ? format.counted(node.calls, "call") : sharesOf(node, total)}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}
