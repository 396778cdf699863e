import { expect, test, vi } from "vitest";
import { Logins } from "./logins";

test("requests wait for a login, all of them", async () => {
  const logins = new Logins();
  const wanted = vi.fn();
  logins.listen(wanted);
  const done: string[] = [];
  const first = logins.after(0, null).then(() => done.push("first"));
  const second = logins.after(0, null).then(() => done.push("second"));
  expect(logins.isWanted).toBe(true);
  expect(wanted).toHaveBeenLastCalledWith(true);
  await Promise.resolve();
  expect(done).toEqual([]);
  logins.succeeded();
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "second"]);
  expect(wanted).toHaveBeenLastCalledWith(false);
});

test("a request that was sent before the login goes on at once", async () => {
  const logins = new Logins();
  const seen = logins.count;
  logins.succeeded();
  await logins.after(seen, null);
  expect(logins.isWanted).toBe(false);
});

test("a page that is left waits for nothing", async () => {
  const logins = new Logins();
  const abort = new AbortController();
  const waiting = logins.after(0, abort.signal);
  abort.abort();
  await expect(waiting).rejects.toThrow("left");
  expect(logins.isWanted).toBe(false);
});
