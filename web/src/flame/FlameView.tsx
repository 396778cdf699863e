/** A flame graph with all that belongs to it: toolbar, minimap, breadcrumbs, details. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isForeign } from "../app/keys";
import { scopeOf, useAnswer, useSession } from "../app/session";
import type { Colouring, FlameArrangement } from "../app/state";
import { useIsDark } from "../app/theme";
import { boxFills, legend } from "../canvas/colours";
import { useMoving } from "../canvas/moving";
import * as format from "../format";
import { CodeLegend } from "../parts/CodeLegend";
import { Choice, Menu, MetricMenu, Search } from "../parts/controls";
import { useSize } from "../parts/size";
import { Empty, Show } from "../parts/state";
import { shortTitle } from "../parts/links";
import type { Flame } from "../types";
import { Below } from "./Below";
import { Boxes, NONE } from "./boxes";
import { BoxMenu, type MenuOf } from "./BoxMenu";
import { BoxTip } from "./BoxTip";
import { Details } from "./Details";
import { FlameCanvas } from "./FlameCanvas";
import { FlameText } from "./FlameText";
import { Minimap } from "./Minimap";
import { ALL, isAll, transform, type FlameView as FlameViewport } from "./viewport";

const ARRANGEMENTS: readonly { value: FlameArrangement; title: string }[] = [
  { value: "called", title: "As called" },
  { value: "leftHeavy", title: "Left heavy" },
  { value: "inverted", title: "Inverted" },
];

const COLOURINGS: readonly { value: Colouring; title: string }[] = [
  { value: "origin", title: "whose code it is" },
  { value: "class", title: "class or namespace" },
  { value: "own", title: "self cost" },
  { value: "calls", title: "calls" },
];

/** What the first answer of a page is for; `engine/first.json` has it, too. Fewer boxes keep the page small. */
const FIRST = { width: 1536, minWidth: 3 };

export function FlameView(): JSX.Element {
  const session = useSession();
  const { engine, state, metric, isComparison } = session;
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const common = { ask: "flame", arrangement: { by: state.arrangement }, metric, search: state.search } as const;
  // Asked for a width in steps, so that dragging the window's border does not
  // ask for every pixel; what is drawn is stretched to the rest.
  const wide = Math.ceil(width / 64) * 64;
  const asked = useAnswer(
    width === 0 ? null : { ...common, zoom: [...state.zoom], view: state.view, width: wide, minWidth: 1.5 },
  );
  const whole = useAnswer(
    width === 0 || (state.zoom.length === 0 && state.view === null)
      ? null
      : { ...common, zoom: [], width: wide, minWidth: 3 },
  );
  // The widest boxes, until those of this window are there.
  const early = engine.known({ ...common, zoom: [...state.zoom], view: state.view, ...FIRST }, scopeOf(state));
  const isEarly = asked.answer === null && early !== undefined;
  const shown = isEarly ? { ...asked, answer: early } : asked;
  const colouring = state.colouring ?? (isComparison ? "difference" : "origin");
  return (
    <section class="flame-view" aria-label="Flame graph">
      <Toolbar colouring={colouring} />
      <div class="flame-measure" ref={frame} />
      <Show asked={shown}>
        {(flame) =>
          flame.boxes.row.length <= 1 && flame.zoom.total <= 0 ? (
            <Empty
              title={`Nothing of this profile cost any ${format.metricTitle(metric, session.unit).toLowerCase()}.`}
            >
              <p>Choose another metric above.</p>
            </Empty>
          ) : (
            <Graph
              flame={flame}
              whole={whole.answer ?? flame}
              colouring={colouring}
              busy={asked.busy}
              isEarly={isEarly}
            />
          )
        }
      </Show>
    </section>
  );
}

function Toolbar(props: { colouring: Colouring }): JSX.Element {
  const { state, isComparison, go } = useSession();
  const colourings = isComparison ? [...COLOURINGS, { value: "difference" as const, title: "difference" }] : COLOURINGS;
  return (
    <div class="toolbar">
      <Choice
        label="Arrangement"
        value={state.arrangement}
        options={ARRANGEMENTS}
        onChange={(arrangement) => {
          go({ arrangement, zoom: [], selected: null });
        }}
      />
      <MetricMenu />
      <Menu
        label="Colours"
        value={props.colouring}
        options={colourings}
        onChange={(colouring) => {
          go({ colouring });
        }}
      />
      <button
        type="button"
        aria-pressed={state.upwards}
        onClick={() => {
          go({ upwards: !state.upwards });
        }}
        title="Whether callers stand below callees, as flames, or above"
      >
        Upwards
      </button>
      <button
        type="button"
        aria-pressed={state.asText}
        onClick={() => {
          go({ asText: !state.asText });
        }}
        title="Boxes as lines of text (t)"
      >
        As text
      </button>
    </div>
  );
}

