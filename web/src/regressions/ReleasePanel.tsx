/** What one release made slower, what moved, and what cannot be decided yet. */
import type { JSX } from "preact";
import type { ReleaseFindings, Undecided } from "../api/generated";
import { address, condition, filter, functionAddress, runsAddress } from "../api/filter";
import * as format from "../format";
import { FunctionName } from "../parts/links";
import { FindingCard } from "./FindingCard";
import { RouteLink } from "../shell/RouteLink";

/** The most rows of what is not decided. */
const MOST_UNDECIDED = 20;

export function ReleasePanel(props: {
  app: string;
  of: ReleaseFindings;
  /** The finding that the address names. */
  named: string;
}): JSX.Element {
  const { app, of } = props;
  const ofRelease = filter(condition("app", app), condition("release", of.release));
  const ofBefore = of.before === null ? null : filter(condition("app", app), condition("release", of.before));
  const tooFew =
    of.not_compared > 0 && of.is_compared
      ? ` ${format.counted(of.not_compared, "route has", "routes have")} too few runs to be compared.`
      : "";
  const titleId = `release-${of.release}`;
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="head">
        <h2 id={titleId}>
          <a href={runsAddress(ofRelease)}>
            <bdi>{of.release}</bdi>
          </a>
        </h2>
        <span class="muted small">
          since {format.moment(of.since_s * 1e6)} · {of.compared}
        </span>
        <span class="grow" />
        {ofBefore === null ? null : (
          <a class="small" href={address("/compare", { before: ofBefore, after: ofRelease })}>
            Compare with <bdi>{of.before}</bdi>
          </a>
        )}
      </div>
      {of.found.length === 0 && of.is_compared ? (
        <p class="panel-text muted">Nothing got slower or larger.{tooFew}</p>
      ) : null}
      {of.found.map((found) => (
        <FindingCard key={found.id} found={found} app={app} release={of.release} isNamed={props.named === found.id} />
      ))}
      {of.moved.map((moved) => (
        <p class="panel-text muted" key={moved}>
          Moved, no new cost: {moved}
        </p>
      ))}
      {of.undecided.length === 0 ? null : <NotDecided app={app} rows={of.undecided} />}
      {of.found.length > 0 && tooFew !== "" ? <p class="panel-text muted">{tooFew}</p> : null}
    </section>
  );
}

function NotDecided(props: { app: string; rows: readonly Undecided[] }): JSX.Element {
  const { app, rows } = props;
  return (
    <details class="panel-rest">
      <summary>{format.counted(rows.length, "increase")} cannot be decided yet</summary>
      <div class="table-place" role="region" aria-label="Not decided" tabIndex={0}>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Function</th>
              <th scope="col">Route</th>
              <th scope="col">What would decide</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_UNDECIDED).map((row) => (
              <tr key={`${row.function} ${row.route}`}>
                <th scope="row" class="name">
                  <a href={functionAddress(row.function, condition("app", app))}>
                    <FunctionName name={row.function} />
                  </a>
                </th>
                <td class="mono">
                  <RouteLink app={app} route={row.route} />
                </td>
                <td class="wrap">{row.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MOST_UNDECIDED ? (
        <p class="panel-text muted">And {format.count(rows.length - MOST_UNDECIDED)} more.</p>
      ) : null}
    </details>
  );
}
