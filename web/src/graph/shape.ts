/** What of a call graph is laid out, and a layout that needs no library. */
import type { Graph } from "../types";

export const NODE_WIDTH = 212;
export const NODE_HEIGHT = 46;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of each node, in the order of the graph's. */
  readonly nodes: readonly Point[];
  /** The points of each edge, in the order of the graph's. */
  readonly edges: readonly (readonly Point[])[];
}

/** What is laid out: no more than numbers, so that it is cheap to hand to a worker. */
export interface Shape {
  readonly nodes: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
}

export function shapeOf(graph: Graph): Shape {
  return {
    nodes: graph.nodes.map((node) => node.function),
    edges: graph.edges.map((edge) => [edge.from, edge.to]),
  };
}

const MARGIN = 12;

/** With all of it inside: an edge may go around what stands outermost. */
export function framed(nodes: readonly Point[], edges: readonly (readonly Point[])[]): Layout {
  const corners = nodes.flatMap(({ x, y }) => [
    { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 },
    { x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 },
  ]);
  const points = [...corners, ...edges.flat()];
  if (points.length === 0) return { width: 0, height: 0, nodes, edges };
  const range = (values: readonly number[]): readonly [number, number] => [
    Math.min(...values) - MARGIN,
    Math.max(...values) + MARGIN,
  ];
  const [left, right] = range(points.map(({ x }) => x));
  const [top, bottom] = range(points.map(({ y }) => y));
  const moved = ({ x, y }: Point): Point => ({ x: x - left, y: y - top });
  return {
    width: right - left,
    height: bottom - top,
    nodes: nodes.map(moved),
    edges: edges.map((edge) => edge.map(moved)),
  };
}

/** Rows by the length of the way from the first function: quick, but with crossings. */
export function plainLayout(shape: Shape): Layout {
  const ranks = new Map<number, number>();
  const [first] = shape.nodes;
  const callees = new Map<number, number[]>();
  for (const [from, to] of shape.edges) callees.set(from, [...(callees.get(from) ?? []), to]);
  const called = new Set(shape.edges.filter(([from, to]) => from !== to).map(([, to]) => to));
  let row = shape.nodes.filter((fn) => !called.has(fn));
  if (row.length === 0 && first !== undefined) row = [first];
  for (let rank = 0; row.length > 0; rank += 1) {
    for (const fn of row) ranks.set(fn, rank);
    row = [...new Set(row.flatMap((fn) => callees.get(fn) ?? []))].filter((fn) => !ranks.has(fn));
  }
  const counts: number[] = [];
  const nodes = shape.nodes.map((fn) => {
    const rank = ranks.get(fn) ?? 0;
    const column = counts[rank] ?? 0;
    counts[rank] = column + 1;
    return {
      x: column * (NODE_WIDTH + 18),
      y: rank * (NODE_HEIGHT + 46),
    };
  });
  const places = new Map(shape.nodes.map((fn, at) => [fn, nodes[at]]));
  const edges = shape.edges.map(([from, to]) => {
    const [start, end] = [places.get(from), places.get(to)];
    if (start === undefined || end === undefined) return [];
    if (from === to) return loop(start);
    const half = NODE_HEIGHT / 2;
    return [
      { x: start.x, y: start.y + half },
      { x: end.x, y: end.y - half },
    ];
  });
  return framed(nodes, edges);
}

/** A function that calls itself. */
export function loop(at: Point): Point[] {
  const right = at.x + NODE_WIDTH / 2;
  return [
    { x: right, y: at.y - 8 },
    { x: right + 9, y: at.y - 8 },
    { x: right + 9, y: at.y + 8 },
    { x: right, y: at.y + 8 },
  ];
}
