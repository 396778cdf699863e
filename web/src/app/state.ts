/**
 * What is being looked at, and its form in the address: `#v1/flame?metric=cpu`.
 *
 * Whatever is the default is left out, so that addresses stay short. An address
 * that was damaged or is of a later version opens as far as it is understood.
 */
import type { FlameView } from "../flame/viewport";
import type { MetricName, Origin, SortBy, TimeRange } from "../types";

/** The tabs, in their order. The first keys are those of speedscope. */
export const TABS = [
  { page: "overview", title: "Overview", key: "o" },
  { page: "time", title: "Time order", key: "1" },
  { page: "flame", title: "Flame graph", key: "2" },
  { page: "sandwich", title: "Sandwich", key: "3" },
  { page: "functions", title: "Functions", key: "4" },
  { page: "graph", title: "Call graph", key: "5" },
  { page: "spans", title: "Spans", key: "6" },
  { page: "hints", title: "Hints", key: "7" },
  { page: "source", title: "Source", key: "8" },
  { page: "compare", title: "Compare", key: "9" },
  { page: "file", title: "File", key: "i" },
] as const;

/** A tab, or the page of one function, which has none. */
export type Page = (typeof TABS)[number]["page"] | "function";

export const ARRANGEMENTS = ["called", "leftHeavy", "inverted"] as const;
export type FlameArrangement = (typeof ARRANGEMENTS)[number];

export const COLOURINGS = ["origin", "class", "own", "calls", "difference"] as const;
export type Colouring = (typeof COLOURINGS)[number];

export const HALVES = ["callers", "callees"] as const;
export type Half = (typeof HALVES)[number];

export const SPAN_ORDERS = ["time", "calls", "longest"] as const;
export type SpanOrder = (typeof SPAN_ORDERS)[number];

export const COLUMNS = ["share", "own", "inclusive", "calls", "perCall", "cpu", "memory", "peak", "origin"] as const;
export type Column = (typeof COLUMNS)[number];
const DEFAULT_COLUMNS: readonly Column[] = ["share", "own", "inclusive", "calls", "perCall", "origin"];

const METRICS: readonly MetricName[] = ["wall", "cpu", "memory", "peak", "calls"];
const ORIGINS: readonly Origin[] = ["user", "vendor", "template", "internal", "waiting", "other"];

/** Everything that an address holds. */
export interface ViewState {
  page: Page;
  /** None: the profile's first. */
  metric: MetricName | null;
  /** The range of time that all views follow. */
  range: TimeRange | null;
  /** Whether stacks may be guessed for a profile that has none. */
  estimate: boolean;
  search: string;
  arrangement: FlameArrangement;
  /** The functions from below the root to the box that fills the window. */
  zoom: readonly number[];
  /** The functions from below the root to the box that is selected. */
  selected: readonly number[] | null;
  /** Of a selected box of joined functions, which stands below the box of `selected`: the place of its first. */
  joined: number | null;
  /** The half of the sandwich that has the selected box. */
  half: Half | null;
  /** The part of the width of the box that is zoomed into; none for all. */
  view: FlameView | null;
  colouring: Colouring | null;
  /** The classes of code that are coloured; all if empty. */
  only: readonly number[];
  /** Functions that all views leave out, with all that they call. */
  hidden: readonly number[];
  /** Functions whose recursion is one call. */
  collapsed: readonly number[];
  /** Callers below callees, as flames. */
  upwards: boolean;
  /** Boxes as lines of text. */
  asText: boolean;
  /** The function that the sandwich, the function's page and the source are about. */
  fn: number | null;
  /** The source file that is shown; none: that of the function. */
  file: number | null;
  /** What groups of spans are sorted by. */
  spanOrder: SpanOrder;
  filter: string;
  origins: readonly Origin[];
  sort: SortBy | null;
  ascending: boolean;
  columns: readonly Column[];
  /** The first row of the page's table that is in view. */
  top: number;
  /** The current row of the page's table. */
  row: number | null;
  /**
   * How many levels of a flame graph, or rows of the order of time, are scrolled
   * out of view at the root's side; none: where the graph begins by itself.
   */
  level: number | null;
  /** How many groups of spans are shown, in steps. */
  groups: number;
  /** Whether hints of a large profile were asked for. */
  hints: boolean;
  /** Whether a file is saved with estimated stacks, if it has none. */
  guess: boolean;
  /** Least share of a function in the call graph, in percent; none: as the window's width allows. */
  threshold: number | null;
  /** How large the call graph is drawn; none: all of it, if it can be read then. */
  size: number | null;
  /** The call that is selected in the order of time: its row and when it began. */
  call: { readonly row: number; readonly start: number } | null;
  /** The part of the time that is in the window. */
  part: TimeRange | null;
}

