// Answers that came with the page: those of the view that it begins with, which
// is there before the engine is. The program computed them with the same code;
// `first.json` lists their questions, for both.
import type { Answer, Asked, AnswerOf, Scope } from "./protocol";

/** As `xhprof html` writes them. */
export type KnownPair = readonly [question: unknown, answer: Answer];

/** Questions that were answered before they are asked. */
export class KnownAnswers {
  readonly #answers: ReadonlyMap<string, Answer>;

  constructor(pairs: readonly KnownPair[] = []) {
    this.#answers = new Map(pairs.map(([question, answer]) => [keyOf(question), answer]));
  }

  /** The answer, always the same object; none for a part of the profile. */
  to<Q extends Asked>(question: Q, scope: Scope = {}): AnswerOf<Q> | undefined {
    const isWhole = (scope.range ?? null) === null && scope.estimate !== true && scope.reshape === undefined;
    return isWhole ? (this.#answers.get(keyOf(question)) as AnswerOf<Q> | undefined) : undefined;
  }
}

/** Two questions are the same whatever the order of their fields. */
function keyOf(question: unknown): string {
  return JSON.stringify(question, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
