/** A line as large as a word, without axes: whether something rises or falls. */
import type { JSX } from "preact";

export function Spark(props: {
  values: readonly (number | null)[];
  label?: string;
  class?: string;
}): JSX.Element | null {
  const known = props.values.filter((value) => value !== null);
  const most = Math.max(...known);
  if (known.length < 2 || !(most > 0)) return null;
  const step = 100 / (props.values.length - 1);
  let path = "";
  let isPen = false;
  props.values.forEach((value, place) => {
    if (value === null) {
      isPen = false;
      return;
    }
    path += `${isPen ? "L" : "M"}${(place * step).toFixed(1)} ${(23 - (value / most) * 21).toFixed(1)}`;
    isPen = true;
  });
  return (
    <svg
      class={`spark ${props.class ?? ""}`}
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      {...(props.label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": props.label })}
    >
      <path d={path} vector-effect="non-scaling-stroke" />
    </svg>
  );
}
