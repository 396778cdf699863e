/** Source files: what their lines or functions cost, beside their text where that is known. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import { lastPart } from "../app/sources";
import * as format from "../format";
import { MetricMenu, TextField } from "../parts/controls";
import { EditorLink } from "../parts/EditorLink";
import { FunctionLink, Go, shortTitle } from "../parts/links";
import { Busy, Command, Empty, Show } from "../parts/state";
import { costWidth, VirtualTable } from "../parts/VirtualTable";
import { knownCost } from "../source/knownCost";
import { SourceText, type LineMark } from "../source/SourceText";
import { useText } from "../source/useText";
import type { SourceLines, Sources } from "../types";

export function SourcePage(): JSX.Element {
  const { state, metric } = useSession();
  const all = useAnswer({ ask: "sources", metric });
  const first = all.answer?.files[0]?.file;
  const wanted =
    state.file !== null
      ? { file: state.file }
      : state.fn !== null
        ? { function: state.fn }
        : first === undefined
          ? null
          : { file: first };
  const one = useAnswer(wanted === null ? null : { ask: "sources", metric, ...wanted });
  return (
    <section class="source" aria-label="Source">
      <Show asked={all}>
        {(sources) =>
          sources.files.length === 0 ? (
            <Empty title="This profile does not say in which files its functions are.">
              <p>Files of this profiler, Callgrind, Xdebug, pprof and speedscope do.</p>
              <Command>xhprof run -o run.xhp -- script.php</Command>
            </Empty>
          ) : (
            <>
              <Files sources={sources} shown={one.answer?.shown?.file.file ?? null} />
              <Show asked={one}>{(answer) => <One answer={answer} />}</Show>
            </>
          )
        }
      </Show>
    </section>
  );
}

const MOST_FILES = 300;

function Files(props: { sources: Sources; shown: number | null }): JSX.Element {
  const { sources } = props;
  const { state, metric, go, texts } = useSession();
  const filter = state.filter.toLowerCase();
  const files = sources.files.filter((file) => `${file.template ?? ""}\n${file.name}`.toLowerCase().includes(filter));
  return (
    <div class="picker">
      <div class="toolbar">
        <TextField
          label="Find a file"
          value={state.filter}
          onChange={(text) => {
            go({ filter: text }, "replace");
          }}
        />
        <MetricMenu />
      </div>
      {files.length === 0 ? (
        <Empty title="No file matches." />
      ) : (
        <ul class="picker-list" aria-label="Files">
          {files.slice(0, MOST_FILES).map((file) => (
            <li key={file.file}>
              <Go
                to={{ file: file.file, fn: null }}
                class={file.file === props.shown ? "picked" : ""}
                title={`${shortTitle(file.name)}${texts.has(file.name) ? "" : " (its text is not here)"}`}
                current={file.file === props.shown}
              >
                <span class="line-share">{format.share(file.own[metric], sources.total[metric])}</span>
                <span class={texts.has(file.name) ? "ending" : "ending muted"}>
                  <bdi>{(file.template ?? shortPath(file.name)).slice(-300)}</bdi>
                </span>
              </Go>
            </li>
          ))}
          {files.length > MOST_FILES || sources.omitted > 0 ? (
            <li class="muted">
              {format.count(files.length - Math.min(files.length, MOST_FILES) + sources.omitted)} more: type to find
              them
            </li>
          ) : null}
        </ul>
      )}
    </div>
  );
}

/** Where the function begins that the address names, else the file. */
function lineOf(shown: SourceLines, fn: number | null): number {
  return shown.functions.find(({ row }) => row.function === fn)?.line ?? 1;
}

/** The end of a path tells files apart. */
function shortPath(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== "");
  return parts.slice(-2).join("/");
}

