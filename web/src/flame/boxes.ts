/**
 * An answer's boxes, by row and by caller: what is needed to hit, to walk and to
 * read them. Costs are the engine's.
 */
import type { Flame } from '../types';

/** No box. */
export const NONE = -1;

export class Boxes {
  /** The boxes of each row, from left to right. */
  readonly rows: readonly (readonly number[])[];
  readonly #children: readonly (readonly number[])[];

  constructor(readonly flame: Flame) {
    const { row, left, parent } = flame.boxes;
    const rows: number[][] = Array.from({ length: row.length === 0 ? 0 : flame.depth + 1 }, () => []);
    const children: number[][] = row.map(() => []);
    row.forEach((at, place) => rows[at]?.push(place));
    const byLeft = (a: number, b: number): number => (left[a] ?? 0) - (left[b] ?? 0);
    for (const boxes of rows) {
      boxes.sort(byLeft);
      for (const place of boxes) {
        const above = parent[place] ?? place;
        if (above !== place) children[above]?.push(place);
      }
    }
    this.rows = rows;
    this.#children = children;
  }

  get count(): number {
    return this.flame.boxes.row.length;
  }

  children(place: number): readonly number[] {
    return this.#children[place] ?? [];
  }

  parent(place: number): number {
    const parent = this.flame.boxes.parent[place] ?? NONE;
    return parent === place ? NONE : parent;
  }

  row(place: number): number {
    return this.flame.boxes.row[place] ?? 0;
  }

  /** The function of a box; none for joined boxes. */
  fn(place: number): number | null {
    return this.flame.names[this.flame.boxes.name[place] ?? NONE]?.function ?? null;
  }

  /** The name to show. */
  name(place: number): string {
    const joined = this.flame.boxes.joined[place] ?? 1;
    return this.flame.names[this.flame.boxes.name[place] ?? NONE]?.name ?? `${joined} more`;
  }

  isFound(place: number): boolean {
    return this.flame.names[this.flame.boxes.name[place] ?? NONE]?.found ?? false;
  }

  /** The box at a place of a row; `slack` pixels beside it count too. */
  at(row: number, x: number, slack = 1): number {
    const boxes = this.rows[row] ?? [];
    const { left, right } = this.flame.boxes;
    let [low, high] = [0, boxes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((left[boxes[middle] ?? 0] ?? 0) <= x) low = middle + 1;
      else high = middle;
    }
    for (const place of [boxes[low - 1], boxes[low]]) {
      if (place === undefined) continue;
      if (x >= (left[place] ?? 0) - slack && x < Math.max(right[place] ?? 0, (left[place] ?? 0) + 1) + slack) return place;
    }
    return NONE;
  }

  /** The functions from below the root to a box; null if it stands for several. */
  path(place: number): number[] | null {
    const path: number[] = [];
    for (let at = place; this.parent(at) !== NONE; at = this.parent(at)) {
      const fn = this.fn(at);
      if (fn === null) return null;
      path.push(fn);
    }
    return path.reverse();
  }

  /** The box at the end of a path of functions. */
  find(path: readonly number[]): number {
    let at = this.rows[0]?.[0] ?? NONE;
    for (const fn of path) {
      const next = this.children(at).find((child) => this.fn(child) === fn);
      if (next === undefined) return NONE;
      at = next;
    }
    return at;
  }

  /** The box beside in the same row. */
  beside(place: number, step: 1 | -1): number {
    const row = this.rows[this.row(place)] ?? [];
    return row[row.indexOf(place) + step] ?? NONE;
  }

  /** The widest box below. */
  costliestChild(place: number): number {
    const width = (at: number): number => (this.flame.boxes.right[at] ?? 0) - (this.flame.boxes.left[at] ?? 0);
    return this.children(place).reduce((best, at) => (best === NONE || width(at) > width(best) ? at : best), NONE);
  }

  /** All boxes, callers before callees, from left to right. */
  inOrder(): number[] {
    const order: number[] = [];
    const open = [...(this.rows[0] ?? [])];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      order.push(at);
      const children = this.children(at);
      for (let child = children.length - 1; child >= 0; child -= 1) open.push(children[child] ?? 0);
    }
    return order;
  }

  /** The boxes that the search found, from top to bottom. */
  found(): number[] {
    if (!this.flame.names.some((name) => name.found)) return [];
    return this.inOrder().filter((place) => this.isFound(place));
  }

  /**
   * The first row that says something: where a box is clearly narrower than the
   * window, or stands beside another. A tower of wrappers above is skipped.
   */
  firstInterestingRow(width: number): number {
    const { left, right } = this.flame.boxes;
    const row = this.rows.findIndex((boxes, at) => {
      if (at === 0) return false;
      const [only] = boxes;
      if (boxes.length !== 1 || only === undefined) return true;
      return (right[only] ?? 0) - (left[only] ?? 0) < width * 0.98;
    });
    return row < 0 ? 0 : Math.max(0, row - 1);
  }
}
