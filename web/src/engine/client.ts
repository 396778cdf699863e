// The engine as the page sees it: open files, ask questions, export.
//
// The worker does one thing at a time, so what waits is kept here, where it can
// still be dropped: a question that a newer one replaced is never sent.
import { KnownAnswers } from "./known";
import type { EngineParts } from "./parts";
import type { Answer, AnswerOf, Asked, FileToOpen, FormatChoice, FromWorker, Scope, ToWorker } from "./protocol";

/** An error of the engine; `code` is stable, `message` is for people. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The threshold, in percent, that the files can be opened with instead. */
    readonly threshold?: number,
  ) {
    super(message);
    this.name = "EngineError";
  }

  /** Whether the answer is no longer wanted, which is nothing to show. */
  get isCancelled(): boolean {
    return this.code === "cancelled";
  }
}

export interface AskOptions {
  /** The part of the document to ask. */
  scope?: Scope;
  /** A newer question with the same key replaces this one. */
  key?: string;
  /** Cancels: a waiting question is dropped, the answer to a running one is ignored. */
  signal?: AbortSignal;
}

export interface OpenOptions {
  signal?: AbortSignal;
  threshold?: number | undefined;
  /** Answers that came with these files. */
  known?: KnownAnswers | undefined;
}

/** An exported file. */
export interface ExportedFile {
  /** Ending of the file's name, without the dot. */
  ending: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What `Worker` has of use here; tests bring their own. */
export interface WorkerLike {
  postMessage(message: ToWorker, options?: StructuredSerializeOptions): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

type Unnumbered = ToWorker extends infer M ? (M extends { id: number } ? Omit<M, "id"> : never) : never;

interface Job {
  message: Unnumbered;
  key: string | undefined;
  resolve(message: FromWorker): void;
  reject(error: EngineError): void;
  /** Its promise has been settled; a running one still occupies the worker. */
  isDropped: boolean;
}

const cancelled = () => new EngineError("cancelled", "no longer wanted");

/** Starts a worker: from text, which is the only kind that works in a page opened as a file, or from an address. */
export function workerFrom(parts: EngineParts): WorkerLike {
  if (parts.worker instanceof URL) return new Worker(parts.worker);
  const url = URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}

/** An engine in its worker. */
export class Engine {
  #worker: WorkerLike | undefined;
  #waiting: Job[] = [];
  #running: { id: number; job: Job } | undefined;
  #lastId = 0;
  #isOpen = false;
  #known = new KnownAnswers();
  /** Why there is no document any more, until another is opened. */
  #stopped: EngineError | undefined;
  readonly #parts: EngineParts;
  readonly #start: (parts: EngineParts) => WorkerLike;

  constructor(parts: EngineParts, start: (parts: EngineParts) => WorkerLike = workerFrom) {
    this.#parts = parts;
    this.#start = start;
  }

  /** Starts the worker before there is something to do: it compiles the engine while the page does other things. */
  start(): void {
    this.#worker ??= this.#started();
  }

  /** Whether a document is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Opens files: compares them, if some are a base; adds them up, if there are
   * several. Their bytes are handed over, and empty here afterwards. If it
   * fails, the document that was open before stays. With a threshold, what cost
   * less than so many percent is left out. Cancelling it stops the
   * engine, and the old document is closed. What is known of the new document is
   * answered while it is opened.
   */
  async open(files: FileToOpen[], options: OpenOptions = {}): Promise<void> {
    // Their answers would be of the old document.
    this.#drop(() => true);
    this.#stopped = undefined;
    const before = this.#known;
    this.#known = options.known ?? before;
    const stop = () => this.#restart(cancelled());
    options.signal?.addEventListener("abort", stop);
    try {
      await this.#do({ kind: "open", files, threshold: options.threshold }, undefined, options.signal);
      this.#isOpen = true;
      this.#known = options.known ?? new KnownAnswers();
    } catch (error) {
      this.#known = before;
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", stop);
    }
  }

  /** The answer that came with the page, if there is one. */
  known<Q extends Asked>(question: Q, scope?: Scope): AnswerOf<Q> | undefined {
    return this.#known.to(question, scope);
  }