function One(props: { answer: Sources }): JSX.Element {
  const { answer } = props;
  const { state, metric, unit, texts, chooseFolder } = useSession();
  const shown = answer.shown;
  const text = useText(shown?.file.name ?? null);
  if (shown === null) {
    return (
      <Empty title="Where this function is defined is not known.">
        <p>It is PHP’s own, or the profile does not say it. Choose a file beside.</p>
      </Empty>
    );
  }
  const { file } = shown;
  return (
    <article class="source-file">
      <header class="source-title">
        <h2>
          <bdi>{shortTitle(file.name)}</bdi> <EditorLink file={file.name} line={lineOf(shown, state.fn)} isShort />
        </h2>
        <p class="muted">
          {file.template === null ? null : <bdi>{format.middle(file.template, 120)} · </bdi>}
          {format.cost(file.own[metric], metric, unit)} self, {format.share(file.own[metric], answer.total[metric])} ·{" "}
          {format.counted(file.functions, "function")}
          {answer.hasLines ? ` · ${format.counted(file.lines, "line")} with costs` : ""}
          {shown.omitted > 0 ? ` · ${format.count(shown.omitted)} left out` : ""}
        </p>
      </header>
      {text === undefined ? (
        <Busy />
      ) : text !== null ? (
        <Text shown={shown} answer={answer} text={text} />
      ) : (
        <>
          <p class="note">
            <span>
              The text of <bdi>{lastPart(file.name).slice(0, 200)}</bdi> is not in this page
              {texts.count > 0 ? ", and not among the files that were dropped" : ""}. Drop it or its folder here, or
              make a page with <code>xhprof html --source DIR</code>.
            </span>
            <button type="button" onClick={chooseFolder}>
              Choose a folder…
            </button>
          </p>
          <WithoutText shown={shown} answer={answer} />
        </>
      )}
    </article>
  );
}

function Text(props: { shown: SourceLines; answer: Sources; text: string }): JSX.Element {
  const { shown, answer, text } = props;
  const { state, metric, unit, go } = useSession();
  const marks = useMemo(() => marksOf(shown, answer, metric, unit), [shown, answer, metric, unit]);
  const chosen = shown.functions.find(({ row }) => row.function === state.fn);
  // Without a function in the address, the costliest line is of interest.
  const hottest = [...marks].reduce((best, [line, { heat }]) => (heat > best.heat ? { line, heat } : best), {
    line: 1,
    heat: 0,
  });
  const line = chosen !== undefined && chosen.line > 0 ? chosen.line : hottest.line;
  const isMissing = [...marks.keys()].some((at) => at > text.split("\n").length);
  return (
    <>
      {isMissing ? (
        <p class="note">This text has fewer lines than the profile knows: it is another version of the file.</p>
      ) : null}
      <SourceText
        label={`${lastPart(shown.file.name).slice(0, 200)}, with costs`}
        text={text}
        columns={columnsOf(shown, answer, metric)}
        marks={marks}
        line={line}
        onOpen={(at) => {
          const fn = answer.hasLines
            ? shown.lines.find((one) => one.line === at)?.function
            : shown.functions.find((one) => one.line === at)?.row.function;
          if (fn !== undefined) go({ page: "function", fn, selected: null });
        }}
      />
      {answer.hasLines ? null : (
        <p class="muted small">
          The profile has costs of functions, not of lines: they stand where a function begins. Enter or double click
          opens it.
        </p>
      )}
    </>
  );
}

type Metric = ReturnType<typeof useSession>["metric"];
type Unit = ReturnType<typeof useSession>["unit"];

/** The titles of what `marksOf` puts beside lines. Samples have no calls. */
function columnsOf(shown: SourceLines, answer: Sources, metric: Metric): { title: string; help: string }[] {
  const columns = answer.hasLines
    ? [
        { title: "Self", help: "What the line cost without the functions that it calls" },
        { title: "Callees", help: "What the functions cost that the line calls" },
        { title: "Calls", help: "Calls from the line" },
      ]
    : [
        { title: "Self", help: "What the function that begins here cost without its callees" },
        { title: "Inclusive", help: "What it cost with its callees" },
        { title: "Calls", help: "How often it was called" },
      ];
  const isOfCalls = answer.hasLines && knownCost(shown.lines, metric) === "callees";
  return columns.slice(isOfCalls ? 1 : 0, answer.total.calls > 0 ? 3 : 2);
}

