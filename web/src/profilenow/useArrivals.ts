/** The runs that arrive while the page is open. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, ask } from "../api/client";
import { address, condition } from "../api/filter";
import type { RunInfo, RunPage } from "../api/generated";
import { arrived } from "./arrival";

/** Between two looks, in milliseconds. */
const PAUSE = 1500;
const LISTED = 30;

export interface Arrivals {
  /** The latest that are stored. */
  readonly latest: readonly RunInfo[];
  /** Those that were not there when the page was opened, the latest first. */
  readonly fresh: readonly RunInfo[];
  readonly error: string | null;
  /** Whether the list is there. */
  readonly isKnown: boolean;
}

/** Looks again and again for runs of an application, or of all. */
export function useArrivals(app: string): Arrivals {
  const [arrivals, setArrivals] = useState<Arrivals>({ latest: [], fresh: [], error: null, isKnown: false });
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    known.current = null;
    setArrivals({ latest: [], fresh: [], error: null, isKnown: false });
    const q = app === "" ? "" : condition("app", app);
    const path = address("/api/v1/runs", { q, limit: String(LISTED) });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const { runs } = await ask<RunPage>(path, abort.signal);
        known.current ??= new Set(runs.map(({ id }) => id));
        const first = known.current;
        setArrivals({ latest: runs, fresh: arrived(runs, first), error: null, isKnown: true });
      } catch (error) {
        if (abort.signal.aborted) return;
        const reason = error instanceof ApiError ? error.message : String(error);
        setArrivals((before) => ({ ...before, error: reason }));
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void look(), PAUSE);
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [app]);
  return arrivals;
}
