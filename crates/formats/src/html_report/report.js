// The report: summary, flame graph, critical path, functions, sections.

/** How many functions have a section from the start. The others get theirs when
 * the reader opens it. */
const SECTIONS = 50;
const STEPS = 25;

class Report {
  constructor(data, main) {
    Object.assign(this, { data, main });
    this.primary = Math.max(0, data.metrics.findIndex(([id]) => id !== "calls"));
    // Calls come right after the name: they are read with every other cost,
    // and the last columns are not visible in a narrow window.
    const isCalls = ([id]) => id === "calls";
    this.columns = [...data.metrics.keys()].sort((one, other) => isCalls(data.metrics[other]) - isCalls(data.metrics[one]));
    this.rowOf = new Map(data.table.fn.map((symbol, row) => [symbol, row]));
    this.rows = data.table.fn.map((_, row) => row);
    this.parts = [];
    this.summary();
    this.flameGraph();
    this.criticalPath();
    this.functions();
    this.spans();
    this.details();
    const here = (id, label) => h("a", { href: "#" + id }, label);
    document.getElementById("parts").append(...this.parts.map(([id, label]) => here(id, label)));
    addEventListener("hashchange", () => this.go(location.hash));
    if (location.hash) this.go(location.hash);
  }

  inclusive(metric, row) {
    return this.data.table.new[metric][0][row];
  }

  own(metric, row) {
    return this.data.table.new[metric][1][row];
  }

  /** The difference of a function's self cost from the base's. */
  difference(metric, row) {
    return this.own(metric, row) - this.data.table.base[metric][1][row];
  }

  part(id, label, ...children) {
    const section = h("section", { id, class: "part" }, h("h2", null, label), ...children);
    this.main.append(section);
    this.parts.push([id, label]);
    return section;
  }

  link(symbol) {
    const name = this.data.functions.names[symbol];
    const short = withoutNamespace(name);
    const breaks = (text) => text.split(/(?<=\\)|(?=::)/).flatMap((part, number) => (number ? [h("wbr"), part] : [part]));
    const namespace = name.slice(0, name.length - short.length);
    return h("a", { href: "#f" + symbol, class: "symbol" }, namespace ? h("i", null, ...breaks(namespace)) : null, namespace ? h("wbr") : null, ...breaks(short));
  }

  summary() {
    const { metrics, total, baseTotal } = this.data;
    const card = (label, value, note) => h("div", { class: "card" }, h("dt", null, label), h("dd", null, value), note ? h("p", null, note) : null);
    // Sums of memory that was taken and given back have no shares.
    const difference = (now, before, unit) => {
      const share = unit === "bytes" ? "" : " (" + (now > before ? "+" : "") + percent(now - before, before) + ")";
      return change(now - before, unit) + share + " since " + amount(before, unit);
    };
    const cards = metrics.map(([id, title, unit], metric) => {
      const value = id === "calls" ? count(total[metric]) : amount(total[metric], unit);
      return card(title, value, baseTotal ? difference(total[metric], baseTotal[metric], unit) : null);
    });
    cards.push(card("functions", count(this.rows.filter((row) => metrics.some((_, metric) => this.inclusive(metric, row) !== 0)).length)));
    this.main.append(h("dl", { class: "cards" }, ...cards));
  }

  flameGraph() {
    const { flame, whyNot, guess } = this.data;
    const host = h("div", { class: "flame" });
    if (!flame) {
      this.part("flame", "Flame graph", h("p", { class: "none" }, whyNot));
      return;
    }
    const note = guess ? h("p", { class: "guess" }, h("span", { class: "badge" }, "estimated from call graph"), " Stacks were not recorded: each caller’s costs are distributed in proportion.") : null;
    this.part("flame", "Flame graph", note, host);
    this.flame = new FlameGraph(host, this.data, { link: (symbol) => { location.hash = "f" + symbol; } });
  }

  showInFlame(name) {
    location.hash = "flame";
    this.flame.zoom(0);
    this.flame.find(name);
  }

  criticalPath() {
    const { metric, steps } = this.data.critical;
    const unit = this.data.metrics[metric][2];
    const whole = steps.length ? steps[0][1] : 0;
    const item = ([symbol, inclusive, calls]) => h("li", null,
      bar(amount(inclusive, unit), inclusive / whole), unit === "bytes" ? null : h("span", { class: "share" }, percent(inclusive, whole)), this.link(symbol),
      calls > 1 ? h("small", null, " " + count(calls) + " calls") : null);
    const list = h("ol", { class: "critical" }, ...steps.slice(0, STEPS).map(item));
    const more = h("button", { type: "button", class: "more", onclick: () => {
      list.append(...steps.slice(STEPS).map(item));
      more.remove();
    } }, "Show " + count(steps.length - STEPS) + " more steps");
    const guess = this.data.flame && !this.data.guess ? "" : " Without stacks, a step shows the cost of all calls between its two functions, on any path.";
    this.part("path", "Critical path", h("p", { class: "lead" }, "From main() downwards, the costliest callee at each step (" + this.data.metrics[metric][1] + ")." + guess), list, steps.length > STEPS ? more : null);
  }

