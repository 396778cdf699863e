/** Nothing is open yet: how to open something, and how to record it. */
import type { JSX } from "preact";
import { Command } from "../parts/state";

export function StartPage(props: {
  onOpen: () => void;
  /** Opens the profile that is in the page, after opening it was cancelled or failed. */
  embedded: { names: readonly string[]; onOpen: () => void } | null;
}): JSX.Element {
  return (
    <section class="start">
      <h2>Open a profile</h2>
      {props.embedded === null ? null : (
        <p>
          <button type="button" class="primary" onClick={props.embedded.onOpen}>
            Open what is in this page
          </button>{" "}
          <bdi class="muted">{props.embedded.names.join(", ").slice(0, 200)}</bdi>
        </p>
      )}
      <p>
        Drop files here, paste them, or{" "}
        <button type="button" class="primary" onClick={props.onOpen}>
          choose files…
        </button>
      </p>
      <p class="muted">
        xhprof, Xdebug, SPX, Excimer, speedscope, pprof, Callgrind, Chrome, perf and other profiles, gzipped or not.
        Nothing leaves this computer.
      </p>
      <h3>To record one</h3>
      <Command>xhprof run -o run.xhp -- script.php</Command>
    </section>
  );
}
