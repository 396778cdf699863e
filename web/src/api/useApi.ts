/** An answer of the server in a page. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./client";
import { askUnlessAsked, takeEarly } from "./early";

export interface Asked<T> {
  /** The latest answer; while the next one comes, the one before. */
  readonly answer: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** Asks once more. */
  again(): void;
}

/** Asks the server; `null` asks nothing. Another path makes another question. */
export function useApi<T>(path: string | null): Asked<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{
    path: string | null;
    answer: T | null;
    error: ApiError | null;
    isDone: boolean;
  }>(() => {
    const answer = takeEarly<T>(path);
    return { path, answer, error: null, isDone: answer !== null };
  });
  const isEarly = useRef(state.isDone);
  useEffect(() => {
    if (isEarly.current) {
      isEarly.current = false;
      return;
    }
    if (path === null) {
      setState({ path, answer: null, error: null, isDone: true });
      return;
    }
    const abort = new AbortController();
    setState((before) => ({ ...before, path, isDone: false, error: null }));
    askUnlessAsked<T>(path, abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) setState({ path, answer, error: null, isDone: true });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const reason = error instanceof ApiError ? error : new ApiError(0, String(error));
        setState({ path, answer: null, error: reason, isDone: true });
      },
    );
    return () => {
      abort.abort();
    };
  }, [path, turn]);
  const again = useCallback(() => {
    setTurn((before) => before + 1);
  }, []);
  const isLoading = path !== null && (!state.isDone || state.path !== path);
  return {
    answer: path === null ? null : state.answer,
    error: state.path === path ? state.error : null,
    isLoading,
    again,
  };
}
