"""The cost of one call, by workload and profiler."""

import math

import variants
from quiet import DISTURBED, value_of
from rounds import interleave, spread
from run import run
from table import Table, number, with_spread

WORKLOADS = (
    "user",
    "method",
    "static",
    "closure",
    "internal",
    "recursion",
    "deep",
    "wide",
    "parents",
    "children",
    "edges",
)


def measure(setup, effort, workloads=WORKLOADS):
    """Nanoseconds a call more than without a profiler, and as a multiple of what the floor adds: [median, low, high] each."""
    compared = [
        variants.none(),
        variants.floor(setup),
        variants.off(setup),
        *variants.idle(setup),
        *variants.profiling(setup),
        *variants.rivals(setup),
        variants.jit(),
        *variants.jit_idle(setup),
    ]
    by_name = {it.name: it for it in compared}

    def one(key):
        workload, name = key
        variant = by_name[name]
        setup.scratch("profiles")
        calls = str(max(effort.calls // variant.slow, 50))
        command = [*variant.php(setup, "-n"), setup.workload("calls.php"), workload, calls, variant.flags]
        return value_of(run(command, variant.env(setup)).output)

    keys = [(workload, it.name) for workload in workloads for it in compared]
    results = interleave("calls", keys, effort.rounds, one, lambda key: by_name[key[1]].rival)
    return {workload: costs(workload, results, by_name) for workload in workloads}


def costs(workload, results, by_name):
    """For one workload and each variant: the time of a call, the added time, and its multiple of the floor's."""
    measured = {name: values for (its, name), values in results.items() if its == workload}
    taken = {name: [value for value, _ in values] for name, values in measured.items()}
    floor = subtract(taken["floor"], taken["none"])
    found = {}
    for name, values in taken.items():
        added = subtract(values, taken[by_name[name].base])
        found[name] = {
            "ns": spread(values),
            # The share of rounds in which the machine was quiet.
            "quiet_rounds": sum(is_quiet for _, is_quiet in measured[name]),
            "rounds": len(values),
            "added_ns": spread(added),
            "of_floor": divide(added, floor),
            # The whole call as a multiple of the whole call with the floor.
            "whole_of_floor": divide(values, taken["floor"]),
        }
    return found


def subtract(some, others):
    """Differences, round by round."""
    return [one - other for one, other in zip(some, others)]


def divide(some, others):
    """Ratios, round by round, without rounds in which the divisor was too small for the clock."""
    return spread([one / other for one, other in zip(some, others) if other > 0] or [math.nan])


def mark(it):
    return "" if 2 * it["quiet_rounds"] > it["rounds"] else DISTURBED


def tables(data):
    """Nanoseconds, and multiples of the floor."""
    names = list(dict.fromkeys(name for it in data.values() for name in it))
    alone = ("none", "JIT: none")
    others = [name for name in names if name != "floor" and not name.startswith("JIT") and name not in alone]

    def rows(names, cell):
        return [[name, *(cell(name, it[name]) if name in it else "–" for it in data.values())] for name in names]

    return [
        Table(
            "CPU time added to one call, ns",
            ["", *data],
            rows(names, lambda name, it: with_spread(it["ns" if name in alone else "added_ns"]) + mark(it)),
            "The lines `none` and `JIT: none` are the time of the call itself, loop included. Every other line is what the profiler adds to it. "
            "*Floor, off* is `benches/floor/off.c`: what later hooks need while nothing is profiled, and nothing else. "
            f"{DISTURBED}: in most rounds the machine was not quiet for long enough to measure one piece of this.",
        ),
        Table(
            "Added, as a multiple of what the floor adds",
            ["", *data],
            rows(others, lambda _, it: number(it["of_floor"][0])),
            "(this line − none) ÷ (floor − none). The targets use this number.",
        ),
        Table(
            "The whole call, as a multiple of the call with the floor",
            ["", *data],
            rows(others, lambda _, it: number(it["whole_of_floor"][0])),
            "this line ÷ floor, with the call itself in both.",
        ),
    ]
