// The flame graph on a page: its controls, the mouse and the keyboard.

const MODES = {
  package: ["class", "Class or namespace; PHP’s own functions are grey", "", ""],
  self: ["self cost", "Cost by itself:", "none", "most"],
  calls: ["calls per cost", "Calls per cost:", "cool: few long calls", "warm: many short calls"],
  diff: ["change", "Change of the self cost:", "costs less", "costs more"],
};

class FlameGraph {
  /**
   * Makes a flame graph in `host`. `data` is the page's data; `link`, if any,
   * is called to show a function's details; `remember`, if any, is called with the state
   * to keep in the address.
   */
  constructor(host, data, { link, remember, isFull } = {}) {
    Object.assign(this, { host, data, link, remember, isFull });
    this.mode = data.flame.colour;
    this.isFlame = data.flame.flame;
    this.selected = -1;
    this.hovered = -2;
    this.found = null;
    this.search = "";
    this.build();
    this.painter = new FlamePainter(this.canvas);
    this.open(0);
    this.reveal(0);
    this.listen();
  }

  // The elements of the page.

  build() {
    const { metrics, flame } = this.data;
    const option = (value, label) => h("option", { value: String(value) }, label);
    const select = (label, options, act) =>
      h("label", { class: "control" }, label, h("select", { onchange: (event) => act(event.target.value) }, ...options));
    this.box = h("input", {
      type: "search",
      class: "search",
      placeholder: "Search: text or /regex/",
      "aria-label": "Search functions",
      spellcheck: "false",
      oninput: () => this.find(this.box.value),
    });
    this.matched = h("output", { class: "matched" });
    const modes = Object.keys(MODES).filter((mode) => mode !== "diff" || flame.graphs[0].base);
    const controls = [];
    if (flame.graphs.length > 1)
      controls.push(select("Graph of", flame.graphs.map((graph, number) => option(number, tailFirst(graph.label))), (value) => this.open(Number(value))));
    if (metrics.length > 1)
      controls.push(select("Widths", metrics.map(([, title], number) => option(number, title)), (value) => this.measure(Number(value), this.model.side)));
    if (flame.graphs[0].base)
      controls.push(select("of", [option("new", "now"), option("base", "before")], (value) => this.measure(this.model.metric, value)));
    const colours = select("Colours", modes.map((mode) => option(mode, MODES[mode][0])), (value) => this.paint(value));
    this.modeSelect = colours.querySelector("select");
    this.modeSelect.value = this.mode;
    this.flip = h("button", { type: "button", title: "Direction of the stacks (I)", onclick: () => this.turn() });
    this.reset = h("button", { type: "button", title: "The whole graph (Esc)", onclick: () => this.zoom(0) }, "Reset zoom");
    this.canvas = h("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "flame graph",
      "aria-label": "Flame graph. Arrow keys move between boxes, Enter zooms, Escape shows everything.",
    });
    this.stage = h("div", { class: "stage" }, this.canvas);
    this.scroller = h("div", { class: "scroller" + (this.isFull ? " full" : "") }, this.stage);
    this.details = h("div", { class: "details", "aria-live": "polite" });
    this.legend = h("div", { class: "legend" });
    this.notes = h("div", { class: "notes" });
    this.tip = h("div", { class: "tip", role: "tooltip", hidden: true });
    this.host.append(
      h("div", { class: "controls" }, h("div", { class: "finder" }, this.box, this.matched), h("div", { class: "choices" }, ...controls, colours, this.flip, this.reset)),
      this.details,
      this.scroller,
      h("div", { class: "below" }, this.legend, this.notes),
      this.tip,
    );
  }

  // The visible graph.

  open(number) {
    const { data } = this;
    const metric = this.model ? this.model.metric : 0;
    this.number = number;
    this.model = new FlameModel(data.flame.graphs[number], data.functions, data.metrics);
    this.selected = -1;
    this.zoomed = 0;
    this.measure(metric, "new");
    const graph = data.flame.graphs[number];
    const notes = [];
    if (graph.leftOut) notes.push(count(graph.leftOut) + " boxes too small to be seen are left out; their costs are kept.");
    if (data.flame.more) notes.push(count(data.flame.more) + " more graphs, with lower costs, are left out.");
    this.notes.replaceChildren(...notes.map((note) => h("p", null, note)), ...this.vanished(graph));
  }

  /** The list of stacks that only the base has. */
  vanished(graph) {
    if (!graph.vanished.length) return [];
    const unit = this.data.metrics[0][2];
    const rows = graph.vanished.map(([cost, ...path]) =>
      h("li", null, h("b", null, amount(-cost, unit)), " ", h("span", { class: "path" }, path[0].join(" → "))));
    return [h("details", null, h("summary", null, "Not called any more: " + count(rows.length) + (rows.length === 20 ? " stacks that cost most" : " stacks")), h("ul", null, ...rows))];
  }

  measure(metric, side) {
    this.model.use(metric, side);
    this.rows = 0;
    this.from = this.model.start[this.zoomed];
    this.to = this.from + this.model.weight[this.zoomed];
    if (this.to === this.from) this.zoom(0);
    this.paint(this.mode);
    this.find(this.search);
  }

  paint(mode) {
    this.mode = mode;
    this.modeSelect.value = mode;
    const [light, dark] = this.data.ramps[mode];
    this.ramp = darkScheme.matches && !this.isPrinting ? dark : light;
    this.textRamp = this.ramp.map(textOn);
    this.shades = this.model.shades(mode, this.ramp);
    const [, label, least, most] = MODES[mode];
    const steps = mode === "package" ? [] : this.ramp;
    this.legend.replaceChildren(label + " ", h("span", null, least), h("span", { class: "ramp" }, ...steps.map((colour) => {
      const step = h("i");
      step.style.background = colour;
      return step;
    })), h("span", null, most), this.model.unit === "bytes" ? " Memory that is given back has no width." : "");
    const style = getComputedStyle(this.host);
    const of = (name) => style.getPropertyValue(name).trim();
    this.colours = { page: of("--page"), outline: of("--text"), found: of("--found"), foundText: of("--found-text") };
    this.resize();
  }

  find(text) {
    this.search = text;
    if (this.box.value !== text) this.box.value = text;
    const matches = matcher(text.trim());
    const result = matches && this.model.search(matches);
    this.found = result ? result.found : null;
    const total = this.model.weight[0];
    this.matched.textContent = result
      ? count(result.boxes) + (result.boxes === 1 ? " box" : " boxes") + this.share(" · ", result.weight, total, "")
      : text.trim() ? "not a regular expression yet" : "";
    this.keep();
    this.show();
  }

  turn() {
    this.isFlame = !this.isFlame;
    this.resize();
    this.reveal(this.zoomed);
  }

  /** Makes a box as wide as the graph. */
  zoom(box) {
    const { model } = this;
    this.zoomed = box;
    const from = model.start[box];
    const to = from + (model.weight[box] || model.weight[0] || 1);
    const begin = [this.from, this.to];
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const started = performance.now();
    const step = (now) => {
      if (this.zoomed !== box || this.model !== model) return;
      const time = isCalm ? 1 : Math.min(1, Math.max(0, (now - started) / 180));
      const eased = 1 - (1 - time) ** 3;
      this.from = begin[0] + (from - begin[0]) * eased;
      this.to = begin[1] + (to - begin[1]) * eased;
      this.show();
      if (time < 1) requestAnimationFrame(step);
    };
    step(isCalm ? Infinity : started);
    this.resize();
    this.reveal(box);
    this.keep();
  }

  // Drawing.

  rowOf(depth) {
    return this.isFlame ? this.rows - 1 - depth : depth;
  }

  resize() {
    this.flip.textContent = this.isFlame ? "Flame ↑" : "Icicle ↓";
    this.reset.disabled = this.zoomed === 0;
    this.width = this.scroller.clientWidth;
    // The height only grows, so that the content below does not move.
    this.rows = Math.max(this.rows, this.model.levelsIn(this.zoomed, this.width || 1, NARROWEST));
    const height = this.rows * ROW;
    this.stage.style.height = height + "px";
    this.height = Math.min(this.scroller.clientHeight || height, height);
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.describe();
    this.show();
  }

  show() {
    if (!this.painter || !this.shades) return;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const scroll = this.scroller.scrollTop;
    this.reset.disabled = this.zoomed === 0;
    const { model, from, to, width, height, ramp, textRamp, shades, found, colours, selected, hovered, zoomed } = this;
    const view = { model, from, to: to > from ? to : from + 1, width, height, ramp, textRamp, shades, found, colours, selected, hovered, zoomed, scroll };
    view.fromRow = Math.floor(scroll / ROW);
    view.rowOf = (depth) => this.rowOf(depth);
    this.painter.draw(view);
  }

  /** Scrolls to a box that is not visible. */
  reveal(box) {
    const top = this.rowOf(this.model.graph.depth[box]) * ROW;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop || top + 2 * ROW > scrollTop + clientHeight) this.scroller.scrollTop = top - clientHeight / 3;
  }

  // The tooltip of a box.

  describe() {
    const box = this.selected >= 0 ? this.selected : this.zoomed;
    const symbol = this.model.symbol(box);
    const facts = [h("b", null, this.model.name(box)), ...this.facts(box).map(([name, value]) => h("span", null, h("small", null, " " + name + " "), value))];
    if (this.link && symbol >= 0) facts.push(h("a", { href: "#f" + symbol, onclick: (event) => this.follow(event, symbol) }, "Callers and callees"));
    this.details.replaceChildren(...facts);
  }

  /** A share in its brackets; none of memory, whose sums may be below zero. */
  share(before, part, whole, after) {
    return this.model.unit === "bytes" ? "" : before + percent(part, whole) + after;
  }

  facts(box) {
    const { model } = this;
    const { unit } = model;
    const inclusive = model.inclusive(box);
    const calls = model.callsOf(box);
    const share = (cost) => this.share(" (", cost, model.inclusive(0), ")");
    const facts = [
      [this.data.metrics[model.metric][1], amount(inclusive, unit) + share(inclusive)],
    ];
    if (model.metric !== model.calls) facts.push(["self", amount(model.own(box), unit) + share(model.own(box))]);
    if (calls && model.metric !== model.calls) facts.push(["calls", count(calls)], ["per call", amount(inclusive / calls, unit)]);
    if (model.hasBase) {
      const before = model.inclusive(box, "base");
      facts.push(["before", amount(before, unit)], ["change", change(model.inclusive(box, "new") - before, unit)], ["of it self", change(model.difference(box), unit)]);
    }
    if (model.rest(box)) facts.push(["in boxes left out", amount(model.rest(box), unit)]);
    return facts;
  }

  showTip(box, event) {
    if (box < 0) {
      this.tip.hidden = true;
      return;
    }
    const where = this.model.symbol(box) < 0 ? "" : place(this.data.functions, this.model.symbol(box));
    this.tip.replaceChildren(h("b", null, this.model.name(box)), h("dl", null, ...this.facts(box).flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)])));
    if (where) this.tip.append(h("p", null, where));
    if (this.link) this.tip.append(h("p", { class: "hint" }, "Click to zoom, Alt-click for callers and callees"));
    this.tip.hidden = false;
    const { offsetWidth, offsetHeight } = this.tip;
    const x = Math.min(event.clientX + 14, innerWidth - offsetWidth - 8);
    const y = event.clientY + 18 + offsetHeight > innerHeight ? event.clientY - offsetHeight - 10 : event.clientY + 18;
    this.tip.style.left = Math.max(4, x) + "px";
    this.tip.style.top = Math.max(4, y) + "px";
  }

  // Events.

  listen() {
    const boxAt = (event) => {
      const scale = (this.to - this.from) / this.width;
      const row = Math.floor((event.offsetY + this.scroller.scrollTop) / ROW);
      const depth = this.rowOf(row);
      return this.model.at(depth, this.from + event.offsetX * scale, NARROWEST * scale);
    };
    this.canvas.addEventListener("mousemove", (event) => {
      const box = boxAt(event);
      const symbol = box < 0 ? -2 : this.model.symbol(box);
      this.canvas.style.cursor = box < 0 ? "default" : "pointer";
      this.showTip(box, event);
      if (symbol !== this.hovered) {
        this.hovered = symbol;
        this.show();
      }
    });
    this.canvas.addEventListener("mouseleave", () => {
      this.hovered = -2;
      this.showTip(-1);
      this.show();
    });
    this.canvas.addEventListener("click", (event) => {
      const box = boxAt(event);
      if (box < 0) return;
      const symbol = this.model.symbol(box);
      if ((event.altKey || event.ctrlKey || event.metaKey) && this.link && symbol >= 0) {
        this.follow(event, symbol);
        return;
      }
      this.selected = -1;
      this.zoom(box);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.scroller.addEventListener("scroll", () => this.show());
    document.addEventListener("keydown", (event) => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key === "f";
      // A second Ctrl+F opens the browser's search.
      if (!isFind || document.activeElement === this.box) return;
      if (!this.isFull && document.activeElement !== this.canvas) return;
      event.preventDefault();
      this.box.select();
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.find("");
    });
    new ResizeObserver(() => this.resize()).observe(this.scroller);
    darkScheme.addEventListener("change", () => this.paint(this.mode));
    const print = (isPrinting) => () => {
      this.isPrinting = isPrinting;
      this.paint(this.mode);
      this.draw();
    };
    addEventListener("beforeprint", print(true));
    addEventListener("afterprint", print(false));
  }

  follow(event, symbol) {
    event.preventDefault();
    this.showTip(-1);
    this.link(symbol);
  }

  key(event) {
    const { model } = this;
    const box = this.selected >= 0 ? this.selected : this.zoomed;
    const isSeen = (other) => model.weight[other] > 0;
    const sibling = (step) => {
      const parent = model.parent[box];
      if (parent < 0) return box;
      const all = [];
      for (let other = parent + 1; other < model.end[parent]; other = model.end[other]) if (isSeen(other)) all.push(other);
      return all[all.indexOf(box) + step] ?? box;
    };
    const widest = () => {
      let best = box;
      for (let other = box + 1; other < model.end[box]; other = model.end[other])
        if (isSeen(other) && (best === box || model.weight[other] > model.weight[best])) best = other;
      return best;
    };
    const outwards = () => Math.max(0, model.parent[box]);
    const keys = {
      ArrowLeft: () => sibling(-1),
      ArrowRight: () => sibling(1),
      ArrowUp: () => (this.isFlame ? widest() : outwards()),
      ArrowDown: () => (this.isFlame ? outwards() : widest()),
      Home: () => 0,
    };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (keys[event.key]) this.choose(keys[event.key]());
    else if (event.key === "Enter" || event.key === " ") this.zoom(box);
    else if (event.key === "Escape" || event.key === "0") this.choose(0), this.zoom(0);
    else if (event.key === "/") this.box.select();
    else if (event.key === "i") this.turn();
    else if (event.key === "g" && this.link && model.symbol(box) >= 0) this.link(model.symbol(box));
    else return;
    event.preventDefault();
  }

  /** Moves the keyboard focus to a box, and scrolls to it. */
  choose(box) {
    const { model } = this;
    this.selected = box;
    const isInView = model.start[box] < this.to && model.start[box] + model.weight[box] > this.from;
    if (!isInView) this.zoom(Math.max(0, model.parent[box]));
    this.reveal(box);
    this.describe();
    this.show();
  }

  // The state in the address.

  keep() {
    if (!this.remember) return;
    const parts = new URLSearchParams();
    if (this.number) parts.set("graph", this.number);
    if (this.zoomed) parts.set("zoom", this.zoomed);
    if (this.search) parts.set("search", this.search);
    this.remember(parts.toString());
  }

  restore(address) {
    const parts = new URLSearchParams(address);
    const graph = Number(parts.get("graph"));
    if (graph > 0 && graph < this.data.flame.graphs.length) this.open(graph);
    if (MODES[parts.get("colours")] && this.data.ramps[parts.get("colours")]) this.paint(parts.get("colours"));
    if (parts.get("search")) this.find(parts.get("search"));
    const box = Number(parts.get("zoom"));
    if (box > 0 && box < this.model.length) this.zoom(box);
  }
}

/** The distinguishing part of classes and files comes first: `Bar (App\Foo)`. */
function tailFirst(label) {
  const end = Math.max(label.lastIndexOf("\\"), label.lastIndexOf("/"));
  if (end < 0) return label || "the whole program";
  return label.slice(end + 1) + " (" + label.slice(0, end) + ")";
}

/** A text colour that is readable on `#rrggbb`. */
function textOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16));
  return 299 * red + 587 * green + 114 * blue > 128000 ? "#16181d" : "#f3f4f6";
}