function Graph(props: {
  flame: Flame;
  whole: Flame;
  colouring: Colouring;
  busy: boolean;
  isEarly: boolean;
}): JSX.Element {
  const { flame, whole, colouring } = props;
  const { state, metric, unit, go } = useSession();
  const isDark = useIsDark();
  const isSearching = state.search !== "";
  const boxes = useMemo(() => new Boxes(flame), [flame]);
  const wholeBoxes = useMemo(() => (whole === flame ? boxes : new Boxes(whole)), [whole, boxes]);
  const only = state.only.join(".");
  const fills = useMemo(
    () => boxFills(flame, colouring, isSearching, isDark, state.only),
    [flame, colouring, isSearching, isDark, only],
  );
  const wholeFills = useMemo(
    () => (whole === flame ? fills : boxFills(whole, colouring, isSearching, isDark, state.only)),
    [whole, fills],
  );
  const found = useMemo(() => boxes.found(), [boxes]);
  const isZoomed = state.zoom.length > 0 || state.view !== null;
  const foundInAll = useMemo(
    () => (isZoomed ? wholeBoxes.found().length : found.length),
    [wholeBoxes, found, isZoomed],
  );
  const [menu, setMenu] = useState<MenuOf | null>(null);
  const selected = boxes.selected(state);

  // The boxes of another graph come later than its address.
  const subject = JSON.stringify([state.arrangement, metric, state.zoom, state.upwards]);
  const settled = useRef(subject);
  if (!props.busy) settled.current = subject;

  // Moves at once; the address, and with it the engine, follows when it rests.
  const [moving, setMoving] = useMoving<FlameViewport>({
    subject: JSON.stringify([state.view, state.zoom, state.arrangement]),
    restMs: 80,
    onRest: (rested) => {
      go({ view: isAll(rested) ? null : rested }, "replace");
    },
  });
  const view = moving ?? state.view ?? ALL;

  const select = (place: number): void => {
    go(boxes.address(place), "replace");
  };
  const zoomTo = (path: readonly number[]): void => {
    setMoving(null);
    go({ zoom: path, selected: path.length === 0 ? state.selected : path });
  };
  const zoom = (place: number): void => {
    // Joined boxes have no box of their own: their caller becomes as wide as can be.
    const path = boxes.path(place) ?? boxes.path(boxes.parent(place));
    if (path !== null) zoomTo(path);
  };
  const zoomOut = (all: boolean): void => {
    // What was on its way to the address must not arrive after this.
    setMoving(null);
    const isPart = moving !== null || state.view !== null;
    if (all) go({ zoom: [], view: null });
    else if (isPart) go({ view: null });
    else if (state.zoom.length > 0) go({ zoom: state.zoom.slice(0, -1) });
  };
  const match = (step: 1 | -1): void => {
    if (found.length === 0) return;
    const at = found.indexOf(selected);
    const next = at < 0 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
    select(found[next] ?? NONE);
  };
  const costs = (place: number): string => {
    const { value, calls, base } = boxes.flame.boxes;
    const amount = value[place] ?? 0;
    const before = base[place];
    const difference =
      before === undefined ? "" : ` · ${format.signedCost(amount - before, metric, unit)} since the base`;
    const cost = `${format.cost(amount, metric, unit)} · ${format.share(amount, flame.zoom.total)}${difference}`;
    return metric === "calls" || (calls[place] ?? 0) === 0
      ? cost
      : `${cost} · ${format.counted(calls[place] ?? 0, "call")}`;
  };
  /** Of a wide box: share and time, or the share alone. */
  const shortCosts = (place: number): readonly string[] => {
    const amount = boxes.flame.boxes.value[place] ?? 0;
    const share = format.share(amount, flame.zoom.total);
    return [`${share} · ${format.cost(amount, metric, unit)}`, share];
  };
  const describe = (place: number): string => `${format.middle(boxes.name(place), 200)} · ${costs(place)}`;

  useEffect(() => {
    const toggle = (event: KeyboardEvent): void => {
      const isInside = event.target instanceof HTMLElement && event.target.closest("main") !== null;
      if (event.key !== "t" || isForeign(event) || !isInside) return;
      go({ asText: !state.asText });
      event.preventDefault();
    };
    addEventListener("keydown", toggle);
    return () => {
      removeEventListener("keydown", toggle);
    };
  }, [state.asText, go]);

  // The same elements while the graph moves: they are not computed again for each frame.
  const legendPart = useMemo(
    () => <Legend colouring={colouring} isSearching={isSearching} />,
    [colouring, isSearching],
  );
  const shownFn = boxes.fn(selected === NONE ? boxes.find(state.zoom) : selected);
  const below = useMemo(() => <Below fn={shownFn} />, [shownFn]);

  const label = `Flame graph, ${format.counted(boxes.count, "box", "boxes")}`;
  return (
    <div class="flame-grid" aria-busy={props.busy}>
      <div class="flame-main">
        <div class="flame-bar">
          <Search
            onMatch={match}
            visible={found.length}
            outside={foundInAll - found.length}
            onShowAll={() => {
              zoomOut(true);
            }}
          />
          {legendPart}
        </div>
        <Minimap
          boxes={wholeBoxes}
          fills={wholeFills}
          zoom={state.zoom}
          view={view}
          upwards={state.upwards}
          onZoom={zoomTo}
          onView={(next) => {
            if (state.zoom.length > 0) go({ zoom: [], view: next });
            else setMoving(next);
          }}
        />
        {isZoomed || moving !== null ? (
          <Breadcrumbs
            boxes={boxes}
            zoom={state.zoom}
            onZoom={zoomTo}
            onReset={() => {
              zoomOut(true);
            }}
          />
        ) : null}
        {flame.truncated ? <p class="note">More boxes than can be drawn: zoom in to see the rest.</p> : null}
        {state.asText ? (
          <FlameText
            boxes={boxes}
            label={label}
            selected={selected}
            costs={costs}
            onSelect={select}
            onZoom={zoom}
            onZoomOut={zoomOut}
            onMatch={match}
          />
        ) : (
          <FlameCanvas
            boxes={boxes}
            label={label}
            upwards={state.upwards}
            fills={fills}
            selected={selected}
            describe={describe}
            onSelect={select}
            onZoom={zoom}
            onZoomOut={zoomOut}
            onMatch={match}
            view={view}
            onView={setMoving}
            transform={(size) => transform(flame.view, flame.width, view, size)}
            tip={(place) => <BoxTip boxes={boxes} place={place} />}
            costs={(place) => shortCosts(place)}
            onMenu={(place, at) => {
              setMenu({ place, at });
            }}
            sign={(place) => (colouring === "difference" ? signOf(flame, place) : "")}
            // The graph that came with the page has other rows: it is no place to remember.
            subject={props.isEarly ? `early ${settled.current}` : settled.current}
            level={state.level}
            onLevel={
              settled.current === subject && !props.isEarly
                ? (level) => {
                    go({ level }, "replace");
                  }
                : undefined
            }
          />
        )}
        {below}
      </div>
      {menu === null ? null : (
        <BoxMenu
          boxes={boxes}
          menu={menu}
          isInverted={state.arrangement === "inverted"}
          onFocus={zoom}
          onShowAll={
            isZoomed
              ? () => {
                  zoomOut(true);
                }
              : undefined
          }
          onClose={() => {
            setMenu(null);
          }}
        />
      )}
      <Details
        boxes={boxes}
        place={selected === NONE ? boxes.find(state.zoom) : selected}
        isHint={selected === NONE}
        onZoom={zoom}
        onZoomTo={zoomTo}
      />
    </div>
  );
}

