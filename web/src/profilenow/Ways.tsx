/** How a request brings the trigger itself: a line, a header; and the bookmark. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProfileNow } from "../api/generated";
import { CopyLine } from "../parts/CopyLine";
import { Panel } from "../shell/Page";
import { bookmarkOf } from "./arrival";

export function Ways(props: { ways: ProfileNow }): JSX.Element {
  const { ways } = props;
  const [isClicked, setClicked] = useState(false);
  return (
    <Panel title="By hand" note="PHP profiles a request that carries the trigger; the run appears below">
      <dl class="ways">
        <dt>On the command line</dt>
        <dd>
          <CopyLine label="Command with the trigger" text={ways.curl} />
        </dd>
        <dt>As a header</dt>
        <dd>
          <CopyLine label="Header of the trigger" text={ways.header} />
        </dd>
        <dt>In the browser</dt>
        <dd>
          <p class="buttons">
            <a
              class="button"
              href={bookmarkOf(location.origin)}
              onClick={(event) => {
                // It is for pages of the application.
                event.preventDefault();
                setClicked(true);
              }}
            >
              Profile this page
            </a>
          </p>
          <p class={isClicked ? "strong" : "muted small"} role="status">
            Drag it to the bookmarks. On a page of the application it opens this page with that address. It has no
            secret: this page asks the server for a ticket.
          </p>
        </dd>
        <dt>PHP’s settings</dt>
        <dd>
          <CopyLine label="PHP’s settings" text={ways.ini} />
        </dd>
      </dl>
    </Panel>
  );
}