  /** Asks a question. */
  async ask<Q extends Asked>(question: Q, options: AskOptions = {}): Promise<AnswerOf<Q>> {
    const { scope = {}, key, signal } = options;
    const known = this.known(question, scope);
    if (known !== undefined) return known;
    const message = await this.#do({ kind: "ask", scope, question }, key, signal);
    return answerOf(message) as AnswerOf<Q>;
  }

  /** The document in another format. */
  async exportFile(
    options: Omit<Asked<"export">, "ask">,
    { scope = {}, signal }: AskOptions = {},
  ): Promise<ExportedFile> {
    const question: Asked<"export"> = { ask: "export", ...options };
    const message = await this.#do({ kind: "ask", scope, question }, undefined, signal);
    const answer = answerOf(message) as Extract<Answer, { is: "export" }>;
    return { ending: answer.ending, bytes: message.bytes ?? new Uint8Array() };
  }

  /** The formats that `exportFile` can write. */
  async formats(): Promise<FormatChoice[]> {
    const { reply } = await this.#do({ kind: "formats" });
    if (typeof reply === "object" && "formats" in reply) {
      return JSON.parse(reply.formats) as FormatChoice[];
    }
    throw new EngineError("internal", "the engine did not name its formats");
  }

  /** Ends the worker. */
  close(): void {
    this.#restart(cancelled());
  }

  #do(message: Unnumbered, key?: string, signal?: AbortSignal): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(cancelled());
        return;
      }
      // A new engine would only say that nothing is open.
      if (this.#stopped && message.kind === "ask") {
        reject(this.#stopped);
        return;
      }
      if (key !== undefined) this.#drop((job) => job.key === key);
      const job: Job = { message, key, resolve, reject, isDropped: false };
      signal?.addEventListener("abort", () => this.#drop((other) => other === job), { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** Drops what waits, and ignores what runs. */
  #drop(isMeant: (job: Job) => boolean): void {
    const dropped = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((job) => !isMeant(job));
    if (this.#running && isMeant(this.#running.job)) dropped.push(this.#running.job);
    for (const job of dropped) {
      if (!job.isDropped) job.reject(cancelled());
      job.isDropped = true;
    }
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#worker ??= this.#started();
    const id = ++this.#lastId;
    this.#running = { id, job };
    const { message } = job;
    const buffers = message.kind === "open" ? message.files.map((file) => file.bytes.buffer) : [];
    // Handed over, not copied: a large profile is in memory often enough.
    this.#worker.postMessage({ ...message, id }, { transfer: [...new Set(buffers)] as ArrayBuffer[] });
  }

  #started(): WorkerLike {
    const worker = this.#start(this.#parts);
    worker.onmessage = ({ data }) => this.#answered(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#restart(new EngineError("engine-stopped", `The engine did not start: ${event.message}`));
    };
    worker.postMessage({ kind: "start", engine: this.#parts.engine });
    return worker;
  }

  #answered(message: FromWorker): void {
    if (this.#running?.id !== message.id) return;
    const { job } = this.#running;
    this.#running = undefined;
    const { reply } = message;
    const error =
      typeof reply === "object" && "error" in reply
        ? new EngineError(reply.error.code, reply.error.message, reply.error.threshold)
        : undefined;
    if (!job.isDropped) {
      if (error) job.reject(error);
      else job.resolve(message);
    }
    if (message.isDead) this.#restart(error ?? cancelled());
    this.#next();
  }

  /** Ends the worker; the next question or file starts a new one. */
  #restart(error: EngineError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isOpen = false;
    if (error.code === "engine-stopped") this.#stopped = error;
    const jobs = [...this.#waiting, ...(this.#running ? [this.#running.job] : [])];
    this.#waiting = [];
    this.#running = undefined;
    for (const job of jobs) {
      if (!job.isDropped) job.reject(error);
      job.isDropped = true;
    }
  }
}

function answerOf({ reply }: FromWorker): Answer {
  if (typeof reply === "object" && "answer" in reply) return reply.answer;
  throw new EngineError("internal", "the engine did not answer the question");
}
