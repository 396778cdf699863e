/** How a request brings the trigger itself: a line, a header, a bookmark. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProfileNow } from "../api/generated";
import { CopyLine } from "../parts/CopyLine";
import { Panel } from "../shell/Page";

export function Ways(props: { ways: ProfileNow }): JSX.Element {
  const { ways } = props;
  const [isClicked, setClicked] = useState(false);
  const bookmark = (href: string, text: string): JSX.Element => (
    <a
      class="button"
      href={href}
      onClick={(event) => {
        // Here it would do nothing: it is for pages of the application.
        event.preventDefault();
        setClicked(true);
      }}
    >
      {text}
    </a>
  );
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
            {bookmark(ways.bookmark, "Profile on")} {bookmark(ways.bookmark_end, "Profile off")}
          </p>
          <p class={isClicked ? "strong" : "muted small"} role="status">
            Drag both to the bookmarks. On a page of the application, the first one profiles all requests from then on,
            the second one ends it.
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
