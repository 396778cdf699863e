/** One function: its callers above, what it calls below. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import type { ViewState } from "../app/state";
import { useIsDark } from "../app/theme";
import { boxFills } from "../canvas/colours";
import { shortName } from "../canvas/paint";
import { Boxes, NONE } from "../flame/boxes";
import { Details } from "../flame/Details";
import { FlameCanvas } from "../flame/FlameCanvas";
import * as format from "../format";
import { MetricMenu, TextField } from "../parts/controls";
import { Go, shortTitle } from "../parts/links";
import { useSize } from "../parts/size";
import { Busy, Empty, Show } from "../parts/state";
import type { MetricName, Unit } from "../types";

export function SandwichPage(): JSX.Element {
  const { state, metric, go } = useSession();
  const list = useAnswer({ ask: "functions", filter: state.filter, sort: { by: "inclusive", metric }, rows: 200 });
  // Without a choice, the function with the greatest own cost is of interest.
  const top = useAnswer(state.fn === null ? { ask: "functions", sort: { by: "own", metric }, rows: 1 } : null);
  const fn = state.fn ?? top.answer?.rows[0]?.function ?? null;
  if (list.answer?.of === 0)
    return <Empty title={state.range === null ? "No function was called." : "There is no function in this range."} />;
  return (
    <section class="sandwich" aria-label="Sandwich">
      <div class="picker">
        <div class="toolbar">
          <TextField
            label="Find a function"
            value={state.filter}
            onChange={(filter) => {
              go({ filter }, "replace");
            }}
          />
          <MetricMenu />
        </div>
        <Show asked={list}>
          {(table) =>
            table.rows.length === 0 ? (
              <Empty title="No function matches." />
            ) : (
              <ul class="picker-list" aria-label="Functions">
                {table.rows.map((row) => (
                  <li key={row.function}>
                    <Go
                      to={{ fn: row.function, selected: null, half: null }}
                      class={row.function === fn ? "picked" : ""}
                      title={shortTitle(row.name)}
                      current={row.function === fn}
                    >
                      <span class="line-share">{format.share(row.inclusive[metric], table.total[metric])}</span>
                      <span class="ending">
                        <bdi>{format.middle(shortName(row.name), 80)}</bdi>
                      </span>
                    </Go>
                  </li>
                ))}
                {table.matches > table.rows.length ? (
                  <li class="muted">{format.count(table.matches - table.rows.length)} more: type to find them</li>
                ) : null}
              </ul>
            )
          }
        </Show>
      </div>
      {fn === null ? <Busy /> : <Halves fn={fn} />}
    </section>
  );
}

function Halves(props: { fn: number }): JSX.Element {
  const { metric, state, unit, go } = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const common = {
    ask: "flame",
    metric,
    width: Math.ceil(width / 64) * 64,
    minWidth: 1.5,
    search: state.search,
  } as const;
  const isReady = width > 0;
  const callers = useAnswer(isReady ? { ...common, arrangement: { by: "callers", function: props.fn } } : null);
  const callees = useAnswer(isReady ? { ...common, arrangement: { by: "callees", function: props.fn } } : null);
  const upper = useMemo(() => callers.answer && new Boxes(callers.answer), [callers.answer]);
  const lower = useMemo(() => callees.answer && new Boxes(callees.answer), [callees.answer]);
  const selected = pickedOf(state.half === "callers" ? upper : state.half === "callees" ? lower : null, state);
  const setSelected = (picked: Picked | null): void => {
    if (picked === null) go({ selected: null, half: null }, "replace");
    else go({ ...picked.boxes.address(picked.place), half: picked.boxes === upper ? "callers" : "callees" }, "replace");
  };
  const [hovered, setHovered] = useState<Picked | null>(null);
  const isShown = (picked: Picked | null): picked is Picked =>
    picked !== null && (picked.boxes === upper || picked.boxes === lower);
  const told = isShown(hovered) ? hovered : isShown(selected) ? selected : null;
  const half = { fn: props.fn, selected, onSelect: setSelected, onHover: setHovered };
  return (
    <div class="halves">
      <div class="halves-main">
        <div class="flame-measure" ref={frame} />
        <Show asked={callers}>
          {() =>
            upper ? <Half {...half} boxes={upper} upwards title="Callers" empty="No function calls it." /> : null
          }
        </Show>
        {callers.failure ? null : (
          <Show asked={callees}>
            {() =>
              lower ? (
                <Half {...half} boxes={lower} upwards={false} title="Callees" empty="It calls no function." />
              ) : null
            }
          </Show>
        )}
        {callers.answer === null ? null : (
          <div class="flame-status framed" aria-hidden="true">
            <bdi>
              {told === null
                ? "Click: details. Double click: the sandwich of that function."
                : describe(told, metric, unit)}
            </bdi>
          </div>
        )}
      </div>
      {isShown(selected) ? (
        <Details boxes={selected.boxes} place={selected.place} whole="of this function" />
      ) : lower ? (
        <Details boxes={lower} place={lower.count > 0 ? 0 : NONE} whole="of this function" />
      ) : null}
    </div>
  );
}

interface Picked {
  readonly boxes: Boxes;
  readonly place: number;
}

function describe({ boxes, place }: Picked, metric: MetricName, unit: Unit): string {
  const value = boxes.flame.boxes.value[place] ?? 0;
  return `${format.middle(boxes.name(place), 200)} · ${format.cost(value, metric, unit)} · ${format.share(value, boxes.flame.zoom.total)} of this function`;
}

/** The box that the address says, if there is one. */
function pickedOf(boxes: Boxes | null, state: ViewState): Picked | null {
  if (boxes === null) return null;
  const place = boxes.selected(state);
  return place === NONE ? null : { boxes, place };
}

function Half(props: {
  boxes: Boxes;
  upwards: boolean;
  title: string;
  empty: string;
  fn: number;
  selected: Picked | null;
  onSelect: (selected: Picked | null) => void;
  onHover: (hovered: Picked | null) => void;
}): JSX.Element {
  const { boxes } = props;
  const { flame } = boxes;
  const { state, metric, unit, isComparison, go } = useSession();
  const isDark = useIsDark();
  const colouring = state.colouring ?? (isComparison ? "difference" : "origin");
  const fills = useMemo(
    () => boxFills(flame, colouring, state.search !== "", isDark),
    [flame, colouring, state.search, isDark],
  );
  const rows = boxes.rows.length;
  const picked = (place: number): Picked | null => (place === NONE ? null : { boxes, place });
  return (
    <section class="half" aria-label={props.title}>
      <h2 class="half-title">
        {props.title} {rows <= 1 ? <span class="muted">{props.empty}</span> : null}
      </h2>
      <FlameCanvas
        boxes={boxes}
        label={`${props.title}, ${format.counted(boxes.count, "box", "boxes")}`}
        upwards={props.upwards}
        fills={fills}
        selected={props.selected?.boxes === boxes ? props.selected.place : NONE}
        describe={(place) => describe({ boxes, place }, metric, unit)}
        onSelect={(place) => {
          props.onSelect(picked(place));
        }}
        onHover={(place) => {
          props.onHover(picked(place));
        }}
        onZoom={(place) => {
          const next = boxes.fn(place);
          if (next !== null) go({ fn: next, selected: null, half: null });
        }}
        startsAtRoot
        isBare
        subject={`${props.fn} ${metric}`}
      />
    </section>
  );
}
