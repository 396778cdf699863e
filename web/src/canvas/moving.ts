/** What part of a graph is in the window while it moves: the address follows when it rests. */
import { useLayoutEffect, useState } from "preact/hooks";

export interface MovingProps<Part> {
  /** When it changes, the address says what is shown: a link, or going back. */
  readonly subject: string;
  /** Browsers limit how often an address may change, and the engine is asked after each change. */
  readonly restMs: number;
  readonly onRest: (part: Part) => void;
}

/**
 * The part that moves, or none if the address has it; and how to change it.
 *
 * Layout effects, because these run with the render of a change. An effect waits for the next frame, and a key can
 * come before that: a reset that is late discards what the key did, and a timer that is late changes the address back.
 */
export function useMoving<Part>({
  subject,
  restMs,
  onRest,
}: MovingProps<Part>): [Part | null, (part: Part | null) => void] {
  const [moving, setMoving] = useState<Part | null>(null);
  useLayoutEffect(() => {
    setMoving(null);
  }, [subject]);
  useLayoutEffect(() => {
    if (moving === null) return undefined;
    const timer = setTimeout(() => {
      onRest(moving);
      setMoving(null);
    }, restMs);
    return () => {
      clearTimeout(timer);
    };
  }, [moving]);
  return [moving, setMoving];
}
