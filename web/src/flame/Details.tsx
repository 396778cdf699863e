/** All of the selected box, beside the graph. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { EditorLink } from "../parts/EditorLink";
import { FunctionLink, FunctionName, Go, OriginTag, shortTitle } from "../parts/links";
import type { NeighbourRow } from "../types";
import { NONE, type Boxes } from "./boxes";

export function Details(props: {
  boxes: Boxes;
  place: number;
  onZoom?: (place: number) => void;
  onZoomTo?: (path: readonly number[]) => void;
  /** Nothing was selected: this is the box that fills the window. */
  isHint?: boolean;
  /** What the whole graph stands for. */
  whole?: string;
}): JSX.Element {
  const { boxes, place } = props;
  const { metric, unit, state } = useSession();
  const fn = place === NONE ? null : boxes.fn(place);
  const { answer: page } = useAnswer(fn === null ? null : { ask: "function", function: fn, metric });
  if (place === NONE) {
    return (
      <aside class="details" aria-label="Details">
        <h2>Details</h2>
        <p class="muted">Select a box to see what it cost, who calls it and what it calls.</p>
      </aside>
    );
  }
  const { value, own, calls, base, joined } = boxes.flame.boxes;
  const parent = boxes.parent(place);
  const name = boxes.name(place);
  const amount = value[place] ?? 0;
  const show = (number: number): string => format.cost(number, metric, unit);
  const before = base[place];
  const isJoined = (joined[place] ?? 1) > 1 || fn === null;
  return (
    <aside class="details" aria-label="Details">
      <h2 class="details-name">
        <bdi title={shortTitle(name)}>{name}</bdi>
      </h2>
      {isJoined ? <p class="muted">Neighbours that are too narrow to be drawn one by one.</p> : null}
      {boxes.levels(place) > 1 ? (
        <p class="muted">
          {boxes.functions(place) > 1 ? "They call each other in turn" : "Calls itself"}:{" "}
          {format.count(boxes.levels(place))} levels, one below the other, are one box.
        </p>
      ) : null}
      <dl class="facts">
        <dt>{format.graphMetricTitle(metric, unit)}</dt>
        <dd>
          <strong>{format.cost(amount, metric, unit)}</strong>
        </dd>
        <dt>{props.whole ?? "of all"}</dt>
        <dd>{format.share(amount, boxes.flame.zoom.total)}</dd>
        {parent === NONE ? null : (
          <>
            <dt>of the box above</dt>
            <dd>{format.share(amount, value[parent] ?? 0)}</dd>
          </>
        )}
        {isJoined || metric === "calls" || boxes.levels(place) > 1 ? null : (
          <>
            <dt>self</dt>
            <dd>{show(own[place] ?? 0)}</dd>
          </>
        )}
        {(calls[place] ?? 0) > 0 ? (
          <>
            <dt>calls</dt>
            <dd>{format.count(calls[place] ?? 0)}</dd>
          </>
        ) : null}
        {metric === "calls" || (calls[place] ?? 0) === 0 ? null : (
          <>
            <dt>per call</dt>
            <dd>{format.perCall(amount, calls[place] ?? 0, metric, unit)}</dd>
          </>
        )}
        {before === undefined ? null : (
          <>
            <dt>in the base</dt>
            <dd>{show(before)}</dd>
            <dt>difference</dt>
            <dd>
              {format.signedCost(amount - before, metric, unit)} (
              {format.change(before === 0 ? null : (amount - before) / before)})
            </dd>
          </>
        )}
        {page ? (
          <>
            <dt>part of</dt>
            <dd>
              <OriginTag row={page.row} />
            </dd>
          </>
        ) : null}
      </dl>
      {isJoined && props.onZoomTo ? <JoinedList boxes={boxes} place={place} onZoomTo={props.onZoomTo} /> : null}
      {fn === null ? null : (
        <p class="actions">
          {props.onZoom && props.isHint !== true ? (
            <button
              type="button"
              onClick={() => {
                props.onZoom?.(place);
              }}
            >
              Zoom in
            </button>
          ) : null}
          {state.page === "sandwich" && parent === NONE ? null : (
            <Go to={{ page: "sandwich", fn, selected: null, zoom: [] }} class="button">
              Sandwich
            </Go>
          )}
          <Go to={{ page: "function", fn, selected: null }} class="button">
            Function
          </Go>
          <button
            type="button"
            onClick={() => {
              void navigator.clipboard.writeText(name).catch(() => undefined);
            }}
          >
            Copy name
          </button>
        </p>
      )}
      {page?.file && fn !== null ? (
        <p class="where">
          <Go to={{ page: "source", fn, file: null }} title="Show the source">
            <bdi>{page.file}</bdi>
            {page.line > 0 ? `:${page.line}` : ""}
          </Go>{" "}
          <EditorLink file={page.file} line={page.line} />
        </p>
      ) : null}
      {page ? (
        <>
          <h3>All calls of it{metric === "memory" ? ", memory kept" : ""}</h3>
          <dl class="facts">
            <dt>inclusive</dt>
            <dd>
              {format.cost(page.row.inclusive[metric], metric, unit)} ·{" "}
              {format.share(page.row.inclusive[metric], page.total[metric])}
            </dd>
            {metric === "calls" ? null : (
              <>
                <dt>self</dt>
                <dd>
                  {format.cost(page.row.own[metric], metric, unit)} ·{" "}
                  {format.share(page.row.own[metric], page.total[metric])}
                </dd>
              </>
            )}
          </dl>
          <Neighbours title="Callers" rows={page.callers} />
          <Neighbours title="Callees" rows={page.callees} />
        </>
      ) : null}
      {format.metricNote(metric) === "" ? null : <p class="muted small">{format.metricNote(metric)}</p>}
      {props.isHint === true ? (
        <p class="muted small">
          Nothing is selected: this is the box that fills the window. Click another for its details.
        </p>
      ) : null}
    </aside>
  );
}

