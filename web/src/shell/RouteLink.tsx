/**
 * A route that leads to its page. The middle of a long one is left out: its end tells routes apart. Lines end before a
 * slash.
 */
import { Fragment, type JSX } from "preact";
import { routeAddress } from "../api/filter";
import * as format from "../format";

const MOST_LETTERS = 44;

export function RouteLink(props: { app: string; route: string }): JSX.Element {
  const { app, route } = props;
  const text = format.middle(route, MOST_LETTERS);
  return (
    <a href={routeAddress(app, route)} title={text === route ? undefined : route}>
      <bdi>
        {text.split(/(?=\/)/).map((part, at) => (
          <Fragment key={at}>
            {at > 0 ? <wbr /> : null}
            {part}
          </Fragment>
        ))}
      </bdi>
    </a>
  );
}
