/** What limits the page: application, time, release, host, and every other condition of the filter. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { address } from "../api/filter";
import type { Facets, FacetValue } from "../api/generated";
import { KEPT, terms, termsOf, valueOf, withValue } from "../api/terms";
import { useApi } from "../api/useApi";
import { rangeText } from "./range";
import { navigate } from "./router";
import { filterOf, setParameter, useServer, withCondition } from "./server";

const TIMES: readonly { value: string; label: string }[] = [
  { value: "", label: "All time" },
  { value: "1d", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
];

export function FilterBar(props: { url: URL }): JSX.Element {
  const { url } = props;
  const { apps } = useServer();
  const q = filterOf(url);
  const [isAsked, setAsked] = useState(false);
  // What there is to choose from: of the application and the time, without the other conditions.
  const around = withValue(withValue(q, "release", null), "host", null);
  const facets = useApi<Facets>(isAsked ? address("/api/v1/facets", { q: around }) : null);
  const since = valueOf(q, "since") ?? "";
  const until = valueOf(q, "until");
  const isRange = until !== null || !TIMES.some(({ value }) => value === since);
  const go = (key: string, value: string): void => {
    const next = new URL(withCondition(url, key, value === "" ? null : value), location.origin);
    navigate(key === "since" ? withCondition(next, "until", null) : next.href);
  };
  const others = termsOf(q, KEPT, false);
  return (
    <div
      class="filter-bar"
      role="region"
      aria-label="What the page is limited to"
      onPointerEnter={() => {
        setAsked(true);
      }}
      onFocusCapture={() => {
        setAsked(true);
      }}
    >
      <Choice
        label="Application"
        every="All applications"
        value={valueOf(q, "app") ?? ""}
        values={apps.map(({ name }) => name)}
        onChoose={(value) => {
          // Routes, releases and hosts are those of one application.
          const rest = withValue(withValue(withValue(q, "release", null), "host", null), "route", null);
          setParameter(url, "q", withValue(rest, "app", value === "" ? null : value));
        }}
      />
      <label class="choice">
        <span class="sr-only">Time</span>
        <select
          value={isRange ? "range" : since}
          onChange={(event) => {
            go("since", event.currentTarget.value);
          }}
        >
          {TIMES.map(({ value, label }) => (
            <option key={value} value={value}>
              {value === "" && url.pathname === "/" ? "Recent time" : label}
            </option>
          ))}
          {isRange ? <option value="range">{rangeText(since, until)}</option> : null}
        </select>
      </label>
      <Choice
        label="Release"
        every="All releases"
        value={valueOf(q, "release") ?? ""}
        values={names(facets.answer?.releases).reverse()}
        onChoose={(value) => {
          go("release", value);
        }}
      />
      <Choice
        label="Host"
        every="All hosts"
        value={valueOf(q, "host") ?? ""}
        values={names(facets.answer?.hosts)}
        onChoose={(value) => {
          go("host", value);
        }}
      />
      {others.map((term) => (
        <a
          key={term}
          class="chip"
          href={address(url.pathname, {
            ...Object.fromEntries(url.searchParams),
            q: terms(q)
              .filter((one) => one !== term)
              .join(" "),
          })}
          title="Remove this condition"
        >
          <bdi>{term}</bdi> <span aria-hidden="true">✕</span>
          <span class="sr-only">: remove</span>
        </a>
      ))}
    </div>
  );
}

/** In the order of names, as they are looked for: the server has the most frequent first. */
function names(values: readonly FacetValue[] | undefined): string[] {
  const all = (values ?? []).map(({ value }) => value).filter((value) => value !== "");
  return all.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

function Choice(props: {
  label: string;
  every: string;
  value: string;
  values: readonly string[];
  onChoose: (value: string) => void;
}): JSX.Element {
  const { value, values } = props;
  const all = value === "" || values.includes(value) ? values : [value, ...values];
  return (
    <label class="choice">
      <span class="sr-only">{props.label}</span>
      <select
        value={value}
        class={value === "" ? undefined : "is-set"}
        onChange={(event) => {
          props.onChoose(event.currentTarget.value);
        }}
      >
        <option value="">{props.every}</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
