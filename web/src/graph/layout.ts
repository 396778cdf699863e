/** The places of a call graph's functions and edges. */
import dagre from '@dagrejs/dagre';
import type { Graph } from '../types';

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

/** Callers above callees, with few crossings. Takes long for hundreds of edges. */
export function layout(shape: Shape): Layout {
  const sheet = new dagre.graphlib.Graph();
  sheet.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 46, marginx: 12, marginy: 12 });
  sheet.setDefaultEdgeLabel(() => ({}));
  for (const fn of shape.nodes) sheet.setNode(String(fn), { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const [from, to] of shape.edges) {
    // A function that calls itself is drawn as a loop, not laid out.
    if (from !== to) sheet.setEdge(String(from), String(to));
  }
  dagre.layout(sheet);
  const size = sheet.graph() as { width?: number; height?: number };
  const nodes = shape.nodes.map((fn) => {
    const { x, y } = sheet.node(String(fn)) as Point;
    return { x, y };
  });
  const places = new Map(shape.nodes.map((fn, at) => [fn, nodes[at]]));
  const edges = shape.edges.map(([from, to]) => {
    const at = places.get(from);
    if (from === to) return at === undefined ? [] : loop(at);
    const edge = sheet.edge(String(from), String(to)) as { points?: Point[] } | undefined;
    return (edge?.points ?? []).map(({ x, y }) => ({ x, y }));
  });
  return { width: size.width ?? 0, height: size.height ?? 0, nodes, edges };
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
      x: 12 + NODE_WIDTH / 2 + column * (NODE_WIDTH + 18),
      y: 12 + NODE_HEIGHT / 2 + rank * (NODE_HEIGHT + 46),
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
  return {
    width: Math.max(0, ...nodes.map((node) => node.x + NODE_WIDTH / 2 + 12)),
    height: Math.max(0, ...nodes.map((node) => node.y + NODE_HEIGHT / 2 + 12)),
    nodes,
    edges,
  };
}

function loop(at: Point): Point[] {
  const right = at.x + NODE_WIDTH / 2;
  return [
    { x: right, y: at.y - 8 },
    { x: right + 9, y: at.y - 8 },
    { x: right + 9, y: at.y + 8 },
    { x: right, y: at.y + 8 },
  ];
}
