import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askUnlessAsked, readEarly, takeEarly } from "./early";

const { signal } = new AbortController();

/** What the server answers to a path, in the order in which it is asked. */
const answers = new Map<string, (Response | Promise<Response>)[]>();
const asked: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", {
    querySelectorAll: () => [...answers.keys()].map((path) => ({ getAttribute: () => path })),
  });
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(answers.get(path)?.shift() ?? Response.error());
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  answers.clear();
  asked.length = 0;
});

test("an answer in time is there for the first who asks", async () => {
  answers.set("/in-time", [new Response('"early"'), new Response('"later"')]);
  await readEarly();
  expect(takeEarly("/in-time")).toBe("early");
  expect(takeEarly("/in-time")).toBeNull();
  expect(await askUnlessAsked("/in-time", signal)).toBe("later");
  expect(asked).toEqual(["/in-time", "/in-time"]);
});

test("an answer that is late is waited for, and not asked for again", async () => {
  let send: (answer: Response) => void = () => undefined;
  answers.set("/late", [new Promise<Response>((done) => (send = done)), new Response('"second"')]);
  const reading = readEarly();
  await vi.runAllTimersAsync();
  await reading;
  expect(takeEarly("/late")).toBeNull();
  const waiting = askUnlessAsked("/late", signal);
  send(new Response('"first"'));
  expect(await waiting).toBe("first");
  expect(asked).toEqual(["/late"]);
  expect(await askUnlessAsked("/late", signal)).toBe("second");
});

test("what was refused early is asked in earnest", async () => {
  answers.set("/refused", [new Response("", { status: 500 }), new Response('"allowed"')]);
  await readEarly();
  expect(takeEarly("/refused")).toBeNull();
  expect(await askUnlessAsked("/refused", signal)).toBe("allowed");
});
