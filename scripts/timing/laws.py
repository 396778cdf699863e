"""The two laws of adaptive timing, judged on many runs: docs/timing.md, "How this is checked", says why it is done so."""

import math
import statistics
from dataclasses import dataclass

# Of fewer runs, their differences are not known.
LEAST_RUNS = 5
# Functions with at least this share of the reference, in percent, must be within this many points.
LARGE, POINTS = 1.0, 1.0
# The least part of the rows whose margin must cover the reference.
COVERED = 0.95
# Of a normal distribution: two sides of 95 %, one side of 95 %.
TWO_SIDES, ONE_SIDE = 1.96, 1.645


@dataclass
class Row:
    """One function: its shares in the runs, in percent."""

    name: str
    # The reference: the mean of exact timing, or the known share; and the standard error of that mean.
    reference: float
    reference_error: float
    # Exact timing's shares: their mean, and their standard deviation from run to run.
    exact: float
    deviation: float
    # A Share for each adaptive run; none where the function was not in the profile.
    adaptive: list

    # How many standard deviations are 95 % of the next runs, after so many exact runs: Student's t.
    deviations: float

    @property
    def percents(self):
        return [it.percent for it in self.adaptive if it]

    @property
    def off(self):
        """The difference of the means, in points, and its 95 % margin."""
        error = math.hypot(self.reference_error, deviation(self.percents) / math.sqrt(len(self.percents)))
        return statistics.fmean(self.percents) - self.reference, self.deviations * error

    def stated(self):
        """The runs whose report states a margin: each one's index and share."""
        return [(index, it) for index, it in enumerate(self.adaptive) if it and it.margin > 0]

    def misses(self, centre=None):
        """For each run with a margin: its index, and whether the reference is outside of it.

        The margin says how far exact timing of the same run would be away. The reference is of other runs, and they differ: their
        variance is added to that of the estimate.
        """
        centre = self.reference if centre is None else centre
        runs = self.deviations * math.hypot(self.deviation, self.reference_error)
        return [(index, abs(it.percent - centre) > math.hypot(it.margin, runs)) for index, it in self.stated()]

    def misses_as_stated(self):
        """The same with the stated margin alone."""
        return [(index, abs(it.percent - self.reference) > it.margin) for index, it in self.stated()]

    def misses_of_spread(self):
        """The same around the mean of the adaptive runs: a bias of either timing does not count."""
        return self.misses(statistics.fmean(self.percents))


def rows(adaptive, exact, truth):
    """The functions that are in all runs of exact timing. Each argument is a list of runs: shares by name; `truth` has percentages, or is empty."""
    for name in set.intersection(*(set(run) for run in exact)):
        of_exact = [run[name].percent for run in exact]
        known = [run[name] for run in truth] if truth else of_exact
        runs = [run.get(name) for run in adaptive]
        if any(runs):
            error = deviation(known) / math.sqrt(len(known))
            yield Row(name, statistics.fmean(known), error, statistics.fmean(of_exact), deviation(of_exact), runs, student(len(exact) - 1))


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0.0


def student(freedom):
    """Student's t for two sides of 95 %: the first terms of its expansion, good to 0.01 from 4 degrees of freedom on."""
    z = TWO_SIDES
    terms = (z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return sum(term / freedom**power for power, term in enumerate(terms))


@dataclass(frozen=True)
class Coverage:
    """How many of the rows with a margin, over all runs, were within it."""

    part: float
    # Of `part`, from run to run.
    error: float
    count: int

    @property
    def holds(self):
        """Not below the limit by more than chance: exact margins of 95 % are just below it in every second check."""
        return self.count == 0 or self.part + ONE_SIDE * self.error >= COVERED


def coverage(all_misses, runs):
    """Adds up the misses of many rows. Rows of one run are not independent, runs are: the error is that of a ratio over runs."""
    counts = [[0, 0] for _ in range(runs)]
    for misses in all_misses:
        for index, is_missed in misses:
            counts[index][0] += not is_missed
            counts[index][1] += 1
    within, count = (sum(column) for column in zip(*counts))
    if count == 0:
        return Coverage(1.0, 0.0, 0)
    part = within / count
    squares = sum((one - part * all_of_it) ** 2 for one, all_of_it in counts)
    error = math.sqrt(squares * runs / max(1, runs - 1)) / count
    return Coverage(part, error, count)


@dataclass
class Verdict:
    """One program by one clock."""

    rows: list
    runs: int

    @property
    def large(self):
        return [row for row in self.rows if row.reference >= LARGE]

    @property
    def furthest(self):
        """The large functions, the furthest off first."""
        return sorted(self.large, key=lambda row: -abs(row.off[0]))

    @property
    def shares_hold(self):
        return all(abs(row.off[0]) <= POINTS for row in self.large)

    @property
    def within(self):
        return coverage([row.misses() for row in self.rows], self.runs)

    @property
    def as_stated(self):
        return coverage([row.misses_as_stated() for row in self.rows], self.runs)

    @property
    def spread(self):
        return coverage([row.misses_of_spread() for row in self.rows], self.runs)

    @property
    def holds(self):
        return self.shares_hold and self.within.holds

    @property
    def most_missed(self):
        """Rows that their margins missed, most often first, of equal ones the larger."""
        missed = [(sum(is_missed for _, is_missed in row.misses()), row) for row in self.rows]
        missed = [it for it in missed if it[0] > 0]
        return sorted(missed, key=lambda it: (-it[0], -it[1].reference))
