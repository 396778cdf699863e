/** The size of an element, as long as it is shown. */
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export function useSize(of: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    const read = (): void => {
      const width = element.clientWidth;
      const height = element.clientHeight;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    read();
    const watcher = new ResizeObserver(read);
    watcher.observe(element);
    return () => {
      watcher.disconnect();
    };
  }, [of]);
  return size;
}
