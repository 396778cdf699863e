/** A cost in a table, of all calls or of one. */
import type { JSX } from "preact";
import { useSession } from "../app/session";
import * as format from "../format";
import type { MetricName } from "../types";

export function Cost(props: { value: number; metric: MetricName }): JSX.Element {
  const { unit } = useSession();
  return <>{format.cost(props.value, props.metric, unit)}</>;
}

/** The cost of one call, on average; nothing if the calls are unknown. */
export function CostPerCall(props: { value: number; calls: number; metric: MetricName }): JSX.Element {
  const { unit } = useSession();
  return <>{format.perCall(props.value, props.calls, props.metric, unit)}</>;
}
