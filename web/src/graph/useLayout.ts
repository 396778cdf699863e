/** Asks a worker for a layout, and does without when it takes too long. */
import { useEffect, useState } from "preact/hooks";
import type { Graph } from "../types";
import { plainLayout, shapeOf, type Layout } from "./shape";
import LayoutWorker from "./layout.worker?worker&inline";

/** After so long a plain layout is better than waiting. */
const MOST_MS = 4_000;

export interface LaidOut {
  readonly graph: Graph;
  readonly layout: Layout;
  readonly isPlain: boolean;
}

export function useLayout(graph: Graph | null): LaidOut | null {
  const [laidOut, setLaidOut] = useState<LaidOut | null>(null);
  useEffect(() => {
    if (graph === null) return undefined;
    const shape = shapeOf(graph);
    const plain = (): void => {
      setLaidOut({ graph, layout: plainLayout(shape), isPlain: true });
    };
    let worker: Worker;
    try {
      worker = new LayoutWorker();
    } catch {
      plain();
      return undefined;
    }
    const end = (): void => {
      clearTimeout(timer);
      worker.terminate();
    };
    const timer = setTimeout(() => {
      end();
      plain();
    }, MOST_MS);
    worker.onmessage = ({ data }: MessageEvent<Layout>) => {
      end();
      setLaidOut({ graph, layout: data, isPlain: false });
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      plain();
    };
    worker.postMessage(shape);
    return end;
  }, [graph]);
  return laidOut;
}
