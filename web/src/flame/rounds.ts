/**
 * Functions that come again and again in a chain of calls: one that calls itself,
 * or several that call each other in turn.
 */

/** The most functions that call each other in turn and are shown as one. */
const LONGEST = 12;

export interface Rounds {
  /** How many functions come again. */
  readonly length: number;
  /** How often they come; 1 if they do not come again. */
  readonly rounds: number;
}

/** What comes again from a place of a chain on, at least `least` times: what makes the most of the chain. */
export function roundsAt(chain: readonly number[], at: number, least: number): Rounds {
  let best: Rounds = { length: 1, rounds: 1 };
  for (let length = 1; length <= LONGEST && at + length * least <= chain.length; length += 1) {
    let end = at + length;
    while (end < chain.length && chain[end] === chain[end - length]) end += 1;
    const rounds = Math.floor((end - at) / length);
    if (rounds >= least && length * rounds > best.length * best.rounds) best = { length, rounds };
  }
  return best;
}
