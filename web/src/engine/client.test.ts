import { describe, expect, it } from "vitest";

import { Engine, EngineError, type WorkerLike } from "./client";
import { KnownAnswers, type KnownPair } from "./known";
import type { FromWorker, ToWorker } from "./protocol";

/** A worker that answers when the test says so. */
class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  received: ToWorker[] = [];
  isEnded = false;

  postMessage(message: ToWorker): void {
    this.received.push(message);
  }

  terminate(): void {
    this.isEnded = true;
  }

  /** Answers the last message. */
  answer(message: Omit<FromWorker, "id">): void {
    const last = this.received.at(-1);
    if (!last || last.kind === "start") throw new Error("there is nothing to answer");
    this.onmessage?.({ data: { id: last.id, ...message } } as MessageEvent<FromWorker>);
  }

  get questions(): string[] {
    return this.received.map((message) => (message.kind === "ask" ? message.question.ask : message.kind));
  }
}

function started() {
  const workers: FakeWorker[] = [];
  const engine = new Engine({ worker: "", engine: new Uint8Array(0) }, () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { engine, workers };
}

const found = (text: string) =>
  ({
    reply: { answer: { is: "search", functions: [], covered: 0, more: 0, text } },
  }) as unknown as Omit<FromWorker, "id">;

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    (error: unknown) => (error instanceof EngineError ? error.code : "other"),
  );

describe("the engine", () => {
  it("starts its worker with the first message and opens files", async () => {
    const { engine, workers } = started();
    expect(workers).toHaveLength(0);
    const opened = engine.open([{ name: "a", bytes: new Uint8Array(1), isBase: false }]);
    expect(workers[0]?.questions).toEqual(["start", "open"]);
    workers[0]?.answer({ reply: "opened" });
    await opened;
    expect(engine.isOpen).toBe(true);
  });

  it("asks one question at a time, and the newest of a key only", async () => {
    const { engine, workers } = started();
    const first = engine.ask({ ask: "search", text: "a" }, { key: "search" });
    const second = engine.ask({ ask: "search", text: "ab" }, { key: "search" });
    const other = engine.ask({ ask: "summary" });
    const third = engine.ask({ ask: "search", text: "abc" }, { key: "search" });
    expect(workers[0]?.questions).toEqual(["start", "search"]);
    expect(await codeOf(first)).toBe("cancelled");
    expect(await codeOf(second)).toBe("cancelled");
    workers[0]?.answer(found("a"));
    // The second was never sent.
    expect(workers[0]?.questions).toEqual(["start", "search", "summary"]);
    workers[0]?.answer({ reply: { answer: { is: "summary" } } as never });
    await other;
    workers[0]?.answer(found("abc"));
    expect(await third).toMatchObject({ is: "search", text: "abc" });
  });

  it("drops what a signal cancels", async () => {
    const { engine, workers } = started();
    const cancel = new AbortController();
    const running = engine.ask({ ask: "spans" });
    const waiting = engine.ask({ ask: "summary" }, { signal: cancel.signal });
    cancel.abort();
    expect(await codeOf(waiting)).toBe("cancelled");
    workers[0]?.answer({ reply: { answer: { is: "spans", groups: [] } } as never });
    await running;
    expect(workers[0]?.questions).toEqual(["start", "spans"]);
  });

  it("ends the worker when opening is cancelled", async () => {
    const { engine, workers } = started();
    const cancel = new AbortController();
    const opening = engine.open([], { signal: cancel.signal });
    cancel.abort();
    expect(await codeOf(opening)).toBe("cancelled");
    expect(workers[0]?.isEnded).toBe(true);
    void engine.ask({ ask: "summary" });
    expect(workers).toHaveLength(2);
  });

  it("answers what came with the files while it opens them, and no longer", async () => {
    const { engine, workers } = started();
    const answer = { is: "summary", title: "known" } as unknown as KnownPair[1];
    const known = new KnownAnswers([[{ ask: "summary" }, answer]]);
    const opened = engine.open([], { known });
    expect(await engine.ask({ ask: "summary" })).toBe(answer);
    expect(workers[0]?.questions).toEqual(["start", "open"]);
    workers[0]?.answer({ reply: "opened" });
    await opened;
    expect(engine.known({ ask: "summary" })).toBe(answer);
    // Another file that cannot be read changes nothing.
    const failing = engine.open([]);
    workers[0]?.answer({ reply: { error: { code: "unreadable", message: "damaged" } } });
    expect(await codeOf(failing)).toBe("unreadable");
    expect(engine.known({ ask: "summary" })).toBe(answer);
    const other = engine.open([]);
    workers[0]?.answer({ reply: "opened" });
    await other;
    expect(engine.known({ ask: "summary" })).toBeUndefined();
  });

  it("passes errors on with their code", async () => {
    const { engine, workers } = started();
    const asked = engine.ask({ ask: "flame" });
    workers[0]?.answer({ reply: { error: { code: "needs-stacks", message: "no stacks" } } });
    await expect(asked).rejects.toMatchObject({ code: "needs-stacks", message: "no stacks" });
  });

  it("starts anew after the engine stopped", async () => {
    const { engine, workers } = started();
    const asked = engine.ask({ ask: "flame" });
    const error = { code: "engine-stopped", message: "memory" };
    workers[0]?.answer({ reply: { error }, isDead: true });
    expect(await codeOf(asked)).toBe("engine-stopped");
    expect(workers[0]?.isEnded).toBe(true);
    expect(engine.isOpen).toBe(false);
    expect(await codeOf(engine.ask({ ask: "summary" }))).toBe("engine-stopped");
    expect(workers).toHaveLength(1);
    const opened = engine.open([]);
    workers[1]?.answer({ reply: "opened" });
    await opened;
  });

  it("hands over an exported file", async () => {
    const { engine, workers } = started();
    const exported = engine.exportFile({ format: "collapsed" });
    const bytes = new Uint8Array([1, 2]);
    workers[0]?.answer({ reply: { answer: { is: "export", ending: "txt" } } as never, bytes });
    expect(await exported).toEqual({ ending: "txt", bytes });
  });
});
