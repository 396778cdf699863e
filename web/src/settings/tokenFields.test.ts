import { expect, test } from "vitest";
import { fieldOfRefusal, newToken, NO_TOKEN } from "./tokenFields";

const good = { name: " ci ", app: "", days: "90", scopes: ["write", "read"] };

test("a token has trimmed fields, and scopes in their order", () => {
  expect(newToken(good)).toEqual({
    token: { name: "ci", app: null, days: 90, scopes: ["read", "write"] },
    wrong: {},
  });
  expect(newToken({ ...good, days: "", app: "shop" }).token).toMatchObject({ days: null, app: "shop" });
});

test("each wrong field is named", () => {
  expect(newToken(NO_TOKEN)).toEqual({
    token: null,
    wrong: { name: "Type a name.", scopes: "Choose what the token may do." },
  });
  for (const days of ["x", "1.5", "-1", "0", "36501"])
    expect(Object.keys(newToken({ ...good, days }).wrong), days).toEqual(["days"]);
});

test("a refusal stands beside its field", () => {
  expect(fieldOfRefusal("Days: a token works for a day at least.")).toBe("days");
  expect(fieldOfRefusal("The token is of the application shop only.")).toBe("app");
  expect(fieldOfRefusal("A name has at most 200 letters.")).toBe("name");
  expect(fieldOfRefusal("The store is closing.")).toBeNull();
});
