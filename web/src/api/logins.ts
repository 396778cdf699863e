/** Requests that wait for a login. */
export class Logins {
  #count = 0;
  #waiting: (() => void)[] = [];
  #listeners = new Set<(isWanted: boolean) => void>();

  /** How many logins there were. */
  get count(): number {
    return this.#count;
  }

  /** Whether a request waits for one. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Says from now on whether a login is wanted. */
  listen(listener: (isWanted: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for the login after `seen`; at once if there was one since. */
  after(seen: number, signal: AbortSignal | null): Promise<void> {
    if (this.#count > seen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal?.addEventListener("abort", () => {
        this.#waiting = this.#waiting.filter((other) => other !== resolve);
        reject(new DOMException("The page was left.", "AbortError"));
        this.#say();
      });
      this.#say();
    });
  }

  /** Lets the requests go on. */
  succeeded(): void {
    this.#count += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#say();
  }

  #say(): void {
    for (const listener of this.#listeners) listener(this.isWanted);
  }
}