  functions() {
    const { data, primary } = this;
    const { metrics, total, functions } = data;
    const columns = [{ label: "function", isText: true, value: (row) => functions.names[data.table.fn[row]], cell: (row) => this.link(data.table.fn[row]) }];
    this.columns.forEach((metric) => {
      const [id, title, unit] = metrics[metric];
      if (id === "calls") {
        columns.push({ label: "calls", value: (row) => this.inclusive(metric, row), cell: (row) => count(this.inclusive(metric, row)) });
        return;
      }
      const column = (label, of, isSoft) => columns.push({
        label, group: title, title: title + ", " + label,
        value: (row) => of(metric, row),
        cell: (row) => {
          const value = of(metric, row);
          if (metric !== primary) return amount(value, unit);
          // A sum of allocated and freed memory has no percentages.
          const share = unit === "bytes" ? null : h("span", { class: "share" }, percent(value, total[metric]));
          return [bar(amount(value, unit), value / total[metric], isSoft), share];
        },
      });
      column("self", (_, row) => this.own(metric, row), "");
      if (data.table.base) columns.push({
        label: "change", group: title, title: title + ", change of the self cost",
        value: (row) => this.difference(metric, row),
        cell: (row) => {
          const value = this.difference(metric, row);
          return h("span", { class: value > 0 ? "worse" : value < 0 ? "better" : "same" }, change(value, unit));
        },
      });
      column("inclusive", (_, row) => this.inclusive(metric, row), "soft");
    });
    // Sorted by the self cost of the first metric.
    const sorted = columns.findIndex((column) => column.group === metrics[primary][1]);
    this.table = new SortedTable(columns, this.rows, { sorted: Math.max(0, sorted), className: "wide" });
    const filtered = h("output", { class: "matched" });
    const ownShare = (rows) => {
      const own = rows.reduce((sum, row) => sum + this.own(primary, row), 0);
      return metrics[primary][2] === "bytes" ? "" : " · self " + percent(own, total[primary]);
    };
    const filter = h("input", { type: "search", class: "search", placeholder: "Filter: text or /regex/", "aria-label": "Filter functions", spellcheck: "false", oninput: () => {
      const matches = matcher(filter.value.trim());
      const rows = matches ? this.rows.filter((row) => matches(functions.names[data.table.fn[row]])) : this.rows;
      this.table.limit = ROWS;
      this.table.show(rows);
      filtered.textContent = matches ? count(rows.length) + " of " + count(this.rows.length) + ownShare(rows) : "";
    } });
    this.part("functions", "Functions", h("div", { class: "controls" }, h("div", { class: "finder" }, filter, filtered)), this.table.element);
  }

  /** Spans: SQL statements, HTTP requests and commands. */
  spans() {
    const { spans } = this.data;
    if (!spans) return;
    const total = spans.groups.reduce((sum, group) => sum + group[4], 0);
    const number = (label, at) => ({ label, value: (group) => group[at], cell: (group) => count(group[at]) });
    const columns = [
      { label: "what for", isText: true, value: (group) => group[0] + " " + group[1], cell: ([kind, text]) => [h("b", null, kind), " " + text] },
      { label: "function", isText: true, value: (group) => this.data.functions.names[group[2]], cell: (group) => this.link(group[2]) },
      number("calls", 3),
      { label: "time", value: (group) => group[4], cell: (group) => bar(amount(group[4], "ns"), group[4] / total, "") },
      { label: "longest", value: (group) => group[5], cell: (group) => amount(group[5], "ns") },
      { label: "rows", value: (group) => group[6], cell: (group) => (group[6] < 0 ? "" : count(group[6])) },
      { label: "caller", isText: true, value: (group) => this.data.functions.names[group[7]], cell: (group) => [this.link(group[7]), group[8] ? " +" + count(group[8]) : ""] },
    ];
    const notes = [];
    if (spans.leftOut) notes.push(count(spans.leftOut) + " more, " + amount(spans.leftOutTime, "ns") + ", are beyond a limit of the recording.");
    if (spans.cut) notes.push(count(spans.cut) + " texts that took less are left out.");
    const lead = "Statements, requests and commands, without literals, and how long they took." + (notes.length ? " " + notes.join(" ") : "");
    const table = new SortedTable(columns, spans.groups, { sorted: 3, className: "wide" });
    this.part("spans", "Waited for", h("p", { class: "lead" }, lead), table.element);
  }

  details() {
    const host = h("div", { class: "sections" });
    const costliest = [...this.rows].sort((one, other) => this.own(this.primary, other) - this.own(this.primary, one));
    const left = this.rows.length - SECTIONS;
    const lead = "Callers and callees" + (left > 0 ? " of the " + SECTIONS + " functions that cost most by themselves. The section of any other is made when you go there." : " of each function.");
    const { leftOut } = this.data.edges;
    this.part("sections", "Callers and callees", h("p", { class: "lead" }, lead, leftOut ? " " + count(leftOut) + " pairs that cost least are left out." : ""), host);
    this.sections = new FunctionSections(this, host);
    for (const row of costliest.slice(0, SECTIONS)) this.sections.of(this.data.table.fn[row]);
  }

  /** Opens a function's section, and creates it if necessary. */
  go(hash) {
    const symbol = /^#f(\d+)$/.exec(hash);
    if (!symbol) return;
    const section = this.sections.of(Number(symbol[1]));
    if (!section) return;
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  }
}

new Report(JSON.parse(document.getElementById("data").textContent), document.getElementById("report"));
