/** The callers of a function above, what it calls below. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import type { ViewState } from "../app/state";
import { useIsDark } from "../app/theme";
import { boxFills } from "../canvas/colours";
import * as format from "../format";
import { useSize } from "../parts/size";
import { Show } from "../parts/state";
import type { MetricName, Unit } from "../types";
import { Below } from "./Below";
import { Boxes, NONE } from "./boxes";
import { BoxMenu, type MenuOf } from "./BoxMenu";
import { BoxTip } from "./BoxTip";
import { Details } from "./Details";
import { FlameCanvas, isTouch } from "./FlameCanvas";

/** `isSmall`: without details, for a page that has them. */
export function Halves(props: { fn: number; isSmall?: boolean }): JSX.Element {
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
    <div class={props.isSmall === true ? "halves small" : "halves"}>
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
                ? isTouch()
                  ? "Tap: details. Tap twice: that function. Hold: menu."
                  : "Click: details. Double click: that function. Right click or m: menu."
                : describe(told, metric, unit)}
            </bdi>
          </div>
        )}
        {props.isSmall === true ? null : (
          <Below fn={isShown(selected) ? selected.boxes.fn(selected.place) : props.fn} />
        )}
      </div>
      {props.isSmall === true ? null : isShown(selected) ? (
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
    () => boxFills(flame, colouring, state.search !== "", isDark, state.only),
    [flame, colouring, state.search, isDark, state.only.join(".")],
  );
  const rows = boxes.rows.length;
  const [menu, setMenu] = useState<MenuOf | null>(null);
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
        tip={(place) => <BoxTip boxes={boxes} place={place} />}
        costs={(place) => {
          const amount = flame.boxes.value[place] ?? 0;
          const share = format.share(amount, flame.zoom.total);
          return [`${share} · ${format.cost(amount, metric, unit)}`, share];
        }}
        onMenu={(place, at) => {
          setMenu({ place, at });
        }}
        startsAtRoot
        isBare
        subject={`${props.fn} ${metric}`}
      />
      {menu === null ? null : (
        <BoxMenu
          boxes={boxes}
          menu={menu}
          isInverted={props.upwards}
          onClose={() => {
            setMenu(null);
          }}
        />
      )}
    </section>
  );
}
