/** How far a graph is scrolled, as the address has it: in whole rows from its root. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** An address changes when scrolling rests for so long: browsers limit how often it may. */
const REST_MS = 150;

export interface LevelProps {
  readonly scroller: RefObject<HTMLElement | null>;
  /** Whether the scroller has a size, and the rows of the graph. */
  readonly isReady: boolean;
  /** When it changes, this is another graph. */
  readonly subject: string;
  /** What the address says; none: where the graph begins by itself. */
  readonly level: number | null;
  /** Where the graph begins by itself, in pixels. */
  readonly start: () => number;
  /** Where a level begins, in pixels; and the level that begins there. */
  readonly topOf: (level: number) => number;
  readonly levelOf: (top: number) => number;
  /** Where it is scrolled to, in pixels. */
  readonly scrollTop: number;
  /** None while another graph is on its way. */
  readonly onLevel: ((level: number | null) => void) | undefined;
}

/**
 * Scrolls to what the address says, and tells the address when scrolling rests.
 * The result says whether the present part of the graph was chosen by the address:
 * then nothing else may scroll.
 */
export function useLevel(props: LevelProps): { readonly current: boolean } {
  const { level, isReady, subject, scrollTop } = props;
  const told = useRef<number | null>(null);
  const isChosen = useRef(false);
  const latest = useRef(props);
  latest.current = props;
  const show = (): void => {
    const element = props.scroller.current;
    if (element === null) return;
    told.current = level;
    isChosen.current = level !== null;
    element.scrollTop = level === null ? props.start() : props.topOf(level);
  };
  const shown = useRef("");
  useLayoutEffect(() => {
    if (!isReady) return;
    // Another graph; or a link, or going back.
    if (shown.current === subject && level === told.current) return;
    shown.current = subject;
    show();
  }, [subject, level, isReady]);
  useEffect(() => {
    if (!isReady) return undefined;
    const timer = setTimeout(() => {
      isChosen.current = false;
      const { scroller, start, levelOf, onLevel } = latest.current;
      const element = scroller.current;
      if (element === null || onLevel === undefined || shown.current !== latest.current.subject) return;
      const top = element.scrollTop;
      // Nor is the end of the graph farther than it can be scrolled.
      const begin = Math.max(0, Math.min(start(), element.scrollHeight - element.clientHeight));
      const reached = Math.max(0, levelOf(top));
      const next = reached === levelOf(begin) ? null : reached;
      if (next === told.current) return;
      told.current = next;
      onLevel(next);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [scrollTop, isReady, subject]);
  return isChosen;
}
