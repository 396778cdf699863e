/** The functions that cost most by themselves, as a card. */
import type { ComponentChildren, JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import * as format from "../format";
import { FunctionLink, Go } from "./links";
import { Busy, Empty } from "./state";

/** The question of the overview, whose answer came with the page: `engine/first.json`. */
const MOST_ROWS = 12;

export function Card(props: { title: string; more?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <section class="card">
      <h2>
        {props.title}
        <span class="card-more">{props.more}</span>
      </h2>
      {props.children}
    </section>
  );
}

export function TopFunctions(): JSX.Element {
  const { metric, unit } = useSession();
  const { answer } = useAnswer({ ask: "functions", sort: { by: "own", metric }, rows: MOST_ROWS });
  const title =
    metric === "calls"
      ? "Called most"
      : `Costliest functions by self ${format.metricTitle(metric, unit).toLowerCase()}`;
  return (
    <Card title={title} more={<Go to={{ page: "functions", sort: { by: "own", metric }, ascending: false }}>all</Go>}>
      {answer === null ? (
        <Busy />
      ) : answer.rows.length === 0 ? (
        <Empty title="No function was called." />
      ) : (
        <ol class="bars">
          {answer.rows.map((row) => (
            <Bar
              key={row.function}
              fn={row.function}
              name={row.name}
              value={row.own[metric]}
              most={answer.rows[0]?.own[metric] ?? 0}
              total={answer.total[metric]}
              detail={metric === "calls" || row.own.calls === 0 ? "" : `${format.count(row.own.calls)}×`}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Bar(props: {
  fn: number;
  name: string;
  value: number;
  most: number;
  total: number;
  detail: string;
}): JSX.Element {
  const { metric, unit } = useSession();
  const width = props.most > 0 ? Math.max(0, (props.value / props.most) * 100) : 0;
  return (
    <li class="bar">
      <span class="bar-fill" style={{ width: `${width}%` }} aria-hidden="true" />
      <span class="bar-name">
        <FunctionLink fn={props.fn} name={props.name} />
      </span>
      <span class="bar-detail">{props.detail}</span>
      <span class="bar-cost">{format.cost(props.value, metric, unit)}</span>
      <span class="bar-share">{metric === "calls" ? "" : format.share(props.value, props.total)}</span>
    </li>
  );
}
