"""Interleaved rounds: each variant once, in a new order each round.

A machine that is slower for a while slows down all variants of that round. So variants are compared within rounds, and the
result is the median over the rounds.
"""

import math
import random
import statistics
import sys
import time

from run import RunFailed


def spread(numbers):
    """The median of some numbers and the middle half of them: [median, low, high]."""
    numbers = sorted(numbers)
    if len(numbers) == 1:
        return numbers * 3
    low, middle, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return [middle, low, high]


def sure(numbers):
    """The median and its 95 % range, by the sign test: [median, low, high]. Of fewer than six numbers, the range has all.

    Each number is below the true median with a probability of one half, whatever the machine does. So it is unlikely that only
    few numbers are below it.
    """
    numbers = sorted(numbers)
    count, few, left_out = len(numbers), 1, 0
    while few / 2**count <= 0.025:
        left_out += 1
        few += math.comb(count, left_out)
    first = max(left_out - 1, 0)
    return [statistics.median(numbers), numbers[first], numbers[-1 - first]]


def interleave(name, keys, rounds, measure, optional=lambda key: False):
    """For each key the results of measure(key), round by round.

    An optional key (another profiler) that fails is left out from then on. Any other failure ends the bench.
    """
    results = {key: [] for key in keys}
    began = time.monotonic()
    for number in range(rounds):
        order = list(results)
        random.Random(number).shuffle(order)
        for key in order:
            try:
                results[key].append(measure(key))
            except RunFailed as failure:
                if not optional(key):
                    raise
                say(f"left out: {key}: {failure}")
                del results[key]
        so_far = time.monotonic() - began
        left = so_far / (number + 1) * (rounds - number - 1)
        say(
            f"{name}: round {number + 1} of {rounds}, "
            + (f"{duration(left)} to go" if left else f"took {duration(so_far)}")
        )
    return results


def say(text):
    """Progress, on standard error."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def duration(seconds):
    """For people."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
