// The boxes of one flame graph: their widths, and the matches of a search.

/** A box is its index in the columns of the data. */
class FlameModel {
  constructor(graph, functions, metrics) {
    this.graph = graph;
    this.functions = functions;
    this.metrics = metrics;
    this.length = graph.depth.length;
    this.sums = new Map();
    this.end = new Uint32Array(this.length);
    this.parent = new Int32Array(this.length).fill(-1);
    const open = [];
    for (let box = 0; box < this.length; box++) {
      const depth = graph.depth[box];
      while (open.length > depth) this.end[open.pop()] = box;
      if (depth > 0) this.parent[box] = open[depth - 1];
      open.push(box);
    }
    for (const box of open) this.end[box] = this.length;
    this.calls = metrics.findIndex((metric) => metric[0] === "calls");
    this.use(0, "new");
  }

  /** Sets the widths to a metric of the profile (`new`) or of the base (`base`). */
  use(metric, side) {
    this.metric = metric;
    this.side = side;
    this.unit = this.metrics[metric][2];
    const { weight } = this.summed(metric, side);
    this.weight = weight;
    this.start = new Float64Array(this.length);
    const next = new Float64Array(this.length);
    for (let box = 1; box < this.length; box++) {
      const parent = this.parent[box];
      this.start[box] = next[parent];
      next[box] = next[parent];
      next[parent] += weight[box];
    }
  }

  /** Inclusive costs, and widths, which exclude negative costs. */
  summed(metric, side) {
    const key = metric + side;
    if (!this.sums.has(key)) {
      const [own, rest] = this.graph[side][metric];
      const inclusive = new Float64Array(this.length);
      const weight = new Float64Array(this.length);
      for (let box = this.length - 1; box >= 0; box--) {
        inclusive[box] += own[box] + rest[box];
        weight[box] += Math.max(0, own[box]) + Math.max(0, rest[box]);
        if (box > 0) {
          inclusive[this.parent[box]] += inclusive[box];
          weight[this.parent[box]] += weight[box];
        }
      }
      this.sums.set(key, { inclusive, weight });
    }
    return this.sums.get(key);
  }

  get hasBase() {
    return Boolean(this.graph.base);
  }

  inclusive(box, side = this.side) {
    return this.summed(this.metric, side).inclusive[box];
  }

  own(box, side = this.side) {
    return this.graph[side][this.metric][0][box];
  }

  rest(box) {
    return this.graph[this.side][this.metric][1][box];
  }

  callsOf(box) {
    return this.calls < 0 ? 0 : this.graph[this.side][this.calls][0][box];
  }

  difference(box) {
    return this.own(box, "new") - this.own(box, "base");
  }

  name(box) {
    if (box === 0 && this.graph.label) return this.graph.label;
    return this.functions.names[this.graph.fn[box]];
  }

  /** The function of a box; -1 for a root without a function. */
  symbol(box) {
    return box === 0 && this.graph.label ? -1 : this.graph.fn[box];
  }

  /** The box at a depth and a place within the widths; -1 if there is none. */
  at(depth, place, least) {
    let box = 0;
    if (depth < 0 || place < 0 || place >= this.weight[0]) return -1;
    while (this.graph.depth[box] < depth) {
      let child = box + 1;
      while (child < this.end[box] && place >= this.start[child] + this.weight[child]) child = this.end[child];
      if (child >= this.end[box] || place < this.start[child] || this.weight[child] < least) return -1;
      box = child;
    }
    return box;
  }

  /** How many levels have a box that is wide enough, of what is in or around
   * `box`, if it takes up `width`. */
  levelsIn(box, width, narrowest) {
    const least = (narrowest * this.weight[box]) / width;
    let levels = this.graph.depth[box] + 1;
    for (let other = box; other < this.end[box]; ) {
      if (this.weight[other] < least) other = this.end[other];
      else levels = Math.max(levels, this.graph.depth[other++] + 1);
    }
    return levels;
  }

  /** The boxes whose names match, and their part of the whole: a box within a
   * matching one is not counted again. */
  search(matches) {
    const found = new Uint8Array(this.length);
    const known = new Map();
    let boxes = 0;
    let weight = 0;
    let counted = 0;
    for (let box = 0; box < this.length; box++) {
      const symbol = this.symbol(box);
      if (!known.has(symbol)) known.set(symbol, matches(this.name(box)));
      if (!known.get(symbol) || this.weight[box] === 0) continue;
      found[box] = 1;
      boxes += 1;
      if (box >= counted) {
        weight += this.weight[box];
        counted = this.end[box];
      }
    }
    return { found, boxes, weight };
  }

  /** Each box's index in the ramp of a mode. */
  shades(mode, ramp) {
    const shades = new Uint8Array(this.length);
    const last = ramp.length - 1;
    const middle = last / 2;
    if (mode === "package") {
      for (let box = 0; box < this.length; box++) {
        const symbol = this.symbol(box);
        shades[box] = symbol < 0 ? last : this.functions.shade[symbol];
      }
    } else if (mode === "calls") {
      const all = this.calls < 0 ? 0 : this.summed(this.calls, this.side).inclusive[0];
      for (let box = 0; box < this.length; box++) {
        // A step for each doubling; the middle is the whole program's average.
        const ratio = (this.callsOf(box) * this.weight[0]) / (all * this.weight[box]);
        const steps = ratio > 0 ? Math.trunc(Math.log2(ratio)) : 0;
        shades[box] = middle + Math.max(-middle, Math.min(middle, steps));
      }
    } else {
      const isDifference = mode === "diff" && this.hasBase;
      const value = (box) => (isDifference ? this.difference(box) : Math.max(0, this.own(box)));
      let largest = 0;
      for (let box = 0; box < this.length; box++) largest = Math.max(largest, Math.abs(value(box)));
      for (let box = 0; box < this.length; box++) {
        const share = Math.sqrt(Math.abs(value(box)) / (largest || 1));
        if (!isDifference) shades[box] = Math.round(share * last);
        else shades[box] = middle + Math.sign(value(box)) * Math.round(share * middle);
      }
    }
    return shades;
  }
}
