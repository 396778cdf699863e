import { describe, expect, it } from "vitest";

import { KnownAnswers, type KnownPair } from "./known";

const answer = { is: "criticalPath", steps: [], total: {} } as unknown as KnownPair[1];
const known = new KnownAnswers([
  [{ metric: "wall", ask: "criticalPath" }, answer],
  [{ ask: "functions", sort: { metric: "wall", by: "own" }, rows: 12 }, answer],
]);

describe("answers that came with the page", () => {
  it("are found whatever the order of a question's fields", () => {
    expect(known.to({ ask: "criticalPath", metric: "wall" })).toBe(answer);
    expect(known.to({ ask: "functions", rows: 12, sort: { by: "own", metric: "wall" } })).toBe(answer);
  });

  it("are not those of another question, or of a part of the profile", () => {
    expect(known.to({ ask: "criticalPath", metric: "cpu" })).toBeUndefined();
    expect(known.to({ ask: "functions", rows: 13, sort: { by: "own", metric: "wall" } })).toBeUndefined();
    const question = { ask: "criticalPath", metric: "wall" } as const;
    expect(known.to(question, { range: null, estimate: false })).toBe(answer);
    expect(known.to(question, { range: { from: 0, to: 1 } })).toBeUndefined();
    expect(known.to(question, { estimate: true })).toBeUndefined();
  });
});
