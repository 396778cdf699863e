/** One finding: what happened, how sure it is, where it comes from, and where to go on. */
import type { JSX } from "preact";
import type { Found } from "../api/generated";
import { address, condition, filter, functionAddress, runsAddress } from "../api/filter";
import * as format from "../format";
import { CausePath } from "./CausePath";
import { FindingChart } from "./FindingChart";
import { costText, figureText, measureTitle, shareText, sureness } from "./words";
import { RouteLink } from "../shell/RouteLink";

/** The routes that are in view before the others are asked for. */
const ROUTES = 5;

export function FindingCard(props: {
  found: Found;
  app: string;
  release: string;
  /** Whether the address names it. */
  isNamed: boolean;
}): JSX.Element {
  const { found, app, release } = props;
  const ofApp = condition("app", app);
  const sure = sureness(found);
  const [usualBefore, usualAfter] = found.runs ?? [null, null];
  const titleId = `${found.id}-title`;
  return (
    <article class={`finding-card${props.isNamed ? " named" : ""}`} id={found.id} aria-labelledby={titleId}>
      <p class="finding-facts">
        <span class={sure === "sure" && !found.is_gone ? "tag bad" : "tag"}>{found.heading}</span>
        <span>{sure}</span>
        <span class="muted">{found.proof}</span>
        {found.is_gone ? <span class="tag good">gone again</span> : null}
        <a class="anchor" href={`#${found.id}`} aria-label="Link to this finding" title="Link to this finding">
          #
        </a>
      </p>
      <h3 id={titleId}>{found.sentence}</h3>
      <CausePath path={found.path} filter={ofApp} />
      <Places found={found} app={app} titleId={titleId} />
      <FindingChart found={found} isOpen={props.isNamed} />
      <p class="finding-links">
        {found.compare === null ? null : (
          <a class="button" href={address("/compare", { before: found.compare[0], after: found.compare[1] })}>
            Compare the runs before and after
          </a>
        )}
        {usualBefore === null ? null : (
          <span class="pair">
            Usual runs: <a href={`/run/${usualBefore}`}>before</a>
            {usualAfter === null ? null : (
              <>
                {" "}
                · <a href={`/run/${usualAfter}`}>after</a> ·{" "}
                <a href={address("/compare/runs", { base: usualBefore, new: usualAfter })}>the difference</a>
              </>
            )}
          </span>
        )}
        {found.function === null ? null : <a href={functionAddress(found.function, ofApp)}>The function over time</a>}
        <a href={runsAddress(filter(ofApp, condition("release", release)))}>Runs of the release</a>
      </p>
    </article>
  );
}

function Places(props: { found: Found; app: string; titleId: string }): JSX.Element | null {
  const { found, app } = props;
  if (found.places.length === 0) return null;
  const [first, rest] = [found.places.slice(0, ROUTES), found.places.slice(ROUTES)];
  const title = measureTitle(found.measure);
  const table = (places: Found["places"], label: string): JSX.Element => (
    <div class="table-place" role="region" aria-label={label} tabIndex={0}>
      <table class="data">
        <caption class="sr-only">
          {found.sentence}: {title} of a run, by route
        </caption>
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col" class="n">
              Before
            </th>
            <th scope="col" class="n">
              After
            </th>
            <th scope="col" class="n">
              A run
            </th>
            <th scope="col" class="n wide">
              {found.is_memory ? "Of the peak" : "Of the route"}
            </th>
            <th scope="col" class="n wide">
              Runs before
            </th>
            <th scope="col" class="n wide">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <tr key={place.route}>
              <th scope="row" class="mono">
                <RouteLink app={app} route={place.route} />
              </th>
              <td class="n">{figureText(found.measure, place.before)}</td>
              <td class="n">{figureText(found.measure, place.after)}</td>
              <td class="n strong">{costText(found, place)}</td>
              <td class="n wide">{shareText(place)}</td>
              <td class="n wide">{format.count(place.before.runs)}</td>
              <td class="n wide">{format.count(place.after.runs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return (
    <>
      {table(first, `Routes, ${title}`)}
      {rest.length === 0 ? null : (
        <details>
          <summary>{format.counted(rest.length, "more route")}</summary>
          {table(rest, `More routes, ${title}`)}
        </details>
      )}
    </>
  );
}
