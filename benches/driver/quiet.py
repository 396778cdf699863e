"""Measuring on a machine that is not quiet.

Neighbours on the same cores make everything take up to twice as long, for some milliseconds. The clock frequency changes,
too. There are two methods against that:

- A loop of calls is cut into pieces of half a millisecond. A piece counts only if a yardstick beside it took about its best
  time (benches/workloads/quiet.php).
- A whole program is longer than any quiet moment. It runs at the same time as the run it is compared with, on one CPU. The
  kernel switches between the two every few milliseconds, so both meet the same machine. Their CPU times are compared.
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
    """Runs two commands, each (command, environment, exit codes), at the same time on one CPU.

    `first` starts theirs first. Returns the two runs in the order of the arguments.
    """
    cpu = max(os.sched_getaffinity(0))
    pair = [ours, theirs] if first else [theirs, ours]
    runs = run_together(pair, cpu)
    return runs if first else runs[::-1]