/** What stands beside lines: their costs, or those of the functions that begin there. */
function marksOf(shown: SourceLines, answer: Sources, metric: Metric, unit: Unit): ReadonlyMap<number, LineMark> {
  const marks = new Map<number, LineMark>();
  const calls = (number: number): string => (number > 0 ? format.count(number) : "");
  const cost = (value: number): string => (value === 0 ? "" : format.cost(value, metric, unit));
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 1);
  if (answer.hasLines) {
    const known = knownCost(shown.lines, metric);
    const largest = most(shown.lines.map((line) => line[known][metric]));
    for (const line of shown.lines) {
      const ofCalls = [cost(line.callees[metric]), calls(line.callees.calls)];
      const value = line[known][metric];
      marks.set(line.line, {
        heat: heat(value, largest),
        cells: known === "callees" ? ofCalls : [cost(line.own[metric]), ...ofCalls],
        title: `${format.cost(value, metric, unit)} ${known === "callees" ? "in callees" : "self"}, ${format.share(value, answer.total[metric])} of all`,
      });
    }
    return marks;
  }
  const largest = most(shown.functions.map(({ row }) => row.own[metric]));
  for (const { line, row } of shown.functions) {
    // Closures may begin in one line: the first that was told stands for it.
    if (line === 0 || marks.has(line)) continue;
    marks.set(line, {
      heat: heat(row.own[metric], largest),
      cells: [cost(row.own[metric]), cost(row.inclusive[metric]), calls(row.inclusive.calls)],
      title: `${row.name.slice(0, 300)}: ${format.cost(row.own[metric], metric, unit)} self, ${format.share(row.own[metric], answer.total[metric])} of all`,
    });
  }
  return marks;
}

function heat(value: number, largest: number): number {
  return Math.sqrt(Math.max(0, value) / largest);
}

const ROW = 28;

/** Without the text: the same numbers as a table. */
function WithoutText(props: { shown: SourceLines; answer: Sources }): JSX.Element {
  const { shown, answer } = props;
  const { metric, unit, go } = useSession();
  const functions = shown.functions;
  const names = useMemo(
    () => new Map([...functions.map(({ row }) => row), ...shown.elsewhere].map((one) => [one.function, one.name])),
    [functions, shown.elsewhere],
  );
  const lines = answer.hasLines && shown.lines.length > 0 ? shown.lines : null;
  const hasCalls = answer.total.calls > 0;
  const hasOwn = lines === null || knownCost(lines, metric) === "own";
  const cost = (value: number): string => format.cost(value, metric, unit);
  if (lines === null && functions.length === 0) return <Empty title="No function of this file was called." />;
  return (
    <VirtualTable
      label={lines === null ? "Functions of the file" : "Lines of the file"}
      rows={lines === null ? functions.length : lines.length}
      rowHeight={ROW}
      columns={[
        { key: "line", title: "Line", width: "5rem", numeric: true },
        { key: "name", title: "Function", width: "minmax(12rem, 1fr)" },
        ...(hasOwn
          ? [
              { key: "own", title: "Self", width: costWidth(metric, unit), numeric: true },
              { key: "share", title: "of all", width: "6rem", numeric: true },
            ]
          : []),
        {
          key: "inclusive",
          title: lines === null ? "Inclusive" : "Callees",
          width: costWidth(metric, unit),
          numeric: true,
        },
        ...(hasCalls ? [{ key: "calls", title: "Calls", width: "6rem", numeric: true }] : []),
      ]}
      cells={(at) => {
        if (lines !== null) {
          const line = lines[at];
          if (line === undefined) return null;
          return [
            format.count(line.line),
            <FunctionLink key="name" fn={line.function} name={names.get(line.function) ?? ""} />,
            ...(hasOwn ? [cost(line.own[metric]), format.share(line.own[metric], answer.total[metric])] : []),
            cost(line.callees[metric]),
            ...(hasCalls ? [format.count(line.callees.calls)] : []),
          ];
        }
        const found = functions[at];
        if (found === undefined) return null;
        const { row, line } = found;
        return [
          line === 0 ? "" : format.count(line),
          <FunctionLink key="name" fn={row.function} name={row.name} />,
          cost(row.own[metric]),
          format.share(row.own[metric], answer.total[metric]),
          cost(row.inclusive[metric]),
          ...(hasCalls ? [format.count(row.inclusive.calls)] : []),
        ];
      }}
      onOpen={(at) => {
        const fn = lines === null ? functions[at]?.row.function : lines[at]?.function;
        if (fn !== undefined) go({ page: "function", fn });
      }}
    />
  );
}
