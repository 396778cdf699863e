import { afterEach, expect, test, vi } from "vitest";
import { ApiError, ask, change, logins, sentence, takeSecret } from "./client";

afterEach(() => {
  vi.unstubAllGlobals();
  takeSecret(null);
});

function answers(...list: Response[]): ReturnType<typeof vi.fn> {
  const fetched = vi.fn(() => Promise.resolve(list.shift() ?? Response.error()));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

test("a change that meets an ended session is sent again after the login, with the new secret", async () => {
  const fetched = answers(new Response("", { status: 401 }), new Response('{"id":"1"}', { status: 201 }));
  takeSecret("old");
  const made = change<{ id: string }>("POST", "/api/v1/tokens", { name: "ci" });
  await vi.waitFor(() => expect(logins.isWanted).toBe(true));
  takeSecret("new");
  logins.succeeded();
  expect(await made).toEqual({ id: "1" });
  const secrets = fetched.mock.calls.map(([, request]) => (request as RequestInit).headers);
  expect(secrets).toMatchObject([{ "X-CSRF-Token": "old" }, { "X-CSRF-Token": "new" }]);
  expect(fetched.mock.calls.map(([, request]) => (request as RequestInit).body)).toEqual([
    '{"name":"ci"}',
    '{"name":"ci"}',
  ]);
});

test("a question sends no secret, and an empty answer is null", async () => {
  const fetched = answers(new Response("{}"), new Response(null, { status: 204 }));
  takeSecret("secret");
  await ask("/api/v1/apps");
  expect((fetched.mock.calls[0]?.[1] as RequestInit).headers).not.toHaveProperty("X-CSRF-Token");
  expect(await change("DELETE", "/api/v1/tokens/1")).toBeNull();
});

test("a refusal has the status and the server's sentence", async () => {
  answers(
    new Response('{"error":"days: 0 would remove everything"}', { status: 400 }),
    new Response("<h1>", { status: 502 }),
  );
  const refused = await ask("/x").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ status: 400, message: "Days: 0 would remove everything." });
  await expect(ask("/x")).rejects.toMatchObject({ status: 502 });
});

test("a server that is away is status 0", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await expect(ask("/x")).rejects.toMatchObject({ status: 0, message: "The server does not answer." });
});

test("messages become sentences", () => {
  expect(sentence("the token is wrong")).toBe("The token is wrong.");
  expect(sentence("No run matches “x”")).toBe("No run matches “x”");
  expect(sentence("bogus:1: no such key")).toBe("bogus:1: no such key.");
});
