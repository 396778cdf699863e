/** The places of a call graph's functions and edges, by a library: for a worker, as the page needs none of it. */
import dagre from "@dagrejs/dagre";
import { framed, loop, NODE_HEIGHT, NODE_WIDTH, type Layout, type Point, type Shape } from "./shape";

/** Callers above callees, with few crossings. Takes long for hundreds of edges. */
export function layout(shape: Shape): Layout {
  const sheet = new dagre.graphlib.Graph();
  sheet.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 46 });
  sheet.setDefaultEdgeLabel(() => ({}));
  for (const fn of shape.nodes) sheet.setNode(String(fn), { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const [from, to] of shape.edges) {
    // A function that calls itself is drawn as a loop, not laid out.
    if (from !== to) sheet.setEdge(String(from), String(to));
  }
  dagre.layout(sheet);
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
  return framed(nodes, edges);
}
