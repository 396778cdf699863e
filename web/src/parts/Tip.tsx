/** What stands beside the pointer: the box below it, in a few lines. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Between the pointer and the tip. */
const GAP = 14;

export function Tip(props: { x: number; y: number; children: ComponentChildren }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ left: props.x + GAP, top: props.y + GAP });
  useLayoutEffect(() => {
    const { offsetWidth: wide = 0, offsetHeight: high = 0 } = frame.current ?? {};
    // At the other side of the pointer where the window ends.
    const left = props.x + GAP + wide > innerWidth ? Math.max(4, props.x - GAP - wide) : props.x + GAP;
    const top = props.y + GAP + high > innerHeight ? Math.max(4, props.y - GAP - high) : props.y + GAP;
    if (left !== at.left || top !== at.top) setAt({ left, top });
  });
  return (
    <div class="tip" ref={frame} aria-hidden="true" style={{ left: `${at.left}px`, top: `${at.top}px` }}>
      {props.children}
    </div>
  );
}
