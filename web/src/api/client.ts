/**
 * Questions to the server, and changes.
 *
 * **Invariant:** the pages see no 401. A request of a session that ended waits until the user is logged in again, and
 * is then sent anew: what was typed into a form stays there.
 */
import { Logins } from "./logins";

/** What the server says when it does not do what was asked. */
export class ApiError extends Error {
  constructor(
    /** The status of HTTP; 0 if the server was not reached. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const logins = new Logins();

let csrf: string | null = null;

/** Takes what changes must send, which each session has anew. */
export function takeSecret(secret: string | null): void {
  csrf = secret;
}

/** An answer as it is in JSON. */
export function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  return sent(path, { signal: signal ?? null }, jsonOf<T>);
}

/** An answer as it is in JSON, or null for any reason not to have it. */
export async function askOnce(path: string): Promise<unknown> {
  try {
    const answer = await reached(path, { headers: { Accept: "application/json" } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** An answer that is a file. */
export function askForFile(path: string, signal?: AbortSignal): Promise<Blob> {
  return sent(path, { signal: signal ?? null }, (answer) => answer.blob());
}

/** Changes something; the answer, if it has one. */
export function change<T = null>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return sent(path, { method, ...content }, jsonOf<T>);
}

/** A login, which is refused with 401 itself. */
export async function logIn<T>(token: string): Promise<T> {
  const request = { method: "POST", body: JSON.stringify({ token }), headers: { "Content-Type": "application/json" } };
  return checked(await reached("/api/v1/session", request), jsonOf<T>);
}

async function sent<T>(path: string, request: RequestInit, read: (answer: Response) => Promise<T>): Promise<T> {
  for (;;) {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (typeof request.body === "string") headers["Content-Type"] = "application/json";
    if (request.method !== undefined && csrf !== null) headers["X-CSRF-Token"] = csrf;
    const seen = logins.count;
    const answer = await reached(path, { ...request, headers });
    if (answer.status !== 401) return checked(answer, read);
    await logins.after(seen, request.signal ?? null);
  }
}

async function reached(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...request, credentials: "same-origin", redirect: "error" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer.");
  }
}

async function checked<T>(answer: Response, read: (answer: Response) => Promise<T>): Promise<T> {
  if (answer.ok) return read(answer);
  throw new ApiError(answer.status, await reasonOf(answer));
}

async function jsonOf<T>(answer: Response): Promise<T> {
  return (answer.status === 204 ? null : await answer.json()) as T;
}

async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const told = JSON.parse(text) as { error?: unknown };
    if (typeof told.error === "string") return sentence(told.error);
  } catch {
    // A proxy in front answers with HTML.
  }
  return `The server answered with ${answer.status} ${answer.statusText}.`.replace(" .", ".");
}

/** A text of the server as a line of its own. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A message of the server as the pages show it: it begins with a capital and ends with a stop. A condition that it
 * repeats, such as `app:x`, stays as it was typed.
 */
export function sentence(text: string): string {
  const first = /^[^\s:]+:\S/.test(text) ? text : capital(text);
  return /[.!?”)]$/.test(first) ? first : `${first}.`;
}
