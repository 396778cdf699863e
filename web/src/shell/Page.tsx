/** The frame of a page: its heading, panels and tags. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A page with its heading, which is the title of the window, too. */
export function Page(props: {
  title: string;
  /** What stands beside the heading: what the page is about, in a few words. */
  note?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  const { title } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – xhprof`;
  }, [title]);
  return (
    <div class="page">
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {props.note ? <span class="page-note">{props.note}</span> : null}
        {props.actions ? <span class="page-actions">{props.actions}</span> : null}
      </div>
      {props.children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Panel(props: {
  title: string;
  note?: ComponentChildren;
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={`panel ${props.class ?? ""}`} aria-label={props.title}>
      <div class="head">
        <h2>{props.title}</h2>
        {props.note ? <span class="muted small">{props.note}</span> : null}
        {props.actions ? <span class="panel-actions">{props.actions}</span> : null}
      </div>
      {props.children}
    </section>
  );
}

/** A word in a frame; `bad` only for what must be looked at. */
export function Tag(props: { kind?: "bad" | "good" | "warn" | undefined; children: ComponentChildren }): JSX.Element {
  return <span class={props.kind ? `tag ${props.kind}` : "tag"}>{props.children}</span>;
}