/** Whether a box became more or less. */
function signOf(flame: Flame, place: number): string {
  const value = flame.boxes.value[place] ?? 0;
  const base = flame.boxes.base[place] ?? value;
  return value > base ? "+ " : value < base ? "− " : "";
}

function Legend(props: { colouring: Colouring; isSearching: boolean }): JSX.Element | null {
  const isDark = useIsDark();
  if (props.isSearching) return null;
  if (props.colouring === "origin") return <CodeLegend />;
  return (
    <ul class="legend" aria-label="What the colours mean">
      {legend(props.colouring, isDark).map((entry, at) => (
        <li key={at}>
          <span class="swatch" style={{ background: entry.fill }} />
          {entry.title}
        </li>
      ))}
    </ul>
  );
}

/** The last so many steps of the path that is zoomed into. */
const MOST_CRUMBS = 5;

function Breadcrumbs(props: {
  boxes: Boxes;
  zoom: readonly number[];
  onZoom: (path: readonly number[]) => void;
  onReset: () => void;
}): JSX.Element {
  const { boxes, zoom } = props;
  const hidden = Math.max(0, zoom.length - MOST_CRUMBS);
  const name = (end: number): string => {
    const place = boxes.find(zoom.slice(0, end));
    return place === NONE ? "…" : boxes.name(place);
  };
  return (
    <nav class="crumbs" aria-label="Zoomed into">
      <button type="button" class="reset" title="Show the whole graph (0)" onClick={props.onReset}>
        Show all
      </button>
      {hidden > 0 ? <span class="muted">… {format.counted(hidden, "caller")} …</span> : null}
      {zoom.slice(hidden).map((_, at) => {
        const end = hidden + at + 1;
        const text = name(end);
        return end === zoom.length ? (
          <span key={end} class="crumb" aria-current="location" title={shortTitle(text)}>
            <bdi>{format.middle(text, 48)}</bdi>
          </span>
        ) : (
          <button
            key={end}
            type="button"
            title={shortTitle(text)}
            onClick={() => {
              props.onZoom(zoom.slice(0, end));
            }}
          >
            <bdi>{format.middle(text, 32)}</bdi>
          </button>
        );
      })}
    </nav>
  );
}
