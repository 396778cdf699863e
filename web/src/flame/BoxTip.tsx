/** What the tip at the pointer says of a box. */
import type { JSX } from "preact";
import { useSession } from "../app/session";
import * as format from "../format";
import { NONE, type Boxes } from "./boxes";

export function BoxTip(props: { boxes: Boxes; place: number }): JSX.Element {
  const { boxes, place } = props;
  const { metric, unit } = useSession();
  const { value, own, calls, base } = boxes.flame.boxes;
  const amount = value[place] ?? 0;
  const count = calls[place] ?? 0;
  const before = base[place];
  const parent = boxes.parent(place);
  const cost = (number: number): string => format.cost(number, metric, unit);
  return (
    <>
      <strong>
        <bdi>{format.middle(boxes.name(place), 160)}</bdi>
      </strong>
      {parent === NONE || boxes.parent(parent) === NONE ? null : (
        <div class="muted">
          below <bdi>{format.middle(boxes.name(parent), 80)}</bdi>
        </div>
      )}
      <dl>
        <dt>{format.graphMetricTitle(metric, unit)}</dt>
        <dd>
          {cost(amount)} · {format.share(amount, boxes.flame.zoom.total)}
        </dd>
        {metric === "calls" || boxes.fn(place) === null ? null : (
          <>
            <dt>Self</dt>
            <dd>{cost(own[place] ?? 0)}</dd>
          </>
        )}
        {metric === "calls" || count === 0 ? null : (
          <>
            <dt>Calls</dt>
            <dd>
              {format.count(count)} · {format.perCall(amount, count, metric, unit)} each
            </dd>
          </>
        )}
        {before === undefined ? null : (
          <>
            <dt>Since the base</dt>
            <dd>
              {format.signedCost(amount - before, metric, unit)} (
              {format.change(before === 0 ? null : (amount - before) / before)})
            </dd>
          </>
        )}
      </dl>
    </>
  );
}