export const START: ViewState = {
  page: "overview",
  metric: null,
  range: null,
  estimate: false,
  search: "",
  arrangement: "called",
  zoom: [],
  selected: null,
  joined: null,
  half: null,
  view: null,
  colouring: null,
  only: [],
  hidden: [],
  collapsed: [],
  upwards: false,
  asText: false,
  fn: null,
  file: null,
  spanOrder: "time",
  filter: "",
  origins: [],
  sort: null,
  ascending: false,
  columns: DEFAULT_COLUMNS,
  top: 0,
  row: null,
  level: null,
  groups: 1,
  hints: false,
  guess: false,
  threshold: null,
  size: null,
  call: null,
  part: null,
};

/** What gives a table other rows, or another order of them. */
const OF_TABLES = ["page", "metric", "range", "hidden", "collapsed", "filter", "origins", "sort", "ascending"] as const;

/** What gives another graph, or shows another part of it. */
const OF_GRAPHS = [
  "page",
  "metric",
  "range",
  "estimate",
  "hidden",
  "collapsed",
  "zoom",
  "arrangement",
  "upwards",
  "asText",
] as const;

/** The state after a change. Another zoom shows all of its width, and another table begins with its first row. */
export function changed(state: ViewState, change: Partial<ViewState>): ViewState {
  const isOther = (key: keyof ViewState): boolean => key in change && change[key] !== state[key];
  return {
    ...state,
    ...("zoom" in change ? { view: null } : {}),
    ...("selected" in change ? { joined: null } : {}),
    ...(OF_TABLES.some(isOther) ? { top: 0, row: null, groups: 1 } : {}),
    ...(OF_GRAPHS.some(isOther) ? { level: null } : {}),
    ...change,
  };
}

const VERSION = "v1";

/** The address of a state: what stands behind `#`. */
export function toFragment(state: ViewState): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | null): void => {
    if (value !== null && value !== "") query.set(name, value);
  };
  put("metric", state.metric);
  put("range", state.range && rangeText(state.range));
  put("estimate", flag(state.estimate));
  put("q", state.search);
  put("by", state.arrangement === START.arrangement ? null : state.arrangement);
  put("zoom", pathText(state.zoom));
  put("box", state.selected && (pathText(state.selected) || "root"));
  put("more", numberText(state.joined));
  put("half", state.half);
  put("view", state.view && viewText(state.view));
  put("colour", state.colouring);
  put("only", state.only.join("."));
  put("hide", state.hidden.join("."));
  put("fold", state.collapsed.join("."));
  put("up", flag(state.upwards));
  put("text", flag(state.asText));
  put("fn", numberText(state.fn));
  put("file", numberText(state.file));
  put("spans", state.spanOrder === START.spanOrder ? null : state.spanOrder);
  put("filter", state.filter);
  put("origins", state.origins.join("."));
  put("sort", state.sort && sortText(state.sort));
  put("asc", flag(state.ascending));
  const columns = state.columns.join(".");
  put("columns", columns === DEFAULT_COLUMNS.join(".") ? null : columns || "none");
  put("top", state.top === START.top ? null : String(state.top));
  put("row", numberText(state.row));
  put("level", numberText(state.level));
  put("groups", state.groups === START.groups ? null : String(state.groups));
  put("hints", flag(state.hints));
  put("guess", flag(state.guess));
  put("least", numberText(state.threshold));
  put("size", state.size === null ? null : String(Math.round(state.size * 100)));
  put("call", state.call && `${state.call.row}-${state.call.start}`);
  put("part", state.part && rangeText(state.part));
  const text = query.toString();
  return `${VERSION}/${state.page}${text === "" ? "" : `?${text}`}`;
}

