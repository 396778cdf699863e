"""Costs that are paid once a profile: beginning, ending, and memory.

Of several runs, the one counts in which the machine was quietest at the end of the profile (quiet.py).
"""

import json

import variants
from quiet import UNDISTURBED
from rounds import interleave, spread
from run import run
from table import Table, number, with_spread

EDGES = 10_000


def measure(setup, effort):
    """For each profiler: with few functions, and with one function for each edge."""
    compared = [
        variants.ours(setup, "all", "wall,cpu,memory"),
        variants.ours(setup, "all (observer)", "wall,cpu,memory", "observer"),
        *(it for it in variants.rivals(setup) if it.flags == "wall,cpu,memory"),
    ]
    by_name = {it.name: it for it in compared}
    edges = min(EDGES, effort.largest)

    def one(key):
        functions, name = key
        variant = by_name[name]
        warm = "on" if variant.rival else "off"
        command = [
            *variant.php(setup, "-n", "-d", "memory_limit=-1"),
            setup.workload("once.php"),
            str(edges),
            functions,
            variant.flags,
            warm,
        ]
        tries = []
        while len(tries) < effort.tries and not any(it["disturbance"] <= UNDISTURBED for it in tries):
            tries.append(json.loads(run(command, variant.env(setup)).output))
        return min(tries, key=lambda it: it["disturbance"])

    keys = [(functions, it.name) for functions in ("few", "many") for it in compared]
    results = interleave("once", keys, effort.rounds, one, lambda key: by_name[key[1]].rival)
    return {
        f"{name}, {functions} functions": {
            "rival": by_name[name].rival,
            **{what: spread([it[what] for it in values]) for what in values[0]},
            "bytes_per_edge": spread([it["recorded_bytes"] / it["edges"] for it in values]),
        }
        for (functions, name), values in results.items()
    }


def tables(data):
    """One line a profiler."""
    return [
        Table(
            f"Once a profile: {next(iter(data.values()))['edges'][0]:,.0f} edges, all flags",
            [
                "",
                "first enable, µs",
                "later ones, µs",
                "disable, ms",
                "recorded, bytes an edge",
                "the array, bytes an edge",
            ],
            [
                [
                    name,
                    with_spread(it["first_enable_us"]),
                    with_spread(it["later_enable_us"]),
                    with_spread(it["disable_ms"]),
                    "" if it["rival"] else number(it["bytes_per_edge"][0]),
                    number(it["array_bytes"][0] / it["edges"][0]),
                ]
                for name, it in data.items()
            ],
            "100 callers that all call the same 100 functions (few functions), or each its own (many functions: one for each edge). "
            "To enable is wall time, because the first enable sleeps 5 ms while it measures the clock. To disable is CPU time. "
            "*Recorded* is the growth of the process until then. It includes names, so one function for each edge is the most expensive case. "
            "It is empty for profilers that record into PHP's own memory: their part cannot be told from the program's. "
            "A profiler that fills the array during the calls has nothing left to do at the end.",
        )
    ]
