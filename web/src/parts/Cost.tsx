/** A cost in a table, with the margin of its estimate. */
import type { JSX } from 'preact';
import { useSession } from '../app/session';
import * as format from '../format';
import type { MetricName } from '../types';

/** Where some costs are estimates, all have room for a margin, so that they stand below each other. */
export function Cost(props: { value: number; margin: number | undefined; metric: MetricName }): JSX.Element {
  const { unit, summary } = useSession();
  const { value, margin = 0, metric } = props;
  const text = format.cost(value, metric, unit);
  if (summary.timedCalls === null) return <>{text}</>;
  return (
    <span class="estimate" title={margin === 0 ? undefined : format.marginTitle(value, margin, metric, unit)}>
      {text}
      <span class="margin">{format.margin(margin, value)}</span>
    </span>
  );
}
