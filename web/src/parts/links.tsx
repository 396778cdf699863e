/** Links to places in the viewer. */
import type { ComponentChildren, JSX } from "preact";
import { useSession } from "../app/session";
import { useIsDark } from "../app/theme";
import { codeFill } from "../canvas/colours";
import { shortName } from "../canvas/paint";
import { middle } from "../format";
import { changed, toFragment, type ViewState } from "../app/state";
import type { FunctionRow, Origin } from "../types";

/** A link to the present state with a change. */
export function Go(props: {
  to: Partial<ViewState>;
  class?: string;
  title?: string;
  current?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const { state } = useSession();
  return (
    <a
      href={`#${toFragment(changed(state, props.to))}`}
      class={props.class}
      title={props.title}
      aria-current={props.current === true ? "page" : undefined}
    >
      {props.children}
    </a>
  );
}

/** A function's name, leading to its page. The name is text, whatever it holds. */
export function FunctionLink(props: { fn: number; name: string }): JSX.Element {
  return (
    <Go to={{ page: "function", fn: props.fn, selected: null }} class="fn" title={shortTitle(props.name)}>
      <FunctionName name={props.name} />
    </Go>
  );
}

/** A longer namespace says no more. */
const MOST_OF_NAMESPACE = 200;

/** A name with its namespace set apart; where there is little room, styles leave the namespace out. */
export function FunctionName(props: { name: string }): JSX.Element {
  // The end of a name tells which function it is.
  const name = middle(props.name, 2_000);
  const short = shortName(name);
  const namespace = middle(name.slice(0, name.length - short.length), MOST_OF_NAMESPACE);
  return (
    <bdi>
      {namespace === "" ? null : <span class="namespace">{namespace}</span>}
      {short}
    </bdi>
  );
}

/** A tooltip is no place for a name of a megabyte. */
export function shortTitle(name: string): string {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

/** The parts of a program, in the order to name them. */
const ORIGIN_TITLES: Readonly<Record<Origin, string>> = {
  user: "own code",
  vendor: "packages",
  template: "templates",
  internal: "PHP",
  waiting: "waiting",
  other: "loading",
};

/** Which part of the program, in a word and a colour. */
export function OriginTag(props: { row: Pick<FunctionRow, "origin" | "package" | "colour"> }): JSX.Element {
  const isDark = useIsDark();
  const { origin, colour } = props.row;
  return (
    <span class="origin">
      <span class="dot" aria-hidden="true" style={{ background: codeFill(colour, isDark) }} />
      <bdi>{props.row.package ?? originTitle(origin)}</bdi>
    </span>
  );
}

export function originTitle(origin: Origin): string {
  return ORIGIN_TITLES[origin];
}