/** The state of an address; what is not understood becomes the default. */
export function fromFragment(fragment: string): ViewState {
  const clean = fragment.startsWith("#") ? fragment.slice(1) : fragment;
  const [place = "", text = ""] = split(clean, "?");
  const [version = "", page = ""] = split(place, "/");
  if (version !== VERSION) return START;
  const query = new URLSearchParams(text);
  const get = (name: string): string => query.get(name) ?? "";
  const fn = wholeNumber(get("fn"));
  const threshold = Number.parseFloat(get("least"));
  const box = query.get("box");
  const columns = query.get("columns");
  return {
    page: isPage(page) ? page : "overview",
    metric: oneOf(METRICS, get("metric")),
    range: parseRange(get("range")),
    estimate: get("estimate") === "1",
    search: get("q"),
    arrangement: oneOf(ARRANGEMENTS, get("by")) ?? START.arrangement,
    zoom: parsePath(get("zoom")) ?? [],
    selected: box === null ? null : box === "root" ? [] : parsePath(box),
    joined: wholeNumber(get("more")),
    half: oneOf(HALVES, get("half")),
    view: parseView(get("view")),
    colouring: oneOf(COLOURINGS, get("colour")),
    only: numbersOf(get("only")),
    hidden: numbersOf(get("hide")),
    collapsed: numbersOf(get("fold")),
    upwards: get("up") === "1",
    asText: get("text") === "1",
    fn,
    file: wholeNumber(get("file")),
    spanOrder: oneOf(SPAN_ORDERS, get("spans")) ?? START.spanOrder,
    filter: get("filter"),
    origins: listOf(ORIGINS, get("origins")),
    sort: parseSort(get("sort")),
    ascending: get("asc") === "1",
    columns: columns === null ? DEFAULT_COLUMNS : listOf(COLUMNS, columns),
    top: wholeNumber(get("top")) ?? START.top,
    row: wholeNumber(get("row")),
    level: wholeNumber(get("level")),
    groups: Math.max(1, wholeNumber(get("groups")) ?? START.groups),
    hints: get("hints") === "1",
    guess: get("guess") === "1",
    threshold: Number.isFinite(threshold) ? Math.min(Math.max(threshold, 0), 100) : null,
    size: parseSize(get("size")),
    call: parseCall(get("call")),
    part: parseRange(get("part")),
  };
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function flag(value: boolean): string | null {
  return value ? "1" : null;
}

function numberText(value: number | null): string | null {
  return value === null ? null : String(value);
}

function isPage(text: string): text is Page {
  return text === "function" || TABS.some((tab) => tab.page === text);
}

function oneOf<T extends string>(list: readonly T[], text: string): T | null {
  return list.find((item) => item === text) ?? null;
}

function listOf<T extends string>(list: readonly T[], text: string): T[] {
  const wanted = text.split(".");
  return list.filter((item) => wanted.includes(item));
}

function numbersOf(text: string): number[] {
  const numbers = text.split(".", MOST_NUMBERS).map(wholeNumber);
  return [...new Set(numbers.filter((number) => number !== null))];
}

/** An address has no use for more functions. */
const MOST_NUMBERS = 100;

function wholeNumber(text: string): number | null {
  if (!/^\d{1,10}$/.test(text)) return null;
  const number = Number(text);
  return number <= 0xffff_ffff ? number : null;
}

function rangeText(range: TimeRange): string {
  return `${range.from.toString()}-${range.to.toString()}`;
}

function parseRange(text: string): TimeRange | null {
  const match = /^(\d{1,16})-(\d{1,16})$/.exec(text);
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  return from < to && to <= Number.MAX_SAFE_INTEGER ? { from, to } : null;
}

/** In percent. */
function parseSize(text: string): number | null {
  const percent = wholeNumber(text);
  return percent !== null && percent >= 5 && percent <= 300 ? percent / 100 : null;
}

function parseCall(text: string): { row: number; start: number } | null {
  const match = /^(\d{1,6})-(\d{1,16})$/.exec(text);
  return match && Number(match[2]) <= Number.MAX_SAFE_INTEGER
    ? { row: Number(match[1]), start: Number(match[2]) }
    : null;
}

/** Parts of a billion: an address has no use for more. */
const VIEW_STEPS = 1e9;

function viewText(view: FlameView): string {
  return `${Math.round(view.from * VIEW_STEPS)}-${Math.round(view.to * VIEW_STEPS)}`;
}

function parseView(text: string): FlameView | null {
  const range = parseRange(text);
  return range && range.to <= VIEW_STEPS ? { from: range.from / VIEW_STEPS, to: range.to / VIEW_STEPS } : null;
}

/** `7.8.8.8` as `7.8*3`: recursion makes long paths of few functions. */
function pathText(path: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < path.length;) {
    let end = at + 1;
    while (path[end] === path[at]) end += 1;
    parts.push(end - at === 1 ? String(path[at]) : `${String(path[at])}*${String(end - at)}`);
    at = end;
  }
  return parts.join(".");
}

/** Deeper than any call stack that can be recorded. */
const DEEPEST = 100_000;

function parsePath(text: string): number[] | null {
  if (text === "") return null;
  const path: number[] = [];
  for (const part of text.split(".")) {
    const [fn, times] = split(part, "*");
    const number = wholeNumber(fn);
    const repeat = times === "" ? 1 : wholeNumber(times);
    if (number === null || repeat === null || path.length + repeat > DEEPEST) return null;
    for (let i = 0; i < repeat; i += 1) path.push(number);
  }
  return path;
}

function sortText(sort: SortBy): string {
  return sort.by === "name" ? "name" : `${sort.by}.${sort.metric}`;
}

function parseSort(text: string): SortBy | null {
  if (text === "name") return { by: "name" };
  const [by, name] = split(text, ".");
  const metric = oneOf(METRICS, name);
  if (metric === null) return null;
  if (by === "inclusive" || by === "own" || by === "perCall") return { by, metric };
  return null;
}
