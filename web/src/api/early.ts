/**
 * The answers to the questions that the document names: the server asks the browser to fetch them while the app is
 * loaded. They are read before the first drawing, so that it has them, and the page is laid out once.
 */
import { ask, askOnce } from "./client";

/** How long the first drawing waits for them, in milliseconds. */
const PATIENCE = 30;

const asked = new Map<string, Promise<unknown>>();
const answers = new Map<string, unknown>();

/** Ends when the answers are there, or when it is time to draw without those that are late. */
export async function readEarly(): Promise<void> {
  for (const link of document.querySelectorAll("link[rel=preload][as=fetch]")) {
    const path = link.getAttribute("href") ?? "";
    const reading = askOnce(path);
    asked.set(path, reading);
    void reading.then((answer) => answers.set(path, answer));
  }
  const late = new Promise((done) => setTimeout(done, PATIENCE));
  await Promise.race([Promise.all(asked.values()), late]);
}

/** An answer that is there already, once: whoever asks again wants a new one. */
export function takeEarly<T>(path: string | null): T | null {
  if (path === null || !asked.has(path) || !answers.has(path)) return null;
  const answer = answers.get(path) as T | null;
  asked.delete(path);
  answers.delete(path);
  return answer;
}

/** Asks the server, unless it was asked early. */
export async function askUnlessAsked<T>(path: string, signal: AbortSignal): Promise<T> {
  const early = asked.get(path);
  asked.delete(path);
  return ((await early) ?? ask(path, signal)) as T | Promise<T>;
}
