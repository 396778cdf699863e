/** Figures over time, drawn by uPlot: values at the pointer, releases as marks, a range by dragging. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useIsDark } from "../app/theme";
import * as format from "../format";

export interface Line {
  label: string;
  /** A value for each time; null leaves a gap. */
  values: readonly (number | null)[];
  /** The name of a variable of the styles. */
  colour: string;
  isBold?: boolean;
}

export interface ChartProps {
  title: string;
  /** In seconds since 1970, ascending. */
  times: readonly number[];
  lines: readonly Line[];
  /** A value as text with its unit. */
  text: (value: number) => string;
  /** Moments that are marked. */
  marks?: readonly { time: number; label: string }[];
  height?: number;
  /** A range of time was dragged. */
  onRange?: (from: number, to: number) => void;
  /** The point at a time was clicked. */
  onPoint?: (time: number) => void;
  /** Charts of the same key show the same moment. */
  group?: string;
}

export function Chart(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const isDark = useIsDark();
  const { times, lines, marks, height = 220 } = props;
  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    let chart: uPlot | null = null;
    let isGone = false;
    const watcher = new ResizeObserver(() => {
      if (root.clientWidth > 0) chart?.setSize({ width: root.clientWidth, height });
    });
    // It reads the calendar of the reader's language when it begins, which takes 20 ms: not before the page is there.
    void import("uplot").then(({ default: Plot }) => {
      if (isGone) return;
      chart = new Plot(optionsOf(Plot, latest, root.clientWidth, height), dataOf(times, lines), root);
      watcher.observe(root);
    });
    return () => {
      isGone = true;
      watcher.disconnect();
      chart?.destroy();
    };
    // Colours are read when it is made.
  }, [times, lines, marks, height, isDark]);
  return <div ref={place} class="chart" role="img" aria-label={summaryOf(props)} />;
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
}

/** What the chart says, for who does not see it. */
function summaryOf({ title, lines, times, text }: ChartProps): string {
  const parts = lines.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    const last = known.at(-1);
    return last === undefined
      ? `${label}: no values`
      : `${label}: from ${text(Math.min(...known))} to ${text(Math.max(...known))}, last ${text(last)}`;
  });
  return `${title}, ${times.length} points. ${parts.join(". ")}`;
}

function optionsOf(Plot: typeof uPlot, latest: { current: ChartProps }, width: number, height: number): uPlot.Options {
  const { lines, times, text, group, marks = [] } = latest.current;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `11px ${style.getPropertyValue("--sans")}`;
  const axis = {
    stroke: colour("--muted"),
    font,
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const zone = zoneOf(times);
  return {
    width: Math.max(width, 100),
    height,
    ...(zone === undefined ? {} : { tzDate: (time: number) => Plot.tzDate(new Date(time * 1000), zone) }),
    padding: [18, 22, 0, 0],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      focus: { prox: 24 },
      ...(group === undefined ? {} : { sync: { key: group } }),
    },
    legend: { show: true, live: true },
    scales: { y: { range: (_, __, most) => [0, Math.max(most, 1e-9) * 1.08] } },
    axes: [
      {
        ...axis,
        size: (_, texts: readonly string[] | null) => (texts?.some((text) => text.includes("\n")) ? 42 : 26),
        space: 70,
        values: (_, splits, __, ___, step) => timeWords(splits, step, zone),
      },
      { ...axis, size: 64, space: 36, values: (_, splits) => splits.map((value) => text(value)) },
    ],
    series: [
      { label: "Time", value: (_, time: number | null) => momentOf(time ?? times.at(-1) ?? 0, zone) },
      ...lines.map(({ label, colour: name, isBold, values }) => ({
        label,
        stroke: colour(name),
        width: isBold ? 2 : 1.25,
        spanGaps: false,
        points: { show: latest.current.times.length < 40, size: 4 },
        // Without a pointer, the last moment's.
        value: (_: uPlot, value: number | null, __: number, at: number | null) => {
          const shown = at === null ? (values.at(-1) ?? null) : value;
          return shown === null ? "–" : text(shown);
        },
      })),
    ],
    hooks: {
      drawAxes: [
        (chart) => {
          drawMarks(chart, marks, colour("--muted"), font);
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < 4) return;
          const { onRange } = latest.current;
          const [from, to] = [chart.posToVal(left, "x"), chart.posToVal(left + wide, "x")];
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onRange?.(Math.floor(from), Math.ceil(to));
        },
      ],
      ready: [
        (chart) => {
          let pressedAt = 0;
          chart.over.addEventListener("pointerdown", (event) => {
            pressedAt = event.clientX;
          });
          chart.over.addEventListener("click", (event) => {
            const time = chart.data[0][chart.cursor.idx ?? -1];
            if (time !== undefined && Math.abs(event.clientX - pressedAt) < 4) latest.current.onPoint?.(time);
          });
          chart.over.classList.toggle("is-link", latest.current.onPoint !== undefined);
        },
      ],
    },
  };
}

/** Sums of a day are those of a day of UTC, whatever the reader's own calendar is. */
export function zoneOf(times: readonly number[]): format.Zone {
  return times.every((time) => time % 86_400 === 0) ? "UTC" : undefined;
}

/** The times of an axis: the day where it begins, and hours within it; in the reader's own calendar without a zone. */
function timeWords(times: readonly number[], step: number, zone: format.Zone): string[] {
  let before = "";
  return times.map((time) => {
    const day = format.day(time, zone);
    const year = step > 40 * 86_400 ? `\n${new Date(time * 1000).getFullYear()}` : "";
    const isNew = day !== before;
    before = day;
    if (step >= 86_400) return day + year;
    return isNew ? `${format.minute(time, zone)}\n${day}` : format.minute(time, zone);
  });
}

function drawMarks(
  chart: uPlot,
  marks: readonly { time: number; label: string }[],
  stroke: string,
  font: string,
): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.fillStyle = stroke;
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.font = font.replace("11px", `${11 * ratio}px`);
  // uPlot leaves those of an axis.
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  let free = bbox.left;
  for (const { time, label } of marks) {
    const x = Math.round(chart.valToPos(time, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const wide = ctx.measureText(label).width;
    // Of names that would cover each other, the first stands.
    const left = Math.min(x + 3 * ratio, bbox.left + bbox.width - wide);
    if (left < free) continue;
    ctx.fillText(label, left, bbox.top - 5 * ratio);
    free = left + wide + 6 * ratio;
  }
  ctx.restore();
}

/** The time of a point: sums of a day have no hour. */
export function momentOf(time: number, zone: format.Zone): string {
  const day = format.weekday(time, zone);
  return zone === undefined ? `${day}, ${format.minute(time)}` : day;
}
