/** All of the selected box, beside the graph. */
import type { JSX } from 'preact';
import { useAnswer, useSession } from '../app/session';
import * as format from '../format';
import { FunctionLink, Go, OriginTag, shortTitle } from '../parts/links';
import type { NeighbourRow } from '../types';
import { NONE, type Boxes } from './boxes';

export function Details(props: {
  boxes: Boxes;
  place: number;
  onZoom?: (place: number) => void;
  /** What the whole graph stands for. */
  whole?: string;
}): JSX.Element {
  const { boxes, place } = props;
  const { metric, unit } = useSession();
  const fn = place === NONE ? null : boxes.fn(place);
  const { answer: page } = useAnswer(fn === null ? null : { ask: 'function', function: fn, metric });
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
      {isJoined ? (
        <p class="muted">Neighbours that are too narrow to draw one by one. Zoom into their caller, or find them in the table.</p>
      ) : null}
      <dl class="facts">
        <dt>{format.metricTitle(metric, unit)}</dt>
        <dd>
          <strong>{show(amount)}</strong>
        </dd>
        <dt>{props.whole ?? 'of all'}</dt>
        <dd>{format.share(amount, boxes.flame.zoom.total)}</dd>
        {parent === NONE ? null : (
          <>
            <dt>of the box above</dt>
            <dd>{format.share(amount, value[parent] ?? 0)}</dd>
          </>
        )}
        {isJoined || metric === 'calls' ? null : (
          <>
            <dt>without callees</dt>
            <dd>{show(own[place] ?? 0)}</dd>
          </>
        )}
        {(calls[place] ?? 0) > 0 ? (
          <>
            <dt>calls</dt>
            <dd>{format.count(calls[place] ?? 0)}</dd>
          </>
        ) : null}
        {metric === 'calls' || (calls[place] ?? 0) === 0 ? null : (
          <>
            <dt>one call</dt>
            <dd>{format.perCall(amount, calls[place] ?? 0, metric, unit)}</dd>
          </>
        )}
        {before === undefined ? null : (
          <>
            <dt>in the base</dt>
            <dd>{show(before)}</dd>
            <dt>difference</dt>
            <dd>
              {format.signedCost(amount - before, metric, unit)}{' '}
              ({format.change(before === 0 ? null : (amount - before) / before)})
            </dd>
          </>
        )}
        {page ? (
          <>
            <dt>part of</dt>
            <dd>
              <OriginTag origin={page.row.origin} />
            </dd>
          </>
        ) : null}
      </dl>
      {fn === null ? null : (
        <p class="actions">
          {props.onZoom ? (
            <button
              type="button"
              onClick={() => {
                props.onZoom?.(place);
              }}
            >
              Zoom in
            </button>
          ) : null}
          <Go to={{ page: 'sandwich', fn, selected: null, zoom: [] }} class="button">
            Sandwich
          </Go>
          <Go to={{ page: 'function', fn, selected: null }} class="button">
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
      {page?.file ? (
        <p class="where">
          <bdi>{page.file}</bdi>
          {page.line > 0 ? `:${page.line}` : ''}
        </p>
      ) : null}
      {page ? (
        <>
          <h3>All calls of it</h3>
          <dl class="facts">
            <dt>with callees</dt>
            <dd>
              {show(page.row.inclusive[metric])} · {format.share(page.row.inclusive[metric], page.total[metric])}
            </dd>
            {metric === 'calls' ? null : (
              <>
                <dt>without</dt>
                <dd>
                  {show(page.row.own[metric])} · {format.share(page.row.own[metric], page.total[metric])}
                </dd>
              </>
            )}
          </dl>
          <Neighbours title="Called by" rows={page.callers} />
          <Neighbours title="Calls" rows={page.callees} />
        </>
      ) : null}
    </aside>
  );
}

const MOST = 6;

function Neighbours(props: { title: string; rows: readonly NeighbourRow[] }): JSX.Element | null {
  const { metric, unit } = useSession();
  if (props.rows.length === 0) return null;
  const more = props.rows.length - MOST;
  return (
    <>
      <h3>{props.title}</h3>
      <ul class="lines">
        {props.rows.slice(0, MOST).map((row) => (
          <li key={row.function}>
            <span class="line-cost">{format.cost(row.costs[metric], metric, unit)}</span>
            <FunctionLink fn={row.function} name={row.name} />
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted">{format.count(more)} more on the function’s page</p> : null}
    </>
  );
}
