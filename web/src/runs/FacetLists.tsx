/** The values that the runs of a selection have: a click adds the condition, another takes it away. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { address } from "../api/filter";
import type { Facets, FacetValue } from "../api/generated";
import { valueOf } from "../api/terms";
import { useApi } from "../api/useApi";
import * as format from "../format";
import { withCondition } from "../shell/server";
import { Answered } from "../shell/states";

const FIRST = 8;

export function FacetLists(props: { url: URL; q: string }): JSX.Element {
  const asked = useApi<Facets>(address("/api/v1/facets", { q: props.q }));
  const [isOpen, setOpen] = useState(false);
  // The list of runs says what is wrong with a filter.
  if (asked.error?.status === 400) return <aside class="facets" aria-label="Values of these runs" />;
  return (
    <aside class={isOpen ? "facets is-open" : "facets"} aria-label="Values of these runs">
      <button
        type="button"
        class="facets-toggle"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {isOpen ? "Hide the values" : "Choose by route, release, host…"}
      </button>
      <Answered asked={asked} lines={8}>
        {(facets) => (
          <>
            <p class="muted small">
              {format.counted(facets.runs, "run")}, {format.count(facets.failed)} failed
            </p>
            <FacetList title="Route" condition="route" values={facets.routes} {...props} />
            <FacetList title="Release" condition="release" values={facets.releases} {...props} />
            <FacetList title="Host" condition="host" values={facets.hosts} {...props} />
            <FacetList title="Status" condition="status" values={facets.statuses} {...props} />
            {facets.tags.map(({ name, values }) => (
              <FacetList key={name} title={name} condition={`tag.${name}`} values={values} {...props} />
            ))}
          </>
        )}
      </Answered>
    </aside>
  );
}

function FacetList(props: {
  title: string;
  condition: string;
  values: readonly FacetValue[];
  url: URL;
  q: string;
}): JSX.Element | null {
  const { title, condition, values, url, q } = props;
  const [isAll, setAll] = useState(false);
  const chosen = valueOf(q, condition);
  // One value that is not chosen tells nothing.
  if (values.length < 2 && chosen === null) return null;
  const shown = isAll ? values : values.slice(0, FIRST);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {shown.map(({ value, runs }) => {
          const isChosen = chosen === value;
          return (
            <li key={value}>
              <a
                href={withCondition(url, condition, isChosen ? null : value)}
                class={isChosen ? "facet chosen" : "facet"}
                aria-current={isChosen ? "true" : undefined}
              >
                <bdi class="clip" title={value}>
                  {value === "" ? "(unknown)" : format.middle(value, 20)}
                </bdi>
                <span class="muted n">{format.count(runs)}</span>
              </a>
            </li>
          );
        })}
      </ul>
      {values.length > FIRST ? (
        <button
          type="button"
          class="quiet"
          aria-expanded={isAll}
          onClick={() => {
            setAll(!isAll);
          }}
        >
          {isAll ? "Fewer" : `${format.count(values.length - FIRST)} more`}
        </button>
      ) : null}
    </section>
  );
}
