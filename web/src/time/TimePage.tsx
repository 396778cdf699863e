/** When things happened; a dragged range becomes what all views show. */
import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import { useMoving } from "../canvas/moving";
import { Below } from "../flame/Below";
import * as format from "../format";
import { CodeLegend } from "../parts/CodeLegend";
import { Menu, Search } from "../parts/controls";
import { EditorLink } from "../parts/EditorLink";
import { FunctionLink, Go } from "../parts/links";
import { useSize } from "../parts/size";
import { Empty, Show } from "../parts/state";
import { firstAsked } from "../parts/windowing";
import type { TimeRange, Timeline } from "../types";
import { SpanStrip, Strip } from "./Strip";
import { MemoryTrack } from "./MemoryTrack";
import { pickedAt, TimeCanvas, type Picked } from "./TimeCanvas";

/** Rows are asked for in blocks, with one in advance on each side. */
const BLOCK = 50;

const COLOURINGS = [
  { value: "origin", title: "whose code it is" },
  { value: "class", title: "class or namespace" },
] as const;

export function TimePage(): JSX.Element {
  const { state, go } = useSession();
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const [first, setFirst] = useState(0);
  const end = useAnswer(state.part === null ? null : { ask: "timeline", width: 1, rows: 0 }, {}).answer?.end;
  const part = end !== undefined && state.part !== null && state.part.from >= end ? null : state.part;
  const wide = Math.ceil(width / 64) * 64;
  const isReady = width > 0;
  // Of the whole profile: the range is marked in it.
  const asked = useAnswer(
    isReady
      ? {
          ask: "timeline",
          range: part,
          width: wide,
          minWidth: 1.5,
          firstRow: first,
          rows: BLOCK * 4,
          search: state.search,
        }
      : null,
    {},
  );
  const whole = useAnswer(isReady ? { ask: "timeline", width: wide, minWidth: 2, rows: 60 } : null, {});
  const onRows = useCallback((row: number) => {
    setFirst(firstAsked(row, BLOCK));
  }, []);
  return (
    <section class="time" aria-label="Time order">
      <div class="toolbar" hidden={asked.failure !== null}>
        <Search />
        <Menu
          label="Colours"
          value={state.colouring === "class" ? "class" : "origin"}
          options={COLOURINGS}
          onChange={(colouring) => {
            go({ colouring });
          }}
        />
        <button
          type="button"
          disabled={state.part === null}
          onClick={() => {
            go({ part: null });
          }}
        >
          Whole time
        </button>
        {state.range === null ? null : (
          <>
            <button
              type="button"
              onClick={() => {
                go({ part: state.range });
              }}
            >
              Zoom to the range
            </button>
            <Go to={{ page: "flame", zoom: [], selected: null }} class="button">
              Flame graph of the range
            </Go>
            <Go to={{ page: "functions" }} class="button">
              Functions of the range
            </Go>
          </>
        )}
      </div>
      {asked.failure === null && state.search === "" && state.colouring !== "class" ? <CodeLegend scope={{}} /> : null}
      <div class="flame-measure" ref={frame} />
      <Show asked={asked}>
        {(timeline) =>
          timeline.end === 0 || timeline.rows.length === 0 ? (
            <Empty title="No call is in this profile." />
          ) : (
            <Shown timeline={timeline} whole={whole.answer ?? timeline} onRows={onRows} />
          )
        }
      </Show>
    </section>
  );
}

