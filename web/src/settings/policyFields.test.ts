import { expect, test } from "vitest";
import type { Policy } from "../api/generated";
import { POLICY_FIELDS, policyOf, refusedField, typedPolicy } from "./policyFields";

const usual: Policy = {
  days: 30,
  runs: null,
  bytes: 20 * 2 ** 30,
  notable: 20,
  keep_notable_days: 180,
  sums_days: 800,
  runs_a_day: null,
  bytes_a_day: null,
};

test("the text of a policy is read as that policy", () => {
  const full = { ...usual, days: null, runs: 12_345, notable: 0, runs_a_day: 9, bytes_a_day: 5e8 };
  for (const policy of [usual, full]) expect(policyOf(typedPolicy(policy))).toEqual({ policy, wrong: null });
  expect(Object.keys(typedPolicy(usual)).sort()).toEqual(Object.keys(usual).sort());
  expect(POLICY_FIELDS).toHaveLength(8);
});

test("each wrong field is named, and only it", () => {
  const cases: [keyof Policy, string, RegExp][] = [
    ["days", "0", /remove everything/],
    ["days", "-1", /whole number/],
    ["days", "1.5", /whole number/],
    ["days", "4294967296", /At most/],
    ["runs", "many", /whole number/],
    ["runs", "99999999999999999999", /too large/],
    ["bytes", "20 apples", /Type a size/],
    ["bytes", "0 GB", /remove everything/],
    ["notable", "", /whole number/],
    ["keep_notable_days", "x", /whole number/],
    ["sums_days", "0", /remove everything/],
    ["runs_a_day", "0", /refuse every run/],
    ["bytes_a_day", "0 MB", /refuse every run/],
  ];
  for (const [name, text, reason] of cases) {
    const { policy, wrong } = policyOf({ ...typedPolicy(usual), [name]: text });
    expect(policy, `${name} ${text}`).toBeNull();
    expect(Object.keys(wrong ?? {}), `${name} ${text}`).toEqual([name]);
    expect(wrong?.[name]).toMatch(reason);
  }
});

test("a refusal of the server stands beside the field that it names", () => {
  expect(refusedField("Notable: at most 10000 runs of a route.")).toEqual({
    field: "notable",
    reason: "At most 10000 runs of a route.",
  });
  expect(refusedField("Runs_a_day, bytes_a_day: only a token for all")).toBeNull();
  expect(refusedField("The store is closing.")).toBeNull();
});
