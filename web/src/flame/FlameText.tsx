/** A flame graph's boxes as lines of text: for screen readers, and to copy. */
import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isForeign } from "../app/keys";
import * as format from "../format";
import { useSize } from "../parts/size";
import { scrollToRow, windowOf } from "../parts/windowing";
import { NONE, type Boxes } from "./boxes";

const ROW = 24;
/** Deeper boxes are not moved further to the right. */
const MOST_INDENT = 40;

export function FlameText(props: {
  boxes: Boxes;
  label: string;
  selected: number;
  costs: (place: number) => string;
  onSelect: (place: number) => void;
  onZoom: (place: number) => void;
  onZoomOut: (all: boolean) => void;
  onMatch: (step: 1 | -1) => void;
}): JSX.Element {
  const { boxes, selected } = props;
  const order = useMemo(() => boxes.inOrder(), [boxes]);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const [scrollTop, setScrollTop] = useState(0);
  const id = useId();
  const at = selected === NONE ? -1 : order.indexOf(selected);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && at >= 0) element.scrollTop = scrollToRow(at, element.scrollTop, size.height, ROW, order.length);
  }, [at, order]);
  const window = windowOf(scrollTop, size.height, ROW, order.length);
  const move = (to: number): void => {
    const place = order[Math.max(0, Math.min(order.length - 1, to))];
    if (place !== undefined) props.onSelect(place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isForeign(event)) return;
    const page = Math.max(1, Math.floor(size.height / ROW) - 1);
    const act: Record<string, () => void> = {
      ArrowDown: () => {
        move(at + 1);
      },
      ArrowUp: () => {
        move(at - 1);
      },
      PageDown: () => {
        move(at + page);
      },
      PageUp: () => {
        move(at - page);
      },
      Home: () => {
        move(0);
      },
      End: () => {
        move(order.length - 1);
      },
      ArrowLeft: () => {
        const parent = boxes.parent(selected);
        if (parent !== NONE) props.onSelect(parent);
      },
      ArrowRight: () => {
        const child = boxes.costliestChild(selected);
        if (child !== NONE) props.onSelect(child);
      },
      Enter: () => {
        if (selected !== NONE) props.onZoom(selected);
      },
      Backspace: () => {
        props.onZoomOut(false);
      },
      "0": () => {
        props.onZoomOut(true);
      },
      n: () => {
        props.onMatch(1);
      },
      N: () => {
        props.onMatch(-1);
      },
    };
    const action = act[event.key];
    if (action === undefined) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="flame-text"
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={at >= window.first && at < window.end ? `${id}-${selected}` : undefined}
      onScroll={(event) => {
        setScrollTop(event.currentTarget.scrollTop);
      }}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${window.height}px` }}>
        <div role="presentation" style={{ transform: `translateY(${window.top}px)` }}>
          {order.slice(window.first, window.end).map((place) => {
            const row = boxes.row(place);
            return (
              <div
                key={place}
                id={`${id}-${place}`}
                role="treeitem"
                class={`text-row${place === selected ? " current" : ""}${boxes.isFound(place) ? " found" : ""}`}
                aria-level={row + 1}
                aria-selected={place === selected}
                onClick={() => {
                  props.onSelect(place);
                }}
                onDblClick={() => {
                  props.onZoom(place);
                }}
              >
                <span class="text-cost">{props.costs(place)}</span>
                <span style={{ paddingInlineStart: `${Math.min(row, MOST_INDENT) * 12}px` }} />
                {row > MOST_INDENT ? <span class="muted">row {row} </span> : null}
                {boxes.levels(place) > 1 ? <span class="muted">{format.count(boxes.levels(place))}× </span> : null}
                <bdi>{boxes.name(place)}</bdi>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
