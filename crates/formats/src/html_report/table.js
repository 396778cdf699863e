// Tables: sortable by any column, filtered, with more rows on request.

/** The number of rows at first, and of further rows on each request. */
const ROWS = 100;
const MORE_ROWS = 1000;

class SortedTable {
  /**
   * `columns`: {label, title, group, value(row), cell(row), isText}. `rows`:
   * anything. Sorted by `sorted`, a column's number.
   */
  constructor(columns, rows, { sorted = 0, className = "", first = ROWS } = {}) {
    Object.assign(this, { columns, rows, sorted, first });
    this.isDescending = !columns[sorted].isText;
    this.limit = first;
    this.body = h("tbody");
    this.heads = columns.map((column, number) =>
      h("th", { scope: "col", class: column.isText ? "name" : "" },
        h("button", { type: "button", title: column.title || column.label, onclick: () => this.sort(number) }, column.label)));
    const groups = [];
    for (const { group = "" } of columns) {
      if (groups.length && groups[groups.length - 1].group === group) groups[groups.length - 1].span += 1;
      else groups.push({ group, span: 1 });
    }
    const top = groups.some(({ group }) => group)
      ? h("tr", { class: "groups" }, ...groups.map(({ group, span }) => h("th", { colSpan: span }, group ? h("span", null, group) : null)))
      : null;
    this.more = h("button", { type: "button", class: "more", onclick: () => this.lengthen() });
    this.element = h("div", { class: "table-box" },
      h("div", { class: "sideways" }, h("table", { class: "table " + className }, h("thead", null, top, h("tr", null, ...this.heads)), this.body)),
      this.more);
    this.show(rows);
  }

  sort(number) {
    this.isDescending = number === this.sorted ? !this.isDescending : !this.columns[number].isText;
    this.sorted = number;
    this.limit = this.first;
    this.show(this.rows);
  }

  lengthen() {
    const from = this.limit;
    this.limit += MORE_ROWS;
    this.append(from);
  }

  show(rows) {
    this.rows = rows;
    const { value } = this.columns[this.sorted];
    const sign = this.isDescending ? -1 : 1;
    const keyed = rows.map((row, number) => ({ row, number, key: value(row) }));
    const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    keyed.sort((one, other) => sign * compare(one.key, other.key) || one.number - other.number);
    this.order = keyed.map(({ row }) => row);
    this.heads.forEach((head, number) => {
      if (number === this.sorted) head.setAttribute("aria-sort", this.isDescending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.body.replaceChildren();
    this.append(0);
  }

  append(from) {
    const rows = this.order.slice(from, this.limit).map((row) =>
      h("tr", null, ...this.columns.map((column) => h("td", column.isText ? { class: "name" } : null, ...[column.cell(row)].flat()))));
    this.body.append(...rows);
    const left = this.order.length - this.limit;
    this.more.hidden = left <= 0;
    this.more.textContent = "Show " + (left > MORE_ROWS ? count(MORE_ROWS) + " more" : "the other " + count(left)) + " of " + count(this.order.length);
  }
}

/** A number above a bar, which shows its share of the total. */
function bar(text, share, className = "") {
  const cell = h("span", { class: "bar " + className }, text);
  const width = Math.max(0, Math.min(1, share || 0)) * 100;
  cell.style.backgroundSize = width.toFixed(1) + "% 100%";
  return cell;
}
