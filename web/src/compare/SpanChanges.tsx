/** Statements and requests before and after, by count and time. */
import type { JSX } from "preact";
import type { SpanChange } from "../api/generated";
import * as format from "../format";
import { signed } from "./words";

export function SpanChanges(props: { spans: readonly SpanChange[] }): JSX.Element | null {
  if (props.spans.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="spans-title">
      <div class="head">
        <h2 id="spans-title">Spans that changed</h2>
        <span class="muted small">SQL statements, requests and commands of a run</span>
      </div>
      <div class="table-place" role="group" aria-label="Table" tabIndex={0}>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Statement</th>
              <th scope="col">Kind</th>
              <th scope="col" class="n">
                Change
              </th>
              <th scope="col" class="n">
                Number before
              </th>
              <th scope="col" class="n">
                After
              </th>
              <th scope="col" class="n">
                Time before
              </th>
              <th scope="col" class="n">
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {props.spans.map((span) => (
              <tr key={`${span.kind} ${span.text}`}>
                <th scope="row" class="statement-cell">
                  {span.calls_before === 0 ? <span class="tag bad">new</span> : null}
                  {span.calls_after === 0 ? <span class="tag">gone</span> : null}
                  <code>{format.middle(span.text, 400)}</code>
                </th>
                <td>{span.kind}</td>
                <td class="n">{signed(span.change, format.time)}</td>
                <td class="n">{format.count(span.calls_before)}</td>
                <td class="n">{format.count(span.calls_after)}</td>
                <td class="n">{format.time(span.wall_before)}</td>
                <td class="n">{format.time(span.wall_after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
