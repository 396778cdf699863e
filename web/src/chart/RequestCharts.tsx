/** The requests of a selection over time: a chart, and the choice of what it shows. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { address } from "../api/filter";
import type { ReleaseInfo, Series, SeriesPoint } from "../api/generated";
import { withValue } from "../api/terms";
import { useApi, type Asked } from "../api/useApi";
import * as format from "../format";
import { Panel } from "../shell/Page";
import { navigate } from "../shell/router";
import { filterOf, setParameter } from "../shell/server";
import { Answered, Nothing } from "../shell/states";
import { Chart, type Line } from "./Chart";

/** The figures that can be drawn. */
export const FIGURES = [
  { name: "time", label: "Response time", text: format.time },
  { name: "requests", label: "Throughput", text: format.count },
  { name: "errors", label: "Errors", text: format.count },
  { name: "memory", label: "Memory", text: format.bytes },
  { name: "sql", label: "SQL", text: format.count },
  { name: "cpu", label: "CPU", text: format.time },
] as const;

export type FigureName = (typeof FIGURES)[number]["name"];

/** The requests of a selection over time. */
export function useSeries(q: string): Asked<Series> {
  return useApi<Series>(address("/api/v1/series", { q }));
}

export function RequestCharts(props: { url: URL; q: string; asked: Asked<Series> }): JSX.Element {
  const { url, q, asked } = props;
  const chosen = FIGURES.find(({ name }) => name === url.searchParams.get("chart")) ?? FIGURES[0];
  return (
    <Panel
      title={chosen.label}
      note={asked.answer ? stepWords(asked.answer.step_s, chosen.name) : ""}
      actions={
        <span class="segmented" role="group" aria-label="What the chart shows">
          {FIGURES.map(({ name, label }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === chosen.name}
              onClick={() => {
                setParameter(url, "chart", name === "time" ? null : name, "replace");
              }}
            >
              {label}
            </button>
          ))}
        </span>
      }
    >
      <Answered asked={asked} lines={6}>
        {(series) => <SeriesChart series={series} figure={chosen.name} url={url} q={q} />}
      </Answered>
    </Panel>
  );
}

function stepWords(step: number, figure: FigureName): string {
  const of = step >= 86_400 ? "day" : "hour";
  if (figure === "requests" || figure === "errors") return `in each ${of}`;
  if (figure === "time") return `of a request, by ${of}`;
  return `of a request on average, by ${of}`;
}

function SeriesChart(props: { series: Series; figure: FigureName; url: URL; q: string }): JSX.Element {
  const { series, figure, url, q } = props;
  const { points, releases, step_s: step } = series;
  const times = useMemo(() => points.map(({ time_s }) => time_s), [points]);
  const lines = useMemo(() => linesOf(points, figure), [points, figure]);
  const marks = useMemo(() => marksOf(releases, times), [releases, times]);
  const text = FIGURES.find(({ name }) => name === figure)?.text ?? format.count;
  if (points.length === 0) return <Nothing title="No run is in this selection." />;
  if (points.length === 1) return <Nothing title="A chart takes runs of two hours or days." />;
  if (lines.every(({ values }) => values.every((value) => value === null)))
    return <Nothing title="No run of this selection measured it." />;
  return (
    <>
      <Chart
        title={FIGURES.find(({ name }) => name === figure)?.label ?? ""}
        times={times}
        lines={lines}
        text={text}
        marks={marks}
        onRange={(from, to) => {
          setParameter(url, "q", inRange(filterOf(url), from, to));
        }}
        onPoint={(time) => {
          navigate(address("/runs", { q: inRange(q, time, time + step), sort: "wall" }));
        }}
      />
      <p class="muted small chart-hint">Drag to look at a part of the time; click a point for its runs.</p>
    </>
  );
}

const HOUR = 3_600;

/** A filter with a range of time in the place of its own: the whole hours around it, of which the sums are. */
export function inRange(q: string, from: number, to: number): string {
  const [first, end] = [Math.floor(from / HOUR) * HOUR, Math.ceil(to / HOUR) * HOUR];
  return withValue(withValue(q, "since", isoOf(first)), "until", isoOf(end));
}

/** A moment as the filter reads it. */
export function isoOf(time: number): string {
  return new Date(time * 1000).toISOString().replace(".000Z", "Z");
}

function linesOf(points: readonly SeriesPoint[], figure: FigureName): Line[] {
  const of = (label: string, colour: string, value: (point: SeriesPoint) => number | null, isBold = false): Line => ({
    label,
    colour,
    isBold,
    values: points.map(value),
  });
  switch (figure) {
    case "time":
      return [
        of("p50", "--line-2", ({ p50 }) => p50),
        of("p95", "--accent", ({ p95 }) => p95, true),
        of("p99", "--line-3", ({ p99 }) => p99),
      ];
    case "requests":
      return [of("requests", "--accent", ({ requests }) => requests, true)];
    case "errors":
      return [of("failed runs", "--bad", ({ failed }) => failed, true)];
    case "memory":
      return [of("peak", "--accent", ({ peak }) => peak, true)];
    case "sql":
      return [of("statements", "--accent", ({ sql }) => sql, true)];
    case "cpu":
      return [of("CPU time", "--accent", ({ cpu }) => cpu, true)];
  }
}

/**
 * Releases that began while the chart runs; with their applications, where there are several. One that began within
 * the last step stands at its point, where the chart ends.
 */
export function marksOf(releases: readonly ReleaseInfo[], times: readonly number[]): { time: number; label: string }[] {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const hasApps = releases.some(({ app }) => app !== releases[0]?.app);
  return releases
    .filter(({ first_s, release }) => release !== "" && first_s > first)
    .map(({ first_s, release, app }) => ({
      time: Math.min(first_s, last),
      label: hasApps ? `${app} ${release}` : release,
    }))
    .sort((a, b) => a.time - b.time);
}
