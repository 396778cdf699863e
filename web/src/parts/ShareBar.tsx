/** A part of a whole, as a bar and in percent. */
import type { JSX } from "preact";
import * as format from "../format";

export function ShareBar(props: { share: number }): JSX.Element {
  return (
    <span class="share">
      <meter min={0} max={1} value={props.share} aria-hidden="true" />
      <span class="n">{format.share(props.share, 1)}</span>
    </span>
  );
}