/** The boxes that were joined: each can be zoomed into. */
function JoinedList(props: {
  boxes: Boxes;
  place: number;
  onZoomTo: (path: readonly number[]) => void;
}): JSX.Element | null {
  const { boxes, place } = props;
  const { state, metric, unit } = useSession();
  const path = boxes.path(boxes.flame.boxes.parent[place] ?? NONE);
  const { answer } = useAnswer(
    path === null
      ? null
      : {
          ask: "joined",
          arrangement: { by: state.arrangement },
          metric,
          path,
          first: boxes.flame.boxes.first[place] ?? 0,
          count: boxes.flame.boxes.joined[place] ?? 1,
          most: 200,
        },
  );
  if (answer === null || path === null) return null;
  return (
    <>
      <ul
        class="lines joined"
        aria-label="The functions that were joined"
        style={format.longest(answer.rows.map((row) => format.cost(row.value, metric, unit)))}
      >
        {answer.rows.map((row) => (
          <li key={row.function}>
            <span class="line-cost">{format.cost(row.value, metric, unit)}</span>
            <button
              type="button"
              class="link fn"
              title={`Zoom into ${shortTitle(row.name)}`}
              onClick={() => {
                props.onZoomTo([...path, row.function]);
              }}
            >
              <FunctionName name={row.name} />
            </button>
          </li>
        ))}
      </ul>
      {answer.omitted > 0 ? <p class="muted small">{format.count(answer.omitted)} more</p> : null}
    </>
  );
}

const MOST = 6;

function Neighbours(props: { title: string; rows: readonly NeighbourRow[] }): JSX.Element | null {
  const { metric, unit } = useSession();
  if (props.rows.length === 0) return null;
  const more = props.rows.length - MOST;
  const rows = props.rows.slice(0, MOST);
  const costOf = (row: NeighbourRow): string => format.cost(row.costs[metric], metric, unit);
  return (
    <>
      <h3>{props.title}</h3>
      <ul class="lines" style={format.longest(rows.map(costOf))}>
        {rows.map((row) => (
          <li key={row.function}>
            <span class="line-cost">{costOf(row)}</span>
            <FunctionLink fn={row.function} name={row.name} />
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted">{format.count(more)} more on the function’s page</p> : null}
    </>
  );
}
