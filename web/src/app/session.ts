/** What all views share: the engine, the open profile and the address. */
import { createContext } from "preact";
import { useContext, useId, useLayoutEffect, useState } from "preact/hooks";
import { EngineError, type Engine } from "../engine/client";
import type { AnswerOf, Asked, MetricName, Scope, Summary, Unit } from "../types";
import type { SourceTexts } from "./sources";
import type { ViewState } from "./state";

/** How a change of the address enters the history. */
export type How = "push" | "replace";

export interface Session {
  readonly engine: Engine;
  /** Grows with every profile that is opened: answers of the one before are void. */
  readonly document: number;
  /** Of the whole profile, whatever range is chosen. */
  readonly summary: Summary;
  readonly state: ViewState;
  /** The metric that is looked at. */
  readonly metric: MetricName;
  readonly unit: Unit;
  readonly isComparison: boolean;
  /** The view is a part of the server's pages. */
  readonly isInShell: boolean;
  /** Changes the address, and with it all views. */
  readonly go: (change: Partial<ViewState>, how?: How) => void;
  /** The texts of source files that are in the page. */
  readonly texts: SourceTexts;
  /** Opens a dialog for a folder of source files. */
  readonly chooseFolder: () => void;
  /** Opens more files: asks whether to merge or to compare. */
  readonly chooseFiles: () => void;
  /** Opens the same files again, after the engine stopped; without what cost less than a threshold in percent. */
  readonly reopen: (threshold?: number) => void;
  /** Opens the dialog that compares the open profile with a base. */
  readonly chooseBase: () => void;
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("a view stands outside of a session");
  return session;
}

/** A question on its way, or answered. */
export interface Reply<T> {
  /** The last answer: while a new one is on its way, that of the question before. */
  readonly answer: T | null;
  readonly failure: EngineError | null;
  readonly busy: boolean;
}

interface Got<T> {
  readonly key: string;
  readonly document: number;
  readonly answer: T | null;
  readonly failure: EngineError | null;
}

/**
 * Asks the engine whenever the question changes. Of several questions only the
 * answer to the last arrives. `null` asks nothing.
 */
export function useAnswer<K extends Asked["ask"]>(question: Asked<K> | null, scope?: Scope): Reply<AnswerOf<Asked<K>>> {
  const { engine, document, state } = useSession();
  const scoped = scope ?? scopeOf(state);
  const slot = useId();
  const key = question === null ? "" : JSON.stringify([document, scoped, question]);
  const known =
    question === null ? undefined : (engine.known(question as Asked, scoped) as AnswerOf<Asked<K>> | undefined);
  const [got, setGot] = useState<Got<AnswerOf<Asked<K>>>>({ key: "", document, answer: null, failure: null });
  // At once: other effects wait for the next frame, and the engine would, too.
  useLayoutEffect(() => {
    if (question === null || known !== undefined) return undefined;
    const abort = new AbortController();
    engine.ask(question as Asked, { scope: scoped, key: slot, signal: abort.signal }).then(
      (answer) => {
        if (abort.signal.aborted) return;
        setGot({ key, document, answer: answer as AnswerOf<Asked<K>>, failure: null });
      },
      (error: unknown) => {
        const failure = asEngineError(error);
        if (!abort.signal.aborted && !failure.isCancelled) setGot({ key, document, answer: null, failure });
      },
    );
    return () => {
      abort.abort();
    };
    // The key stands for question, scope and document.
  }, [engine, key, known !== undefined]);
  if (known !== undefined) return { answer: known, failure: null, busy: false };
  return {
    answer: got.document !== document || question === null ? null : got.answer,
    failure: got.key === key ? got.failure : null,
    busy: question !== null && got.key !== key,
  };
}

/** Whatever was thrown, as something to show. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return new EngineError("internal", error instanceof Error ? error.message : String(error));
}

/** What the address limits all views to. */
export function scopeOf(state: ViewState): Scope {
  const { range, estimate, hidden, collapsed } = state;
  return {
    range,
    estimate,
    ...(hidden.length + collapsed.length > 0 ? { reshape: { hidden, collapsed } } : {}),
  };
}