function Shown(props: { timeline: Timeline; whole: Timeline; onRows: (first: number) => void }): JSX.Element {
  const { timeline, whole } = props;
  const { state, summary, go } = useSession();
  const [selected, setSelected] = useState<(Picked & { fn: number | null; title: string }) | null>(null);
  // Moves at once; the address, and with it the engine, follows when it rests.
  // A part of another file's address may lie behind this one's end.
  const isInside = state.part !== null && state.part.from < timeline.end;
  const wanted = isInside && state.part !== null ? state.part : { from: 0, to: Math.max(1, timeline.end) };
  const [moving, setMoving] = useMoving<TimeRange>({
    subject: JSON.stringify(state.part),
    restMs: 60,
    onRest: (rested) => {
      go({ part: rested.from === 0 && rested.to >= timeline.end ? null : rested }, "replace");
    },
  });
  const part = moving ?? wanted;
  const titleOf = (picked: Picked): string =>
    picked.name < 0 ? format.counted(picked.joined, "short call") : (timeline.names[picked.name]?.name ?? "");
  const complete = (picked: Picked) => ({
    ...picked,
    fn: timeline.names[picked.name]?.function ?? null,
    title: titleOf(picked),
  });
  useEffect(() => {
    // From the address: by a link, or by going back.
    const { call } = state;
    if (call === null) setSelected(null);
    else if (selected?.row !== call.row || selected.start !== call.start) {
      const place = timeline.boxes.start.findIndex(
        (start, at) => start === call.start && timeline.boxes.row[at] === call.row,
      );
      if (place >= 0) setSelected(complete(pickedAt(timeline, place)));
    }
  }, [state.call?.row, state.call?.start, timeline]);
  const describe = (picked: Picked): string =>
    `${format.middle(titleOf(picked), 200)} · ${format.time(picked.duration)} · from ${format.time(picked.start)}`;
  return (
    <div class="flame-grid">
      <div class="flame-main">
        <Strip
          whole={whole}
          part={part}
          onPart={(next) => {
            setMoving(null);
            go({ part: next });
          }}
        />
        <TimeCanvas
          timeline={timeline}
          part={part}
          range={state.range}
          isSearching={state.search !== ""}
          colouring={state.colouring === "class" ? "class" : "origin"}
          only={state.only}
          selected={selected}
          describe={describe}
          onSelect={(picked) => {
            setSelected(picked && complete(picked));
            go({ call: picked && { row: picked.row, start: picked.start } }, "replace");
          }}
          onPart={(next) => {
            setMoving(next);
            if (next === null) go({ part: null });
          }}
          onRange={(range) => {
            go({ range });
          }}
          onRows={props.onRows}
          level={state.level}
          onLevel={(level) => {
            go({ level }, "replace");
          }}
        />
        {summary.metrics.includes("memory") && summary.shape === "events" ? <MemoryTrack part={part} /> : null}
        <SpanStrip
          timeline={timeline}
          part={part}
          onOpen={() => {
            go({ page: "spans" });
          }}
        />
        <Below fn={selected?.fn ?? null} />
      </div>
      <aside class="details" aria-label="Details">
        {selected === null ? (
          <>
            <h2>Details</h2>
            <p class="muted">Select a call to see when it ran and for how long.</p>
            {timeline.rows.some((row) => row.lane > 0) ? <p class="muted">Lines part the stacks of fibers.</p> : null}
          </>
        ) : (
          <>
            <h2 class="details-name">
              {selected.fn === null ? (
                <bdi>{selected.title}</bdi>
              ) : (
                <FunctionLink fn={selected.fn} name={selected.title} />
              )}
            </h2>
            <dl class="facts">
              <dt>took</dt>
              <dd>
                <strong>{format.time(selected.duration)}</strong>
              </dd>
              <dt>of all</dt>
              <dd>{format.share(selected.duration, timeline.end)}</dd>
              <dt>from</dt>
              <dd>{format.time(selected.start)}</dd>
              <dt>to</dt>
              <dd>{format.time(selected.start + selected.duration)}</dd>
              <dt>depth</dt>
              <dd>{format.count(timeline.rows[selected.row]?.depth ?? 0)}</dd>
            </dl>
            <p class="actions">
              <button
                type="button"
                disabled={selected.duration === 0}
                onClick={() => {
                  go({ range: { from: selected.start, to: selected.start + selected.duration } });
                }}
              >
                Limit all views to it
              </button>
              {selected.fn === null ? null : <EditorOf fn={selected.fn} />}
              {selected.fn === null ? null : (
                <Go to={{ page: "sandwich", fn: selected.fn }} class="button">
                  Sandwich
                </Go>
              )}
            </p>
          </>
        )}
      </aside>
    </div>
  );
}

function EditorOf(props: { fn: number }): JSX.Element {
  const { answer } = useAnswer({ ask: "function", function: props.fn });
  return <EditorLink file={answer?.file ?? null} line={answer?.line ?? 0} />;
}
