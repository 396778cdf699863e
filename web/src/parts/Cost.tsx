/** A cost in a table, of all calls or of one, with the margin of its estimate. */
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

/** The cost of one call, on average; nothing if the calls are unknown. */
export function CostPerCall(props: { value: number; calls: number; margin: number | undefined; metric: MetricName }): JSX.Element {
  const { value, calls, margin = 0, metric } = props;
  if (calls === 0 || metric === 'calls') return <></>;
  return <Cost value={value / calls} margin={margin / calls} metric={metric} />;
}
