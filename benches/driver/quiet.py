"""Measuring on a machine that is not quiet.

Neighbours on the same cores make everything take up to twice as long, for some milliseconds, and the clock frequency
changes, too. Against that there are two ways here. A loop of calls is cut into pieces of half a millisecond, of which those
are believed for which a yardstick took no longer than at its best (benches/workloads/quiet.php). A whole program is
longer than any quiet moment: it runs at the same time as what it is compared with, on one CPU, so that the kernel gives
it to the one and to the other in turns of milliseconds, and both meet the same machine; what counts is their own CPU time.
"""

import os

from run import run, run_together

# A piece counts only if the yardstick beside it took at most this multiple of its best time; as in quiet.php.
UNDISTURBED = 1.08
# The mark of numbers that were never undisturbed.
DISTURBED = "°"


def find_yardstick(setup, seconds):
    """Measures the best time of the yardstick, for all programs that start later."""
    os.environ["BENCH_YARDSTICK"] = run([setup.php, "-n", setup.workload("quiet.php"), str(seconds)]).output.strip()


def value_of(output):
    """The output of a workload: a number, and whether the machine was quiet during the measurement."""
    value, _, state = output.strip().partition(" ")
    return float(value), state == "quiet"


def side_by_side(ours, theirs, first):
    """Runs two commands, each (command, environment, exit codes), on one CPU at a time; theirs first if asked to.

    The two runs in the order of the arguments.
    """
    cpu = max(os.sched_getaffinity(0))
    pair = [ours, theirs] if first else [theirs, ours]
    runs = run_together(pair, cpu)
    return runs if first else runs[::-1]

