// A section for each function: its costs, its callers and its callees.

/** How many callers or callees are shown at first. */
const PAIRS = 10;

class FunctionSections {
  constructor(report, host) {
    Object.assign(this, { report, host });
    this.made = new Map();
    const { from, to } = report.data.edges;
    this.callers = new Map();
    this.callees = new Map();
    from.forEach((caller, edge) => {
      const callee = to[edge];
      if (!this.callers.has(callee)) this.callers.set(callee, []);
      if (!this.callees.has(caller)) this.callees.set(caller, []);
      this.callers.get(callee).push(edge);
      this.callees.get(caller).push(edge);
    });
  }

  /** The section of a function, created if there is none yet. */
  of(symbol) {
    if (!this.made.has(symbol)) {
      const row = this.report.rowOf.get(symbol);
      if (row === undefined) return null;
      const section = this.make(symbol, row);
      this.made.set(symbol, section);
      this.host.append(section);
    }
    return this.made.get(symbol);
  }

  make(symbol, row) {
    const { report } = this;
    const { metrics, functions } = report.data;
    const name = functions.names[symbol];
    const facts = report.columns.flatMap((metric) => {
      const [id, title, unit] = metrics[metric];
      if (id === "calls") return [["calls", count(report.inclusive(metric, row))]];
      const inclusive = report.inclusive(metric, row);
      const own = report.own(metric, row);
      const total = report.data.total[metric];
      // A sum of allocated and freed memory has no percentages.
      const share = (cost) => (unit === "bytes" ? "" : " (" + percent(cost, total) + ")");
      return [[title, amount(inclusive, unit) + share(inclusive)], ["self", amount(own, unit) + share(own)]];
    });
    const find = h("button", { type: "button", onclick: () => report.showInFlame(name) }, "Show in the flame graph");
    return h("section", { id: "f" + symbol, class: "function", tabindex: "-1" },
      h("div", { class: "function-head" }, h("h3", null, name), report.flame ? find : null),
      h("p", { class: "where" }, place(functions, symbol)),
      h("dl", { class: "numbers" }, ...facts.map(([label, value]) => h("div", null, h("dt", null, label), h("dd", null, value)))),
      h("div", { class: "sides" },
        this.side("Called by", this.callers.get(symbol), report.data.edges.from, row),
        this.side("Calls", this.callees.get(symbol), report.data.edges.to, row)));
  }

  side(title, edges, other, row) {
    const { report } = this;
    const { metrics, edges: all } = report.data;
    if (!edges) return h("div", { class: "side" }, h("h4", null, title), h("p", { class: "none" }, title === "Calls" ? "No calls: its inclusive cost is its self cost." : "No caller: the program begins here."));
    const whole = report.inclusive(report.primary, row);
    const columns = [
      { label: "function", isText: true, value: (edge) => report.data.functions.names[other[edge]], cell: (edge) => report.link(other[edge]) },
      ...report.columns.map((metric) => {
        const [, label, unit] = metrics[metric];
        return {
          label,
          value: (edge) => all.costs[metric][edge],
          cell: (edge) => {
            const cost = all.costs[metric][edge];
            if (metric === report.primary) return bar(amount(cost, unit), cost / whole);
            return amount(cost, unit);
          },
        };
      }),
    ];
    const table = new SortedTable(columns, edges, { sorted: 1 + report.columns.indexOf(report.primary), first: PAIRS });
    return h("div", { class: "side" }, h("h4", null, title + " ", h("small", null, count(edges.length))), table.element);
  }
}
