/** What was profiled, what it came to, and where to look first. */
import { Fragment, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { scopeOf, useAnswer, useSession } from "../app/session";
import { keptSteps } from "../flame/keptSteps";
import { roundsAt } from "../flame/rounds";
import { SmallFlame } from "../flame/SmallFlame";
import * as format from "../format";
import { MetricMenu } from "../parts/controls";
import { FunctionLink, Go } from "../parts/links";
import { Busy, FailureNote } from "../parts/state";
import type { AnswerOf, Summary } from "../types";
import { Card, TopFunctions } from "../parts/TopFunctions";
import { HintsCard } from "./HintsPage";

const MOST_STEPS = 16;

export function OverviewPage(): JSX.Element {
  const { state, isComparison } = useSession();
  const { answer: summary, failure } = useAnswer({ ask: "summary" });
  if (failure) return <FailureNote failure={failure} />;
  if (summary === null) return <Busy />;
  return (
    <div class="overview">
      <Warnings summary={summary} />
      <Tiles summary={summary} isPart={state.range !== null} />
      {isComparison ? <WhatChanged /> : null}
      <div class="toolbar">
        <MetricMenu />
        {summary.functions > 0 ? <CopyText /> : null}
      </div>
      {summary.hasStacks && summary.functions > 0 ? <SmallFlame /> : null}
      <div class="cards">
        <TopFunctions />
        {summary.functions > 0 ? <Critical /> : null}
        <HintsCard />
        {summary.spans > 0 ? <Waited /> : null}
        {summary.meta.length > 0 || summary.startedUnixUs !== null ? <About summary={summary} /> : null}
      </div>
    </div>
  );
}

/** As many rows as the text of `xhprof report --format markdown` has. */
const ROWS_OF_TEXT = 30;

/** The profile as one text: the engine writes it. */
function CopyText(): JSX.Element {
  const { engine, state, metric } = useSession();
  const [told, setTold] = useState("");
  useEffect(() => {
    if (told === "") return undefined;
    const timer = setTimeout(() => {
      setTold("");
    }, 3000);
    return () => {
      clearTimeout(timer);
    };
  }, [told]);
  const copy = async (): Promise<void> => {
    try {
      const question = { ask: "markdown", metric, rows: ROWS_OF_TEXT } as const;
      const { text } = await engine.ask(question, { scope: scopeOf(state) });
      await navigator.clipboard.writeText(text);
      setTold("Copied as Markdown");
    } catch {
      // Without HTTPS a browser gives no clipboard.
      setTold("This browser gives no clipboard here");
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {told === "" ? "Copy for an assistant" : told}
      </button>
      <span class="sr-only" role="status">
        {told}
      </span>
    </>
  );
}

function Warnings(props: { summary: Summary }): JSX.Element | null {
  const { isTruncated, isEstimated, isSampled, hasStacks, total, unit } = props.summary;
  const samples = unit === "samples" ? total.wall : props.summary.samples;
  const list: string[] = [];
  if (isTruncated)
    list.push(
      "Incomplete: a limit was reached, or the file was cut off. What is missing is part of its callers’ self cost.",
    );
  if (isEstimated) list.push("Call stacks are an estimate: the file holds callers and callees only.");
  if (isSampled) {
    const from = samples > 0 ? ` from ${format.counted(samples, "sample")}` : "";
    list.push(`Sampled: costs are estimates${from}, and calls were not counted.`);
  }
  if (!hasStacks)
    list.push(
      "The file holds callers and callees only: tables and the call graph are exact, a flame graph can only be estimated.",
    );
  if (list.length === 0) return null;
  return (
    <ul class="warnings" aria-label="To know about this profile">
      {list.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function Tile(props: { title: string; value: string; detail?: string | undefined }): JSX.Element {
  return (
    <div class="tile">
      <dt>{props.title}</dt>
      <dd>
        <span class="tile-value">{props.value}</span>
        {props.detail ? <span class="tile-detail">{props.detail}</span> : null}
      </dd>
    </div>
  );
}

function Tiles(props: { summary: Summary; isPart: boolean }): JSX.Element {
  const { summary, isPart } = props;
  const { total, unit, metrics } = summary;
  const wall = format.cost(total.wall, "wall", unit);
  return (
    <dl class="tiles">
      {metrics.includes("wall") ? (
        <Tile title={isPart ? "Wall time of the range" : format.metricTitle("wall", unit)} value={wall} />
      ) : null}
      {metrics.includes("cpu") ? (
        <Tile
          title="CPU time"
          value={format.time(total.cpu)}
          detail={unit === "nanoseconds" ? `${format.share(total.cpu, total.wall)} of wall` : undefined}
        />
      ) : null}
      {summary.peakMemory !== null ? (
        <Tile title="Peak memory" value={format.bytes(summary.peakMemory)} />
      ) : metrics.includes("peak") ? (
        <Tile title="Growth of the peak" value={format.bytes(total.peak)} />
      ) : null}
      {metrics.includes("memory") ? <Tile title="Memory kept" value={format.bytes(total.memory)} /> : null}
      {summary.calls > 0 ? <Tile title="Calls" value={format.count(summary.calls)} /> : null}
      <Tile title="Functions" value={format.count(summary.functions)} />
      {summary.nodes > 0 ? <Tile title="Call paths" value={format.count(summary.nodes)} /> : null}
      {summary.samples > 0 && unit !== "samples" ? (
        <Tile title="Samples" value={format.count(summary.samples)} />
      ) : null}
      {summary.spans > 0 ? (
        <Tile title="Spans" value={format.count(summary.spans)} detail="statements, requests" />
      ) : null}
    </dl>
  );
}

function WhatChanged(): JSX.Element | null {
  const { metric, unit } = useSession();
  const { answer } = useAnswer({ ask: "changes", metric, rows: 5 });
  if (answer === null) return null;
  const { total } = answer;
  return (
    <p class="changed">
      {format.metricTitle(metric, unit)}: {format.cost(total.base, metric, unit)} →{" "}
      {format.cost(total.new, metric, unit)} ({format.change(total.relative)}).{" "}
      <Go to={{ page: "compare" }}>What changed</Go>
    </p>
  );
}

function Critical(): JSX.Element {
  const { metric, unit } = useSession();
  const { answer } = useAnswer({ ask: "criticalPath", metric });
  return (
    <Card title="Critical path" more={<Go to={{ page: "graph" }}>call graph</Go>}>
      {answer === null ? <Busy /> : <CriticalSteps path={answer} />}
      <p class="muted small">
        From main() on, always the callee with the most {format.metricTitle(metric, unit).toLowerCase()}.
      </p>
    </Card>
  );
}

type Step = AnswerOf<{ ask: "criticalPath" }>["steps"][number];

function CriticalSteps(props: { path: AnswerOf<{ ask: "criticalPath" }> }): JSX.Element {
  const { metric, unit } = useSession();
  const { total } = props.path;
  // Functions that call themselves, or each other in turn, are one line.
  const functions = props.path.steps.map((step) => step.function);
  const steps: { round: readonly Step[]; times: number }[] = [];
  for (let at = 0; at < functions.length;) {
    const { length, rounds } = roundsAt(functions, at, 2);
    steps.push({ round: props.path.steps.slice(at, at + length), times: rounds });
    at += length * rounds;
  }
  const shown = keptSteps(
    steps.map(({ round }) => round.some((step) => step.origin === "user" || step.origin === "template")),
    MOST_STEPS,
  );
  const costOf = ([first]: readonly Step[]): string => format.cost(first?.value ?? 0, metric, unit);
  return (
    <ol class="path" style={format.longest(steps.map(({ round }) => costOf(round)))}>
      {shown.map((at, place) => {
        const { round, times } = steps[at] ?? { round: [], times: 1 };
        const hidden = at - (shown[place - 1] ?? -1) - 1;
        return [
          hidden > 0 ? (
            <li key={`hidden ${at}`} class="muted small">
              {format.counted(hidden, "step")} of packages and PHP
            </li>
          ) : null,
          <li key={at}>
            <span class="line-cost">{costOf(round)}</span>
            <span class="line-share">{format.share(round[0]?.value ?? 0, total[metric])}</span>
            {times > 1 ? <span class="muted">{format.count(times)}×</span> : null}
            {round.map((step, place) => (
              <Fragment key={place}>
                {place > 0 ? <span class="muted">→</span> : null}
                <FunctionLink fn={step.function} name={step.name} />
              </Fragment>
            ))}
          </li>,
        ];
      })}
    </ol>
  );
}

function Waited(): JSX.Element {
  const { answer } = useAnswer({ ask: "spans" });
  return (
    <Card title="Waited longest for" more={<Go to={{ page: "spans" }}>all</Go>}>
      {answer === null ? (
        <Busy />
      ) : (
        <ul class="lines">
          {answer.groups.slice(0, 6).map((group, at) => (
            <li key={at}>
              <span class="line-cost">{format.time(group.time)}</span>
              <span class="line-share">{format.count(group.calls)}×</span>
              <span class="kind">{group.kind}</span>{" "}
              <bdi class="statement">{(group.text || group.name).slice(0, 300)}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function About(props: { summary: Summary }): JSX.Element {
  const { summary } = props;
  return (
    <Card title="About" more={<Go to={{ page: "file" }}>file</Go>}>
      <dl class="facts wide">
        {summary.startedUnixUs === null ? null : (
          <>
            <dt>began</dt>
            <dd>{format.moment(summary.startedUnixUs)}</dd>
          </>
        )}
        {summary.meta.slice(0, 24).map((entry, at) => (
          <Fact key={at} name={entry.name} value={entry.value} />
        ))}
      </dl>
    </Card>
  );
}

export function Fact(props: { name: string; value: string }): JSX.Element {
  const isBytes = props.name === "peak_memory" && /^\d{1,15}$/.test(props.value);
  return (
    <>
      <dt>
        <bdi>{props.name.slice(0, 200).replaceAll("_", " ")}</bdi>
      </dt>
      <dd>
        <bdi>{isBytes ? format.bytes(Number(props.value)) : props.value.slice(0, 2_000)}</bdi>
      </dd>
    </>
  );
}
