/** What changed, over time: asked for when it is opened. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Found, FunctionOfRuns, Series } from "../api/generated";
import { useApi } from "../api/useApi";
import { Chart } from "../chart/Chart";
import * as format from "../format";
import { Answered } from "../shell/states";
import { seriesOf, seriesPath } from "./series";
import { measureTitle } from "./words";

export function FindingChart(props: { found: Found; isOpen: boolean }): JSX.Element | null {
  const { found } = props;
  const [isOpen, setOpen] = useState(props.isOpen);
  const path = seriesPath(found);
  if (path === null) return null;
  const route = found.places[0]?.route;
  return (
    <details
      class="finding-chart"
      open={isOpen}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>Over time{found.places.length === 1 || route === undefined ? "" : `, on ${route}`}</summary>
      {isOpen ? <Drawn found={found} path={path} /> : null}
    </details>
  );
}

function Drawn(props: { found: Found; path: string }): JSX.Element {
  const asked = useApi<Series | FunctionOfRuns>(props.path);
  return <Answered asked={asked}>{(answer) => <Lines found={props.found} answer={answer} />}</Answered>;
}

const COLOURS = ["--accent", "--muted"];

function Lines(props: { found: Found; answer: Series | FunctionOfRuns }): JSX.Element {
  const { found, answer } = props;
  const { times, lines, marks } = useMemo(() => {
    const drawn = seriesOf(found, answer);
    return {
      ...drawn,
      lines: drawn.lines.map((line, at) => ({ ...line, colour: COLOURS[at] ?? "--muted", isBold: at === 0 })),
    };
  }, [found, answer]);
  const text = found.is_memory ? format.bytes : found.measure === "calls" ? format.count : format.time;
  return (
    <Chart title={measureTitle(found.measure)} times={times} lines={lines} marks={marks} text={text} height={180} />
  );
}
