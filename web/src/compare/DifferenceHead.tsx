/** The heading of a difference in the viewer: what is compared with what, and the way on. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";

export function DifferenceHead(props: {
  title: string;
  before: ComponentChildren;
  after: ComponentChildren;
  actions: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = `${props.title} – xhprof`;
  }, [props.title]);
  return (
    <div class="page-head difference-head">
      <h1>
        <bdi>{props.title}</bdi>
      </h1>
      <span class="page-note">
        {props.before} → {props.after}
      </span>
      <span class="page-actions">{props.actions}</span>
    </div>
  );
}
