/** The functions from the root to the cause; the middle opens by a button. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { functionAddress } from "../api/filter";
import { FunctionName } from "../parts/links";
import { shortPath } from "./words";

export function CausePath(props: { path: readonly string[]; filter: string }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  if (props.path.length === 0) return null;
  const steps = isWhole ? props.path : shortPath(props.path);
  const last = steps.length - 1;
  return (
    <ol class="cause-path" aria-label="From the root to the cause">
      {steps.map((name, at) => (
        <li key={`${at} ${name}`} class={at === last ? "strong" : undefined}>
          {name === null ? (
            <button
              type="button"
              class="quiet"
              aria-label={`Show ${props.path.length - steps.length + 1} more functions of the path`}
              onClick={() => {
                setWhole(true);
              }}
            >
              …
            </button>
          ) : (
            <a href={functionAddress(name, props.filter)}>
              <FunctionName name={name} />
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}
