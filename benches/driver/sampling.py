"""The cost of sampling, by interval: the program of program.py, beside the same program with the extension loaded and off.

Samples are taken by elapsed time, however much of it the program gets. So their cost is compared with the elapsed time, not
with the CPU time: two programs that share a CPU take twice as long, and get twice as many samples.

Two runs of the same program differ by more than half a percent. So there are more rounds, and the result is a range that
contains the median with 95 % certainty. A session without samples separates the cost of a profile from the cost of a sample.
"""

import itertools

import variants
from program import command_of, profiles
from quiet import side_by_side
from rounds import interleave, sure
from run import RunFailed
from table import Table

# Rounds, as a multiple of those of other parts.
MORE = 4


def measure(setup, effort):
    """Added CPU time, in percent of the elapsed time."""
    compared = [*variants.sampling(setup), *variants.attached(setup)]
    by_name = {it.name: it for it in compared}
    turn = itertools.count()

    def one(name):
        variant = by_name[name]
        folder = setup.scratch("profiles")
        its, idle = side_by_side(
            command_of(setup, effort, variant, folder),
            command_of(setup, effort, variants.idle(setup)[0], folder),
            next(turn) % 2 == 0,
        )
        if profiles(variant) and not any(it.stat().st_size for it in folder.iterdir()):
            raise RunFailed(f"{name} wrote no profile\n{its.output}")
        return 100 * (its.cpu_s - idle.cpu_s) / its.wall_s

    results = interleave("sampling", list(by_name), MORE * effort.rounds, one)
    return {
        name: {"percent": sure(values), **each_sample(name, values, results[variants.NO_SAMPLE])}
        for name, values in results.items()
    }


def each_sample(name, percents, without):
    """Microseconds in each interval, on top of a session without samples by the same engine."""
    if name == variants.NO_SAMPLE or "engine" in name or name not in variants.SAMPLING_US:
        return {}
    return {
        "sample_us": sure([(its - idle) / 100 * variants.SAMPLING_US[name] for its, idle in zip(percents, without)])
    }


def tables(data):
    """One line for each rate."""
    return [
        Table(
            "Sampling: CPU time added, in percent of the time that passes",
            ["", "added", "95 % range", "each interval, µs", "95 % range"],
            [[name, *percent(it["percent"]), *microseconds(it)] for name, it in data.items()],
            "PHP_CodeSniffer, beside the same program with the extension loaded and off, on one CPU. Everything counts: the timer's thread, "
            "the interrupted thread, reading stacks, writing the profile. *No sample* is a session that ends before its first sample; the cost of each interval comes "
            "on top of that. *attach*: the extension is loaded and off, and `xhprof attach` samples the program from outside, on any CPU; "
            "its own time is not counted. *95 % range*: the median is in it, with a certainty of 95 %.",
        )
    ]


def percent(median_low_high):
    """Two cells."""
    median, low, high = median_low_high
    return f"{median:+.2f} %", f"{low:+.2f} to {high:+.2f}"


def microseconds(it):
    """Two cells, empty where that is not known."""
    if "sample_us" not in it:
        return "", ""
    median, low, high = it["sample_us"]
    return f"{median:.1f}", f"{low:.1f} to {high:.1f}"
