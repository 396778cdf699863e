/**
 * An answer's boxes, by row and by caller: what is needed to hit, to walk and to
 * read them. Costs are the engine's.
 *
 * A function that does little but call itself, also through others, is one box
 * that says how many levels it stands for: a tower of 2,000 equal boxes shows
 * nothing.
 */
import type { Flame } from "../types";
import { roundsAt } from "./rounds";

/** No box. */
export const NONE = -1;

/** From so many rounds of the same functions on they are one box. */
const LEAST_ROUNDS = 4;

export class Boxes {
  /** The boxes of each row, from left to right. */
  readonly rows: readonly (readonly number[])[];
  /** The box that stands for a box: another one in a tower of recursion. */
  readonly #heads: readonly number[];
  readonly #towers: ReadonlyMap<number, Tower>;
  /** Of each box as it is drawn. */
  readonly #rowOf: readonly number[];
  readonly #children: readonly (readonly number[])[];
  readonly #deepChildren: readonly (readonly number[])[];

  constructor(readonly flame: Flame) {
    const { row, left, parent } = flame.boxes;
    const { heads, towers: found } = towers(flame);
    const rowOf: number[] = [];
    const rows: number[][] = [];
    const children: number[][] = row.map(() => []);
    const deepChildren: number[][] = row.map(() => []);
    // A parent stands before its children.
    row.forEach((_, place) => {
      const above = parent[place] ?? place;
      if (above !== place) deepChildren[above]?.push(place);
      if (heads[place] !== place) return;
      const head = heads[above] ?? above;
      const at = above === place ? 0 : (rowOf[head] ?? 0) + 1;
      rowOf[place] = at;
      (rows[at] ??= []).push(place);
    });
    const byLeft = (a: number, b: number): number => (left[a] ?? 0) - (left[b] ?? 0);
    for (const boxes of rows) {
      boxes.sort(byLeft);
      for (const place of boxes) {
        const above = this.#above(place, heads);
        if (above !== NONE) children[above]?.push(place);
      }
    }
    this.rows = rows;
    this.#heads = heads;
    this.#towers = found;
    this.#rowOf = rowOf;
    this.#children = children;
    this.#deepChildren = deepChildren;
  }

  #above(place: number, heads: readonly number[]): number {
    const parent = this.flame.boxes.parent[place] ?? place;
    return parent === place ? NONE : (heads[parent] ?? parent);
  }

  /** How many boxes the answer has. */
  get count(): number {
    return this.flame.boxes.row.length;
  }

  children(place: number): readonly number[] {
    return this.#children[place] ?? [];
  }

  parent(place: number): number {
    return this.#above(place, this.#heads);
  }

  row(place: number): number {
    return this.#rowOf[place] ?? 0;
  }

  /** How many rounds of recursion a box stands for; 1 for a box of its own. */
  levels(place: number): number {
    return this.#towers.get(place)?.rounds ?? 1;
  }

  /** How many functions call each other in turn in it; 1 for a box of its own. */
  functions(place: number): number {
    return this.#round(place).length;
  }

  /** The function of a box; none for joined boxes. */
  fn(place: number): number | null {
    return this.flame.names[this.flame.boxes.name[place] ?? NONE]?.function ?? null;
  }

  /** The name to show: of functions that call each other in turn, all. */
  name(place: number): string {
    const joined = this.flame.boxes.joined[place] ?? 1;
    const round = this.#round(place).map((one) => this.flame.names[this.flame.boxes.name[one] ?? NONE]?.name);
    return round[0] === undefined ? `${joined} more` : round.join(" → ");
  }

  isFound(place: number): boolean {
    return this.#round(place).some((one) => this.flame.names[this.flame.boxes.name[one] ?? NONE]?.found ?? false);
  }

  #round(place: number): readonly number[] {
    return this.#towers.get(place)?.round ?? [place];
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
      if (x >= (left[place] ?? 0) - slack && x < Math.max(right[place] ?? 0, (left[place] ?? 0) + 1) + slack)
        return place;
    }
    return NONE;
  }

  /** The functions from below the root to a box; null if it stands for several. */
  path(place: number): number[] | null {
    const { parent } = this.flame.boxes;
    const path: number[] = [];
    for (let at = place; (parent[at] ?? at) !== at; at = parent[at] ?? at) {
      const fn = this.fn(at);
      if (fn === null) return null;
      path.push(fn);
    }
    return path.reverse();
  }

  /** The box at the end of a path of functions. */
  find(path: readonly number[]): number {
    const at = this.#end(path);
    return this.#heads[at] ?? at;
  }

  /** The box below the end of a path that stands for several, `first` of all below among them. */
  findJoined(path: readonly number[], first: number): number {
    const { boxes } = this.flame;
    const holds = (child: number): boolean => {
      const begin = boxes.first[child] ?? 0;
      return this.fn(child) === null && begin <= first && first < begin + (boxes.joined[child] ?? 1);
    };
    return this.#deepChildren[this.#end(path)]?.find(holds) ?? NONE;
  }

  /** The box at the end of a path, also inside of a tower. */
  #end(path: readonly number[]): number {
    let at = this.rows[0]?.[0] ?? NONE;
    for (const fn of path) {
      const next = this.#deepChildren[at]?.find((child) => this.fn(child) === fn);
      if (next === undefined) return NONE;
      at = next;
    }
    return at;
  }

  /** How the address says which box it is. */
  address(place: number): { selected: readonly number[] | null; joined: number | null } {
    if (place === NONE) return { selected: null, joined: null };
    const path = this.path(place);
    if (path !== null) return { selected: path, joined: null };
    const { parent, first } = this.flame.boxes;
    return { selected: this.path(parent[place] ?? place), joined: first[place] ?? 0 };
  }

  /** The box that the address says. */
  selected({ selected, joined }: { selected: readonly number[] | null; joined: number | null }): number {
    if (selected === null) return NONE;
    return joined === null ? this.find(selected) : this.findJoined(selected, joined);
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

/** Boxes of equal width, one below the other, in which the same functions come again and again. */
interface Tower {
  /** The boxes of its first round. */
  readonly round: readonly number[];
  readonly rounds: number;
}

/** For each box the one that stands for it, and the tower of those that stand for one. */
function towers(flame: Flame): { heads: number[]; towers: Map<number, Tower> } {
  const { parent, left, right, name } = flame.boxes;
  const width = (place: number): number => (right[place] ?? 0) - (left[place] ?? 0);
  const heads = name.map((_, place) => place);
  const found = new Map<number, Tower>();
  // Each box that is as wide as the one above, by that one: there is no second.
  const next = new Map<number, number>();
  name.forEach((number, place) => {
    const above = parent[place] ?? place;
    if (above !== place && number >= 0 && width(place) >= width(above) * 0.98) next.set(above, place);
  });
  const isBelow = new Set(next.values());
  for (const first of next.keys()) {
    if (isBelow.has(first)) continue;
    const chain = [first];
    for (let at = next.get(first); at !== undefined; at = next.get(at)) chain.push(at);
    const names = chain.map((place) => name[place] ?? NONE);
    for (let at = 0; at < chain.length;) {
      const { length, rounds } = roundsAt(names, at, LEAST_ROUNDS);
      const end = at + length * rounds;
      const head = chain[at] ?? 0;
      if (rounds > 1) {
        found.set(head, { round: chain.slice(at, at + length), rounds });
        for (const place of chain.slice(at, end)) heads[place] = head;
      }
      at = end;
    }
  }
  return { heads, towers: found };
}
