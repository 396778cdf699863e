import { describe, expect, it } from "vitest";
import { layout } from "./layout";
import { NODE_HEIGHT, NODE_WIDTH, plainLayout, type Layout, type Shape } from "./shape";

const shape: Shape = {
  nodes: [7, 3, 5, 9],
  edges: [
    [7, 3],
    [7, 5],
    [3, 9],
    [5, 9],
    [9, 3],
    [5, 5],
  ],
};

function overlaps({ nodes }: Layout): boolean {
  return nodes.some((a, i) =>
    nodes.some((b, j) => i < j && Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT),
  );
}

describe.each([
  ["with few crossings", layout],
  ["in plain rows", plainLayout],
])("a layout %s", (_, make) => {
  it("puts callers above callees, and no two functions on each other", () => {
    const made = make(shape);
    expect(overlaps(made)).toBe(false);
    expect(made.nodes[0]?.y).toBeLessThan(made.nodes[1]?.y ?? 0);
    expect(made.nodes[0]?.y).toBeLessThan(made.nodes[2]?.y ?? 0);
    expect(made.edges).toHaveLength(6);
    for (const points of made.edges) expect(points.length).toBeGreaterThanOrEqual(2);
    const corners = made.nodes.flatMap(({ x, y }) =>
      [-0.5, 0.5].map((half) => ({ x: x + half * NODE_WIDTH, y: y + half * NODE_HEIGHT })),
    );
    for (const { x, y } of [...corners, ...made.edges.flat()]) {
      expect([x >= 0, x <= made.width, y >= 0, y <= made.height]).toEqual([true, true, true, true]);
    }
  });

  it("takes one function, none, and a circle", () => {
    expect(make({ nodes: [1], edges: [[1, 1]] }).nodes).toHaveLength(1);
    expect(make({ nodes: [], edges: [] }).nodes).toHaveLength(0);
    const circle: Shape = {
      nodes: [1, 2],
      edges: [
        [1, 2],
        [2, 1],
      ],
    };
    expect(overlaps(make(circle))).toBe(false);
  });
});
