// What the page and the engine's worker say to each other.
import type { Answer, MetricName, Question, TimeRange } from "../generated";

export type { Answer, Question };

/** A file to open: its name, its bytes, and whether it is the base of a comparison. */
export interface FileToOpen {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  isBase: boolean;
  /** Whether the page packed it, with gzip: the worker unpacks it. */
  isPacked?: boolean;
}

/** What a question is asked of: the whole document, or a part of it. */
export interface Scope {
  /** Only this range of time. */
  range?: TimeRange | null;
  /** With estimated stacks, if the profile has none. */
  estimate?: boolean;
  /** Without some functions, or with their recursion as one call. */
  reshape?: { hidden: readonly number[]; collapsed: readonly number[] };
}

/** A format that a profile can be exported to. */
export type { FormatChoice } from "../generated";

/** The fields that a question must have; the engine has defaults for all others. */
interface Needed {
  function: "function";
  search: "text";
  export: "format";
  joined: "arrangement" | "path" | "first" | "count";
}

type Kind = Question["ask"];
type Fields<K extends Kind> = Omit<Extract<Question, { ask: K }>, "ask">;
type NeededBy<K extends Kind> = K extends keyof Needed ? Needed[K] : never;

/** A question as the page writes it: what has a default may be left out. */
export type Asked<K extends Kind = Kind> = {
  [Each in K]: { ask: Each } & Partial<Fields<Each>> & Pick<Fields<Each>, NeededBy<Each> & keyof Fields<Each>>;
}[K];

/** The answer to a question. */
export type AnswerOf<Q extends { ask: Kind }> = Extract<Answer, { is: Q["ask"] }>;

/** An error as the engine tells it. */
export interface Failure {
  code: string;
  message: string;
  /** The threshold, in percent, that the files can be opened with instead. */
  threshold?: number;
}

/** What the engine replies. */
export type Reply = "opened" | { answer: Answer } | { error: Failure };

/** To the worker. */
export type ToWorker =
  /** The engine, packed with gzip, or its address. */
  | { kind: "start"; engine: Uint8Array<ArrayBuffer> | string }
  | { kind: "open"; id: number; files: FileToOpen[]; threshold?: number | undefined }
  | { kind: "ask"; id: number; scope: Scope; question: Asked }
  | { kind: "formats"; id: number };

/** From the worker, one for each message with an id. */
export interface FromWorker {
  id: number;
  reply: Reply | { formats: string };
  /** The exported file, if one was asked for. */
  bytes?: Uint8Array<ArrayBuffer>;
  /** The engine cannot go on and must be started anew. */
  isDead?: boolean;
}

export type { MetricName, TimeRange };
