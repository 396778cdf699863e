"""How cost grows with calls, functions, depth and paths; tests that memory can be bounded."""

import json
import math

import variants
from plot import Panel, Series
from rounds import interleave, spread
from run import run
from table import Table, number

# The growing quantities and their largest sizes.
LARGEST = {"calls": 100_000_000, "functions": 100_000, "depth": 100_000, "nodes": 10_000_000}
SMALLEST = {"calls": 10_000, "functions": 10, "depth": 10, "nodes": 1_000}
TITLES = {"calls": "calls", "functions": "functions", "depth": "depth of recursion", "nodes": "paths of the call tree"}
SHORT = {**TITLES, "depth": "depth", "nodes": "paths"}
# A bound that is reached long before the end.
BOUND = 10_000
# The largest exponent that counts as linear: the data outgrows the caches, and n log n would be 1.1 over this range.
LINEAR = 1.15


def measure(setup, effort):
    """For each size: the added CPU time of a call, and the memory of the recorded data."""
    compared = {what: subjects(setup, what) for what in LARGEST}
    keys = [(what, n, it.name) for what in LARGEST for n in sizes(what, effort) for it in compared[what]]
    by_name = {it.name: it for its in compared.values() for it in its}

    def one(key):
        what, n, name = key
        variant = by_name[name]
        setup.scratch("profiles")
        command = [
            *variant.php(setup, "-n", "-d", "memory_limit=-1"),
            setup.workload("growth.php"),
            what,
            str(n),
            variant.flags,
        ]
        return json.loads(
            run([*command, str(min(effort.largest, 1_000_000))], variant.env(setup), stack=1 << 30).output
        )

    results = interleave("growth", keys, effort.growth_rounds, one)
    return {what: [point(what, n, compared[what], results) for n in sizes(what, effort)] for what in LARGEST}


def subjects(setup, what):
    """The variants for a quantity. Paths of a tree exist only in files of automatic profiles."""
    roomy = ("xhprof.max_depth=1000000", "xhprof.max_nodes=100000000")
    if what == "nodes":
        tree = (*variants.AUTO, "xhprof.flags=", "xhprof.mode=tree", "xhprof.max_depth=1000000")
        both = [
            variants.ours(setup, "tree", "off", "execute", *tree, "xhprof.max_nodes=100000000"),
            variants.ours(setup, "tree, bounded", "off", "execute", *tree, f"xhprof.max_nodes={BOUND}"),
        ]
        return [variants.none(), *(both if variants.modes(setup) else [])]
    found = [
        variants.none(),
        variants.ours(setup, "execute", "wall", "execute", *roomy),
        variants.ours(setup, "observer", "wall", "observer", *roomy),
    ]
    if what == "functions":
        found.append(variants.ours(setup, "execute, bounded", "wall", "execute", f"xhprof.max_nodes={BOUND}"))
    return found


def sizes(what, effort):
    """Powers of ten."""
    first = SMALLEST[what]
    last = max(first, min(LARGEST[what], effort.largest))
    return [first * 10**power for power in range(round(math.log10(last / first)) + 1)]


def point(what, n, compared, results):
    """The data of one size."""
    alone = results[what, n, "none"]
    found = {"n": n, "none_ns": spread([it["ns"] for it in alone])}
    for variant in compared[1:]:
        values = results[what, n, variant.name]
        found[variant.name] = {
            "added_ns": spread([one["ns"] - base["ns"] for one, base in zip(values, alone)]),
            "grown_bytes": spread([one["grown_bytes"] - base["grown_bytes"] for one, base in zip(values, alone)]),
            **{name: values[0][name] for name in ("rows", "truncated_rows", "truncated_calls")},
        }
    return found


def exponent(points, name):
    """The exponent of the whole cost, by least squares over all sizes: 1 is linear, 2 is quadratic."""
    pairs = [(math.log(it["n"]), math.log(max(it[name]["added_ns"][0], 1))) for it in points]
    if len(pairs) < 2:
        return 1.0
    x = sum(it[0] for it in pairs) / len(pairs)
    y = sum(it[1] for it in pairs) / len(pairs)
    return 1 + sum((a - x) * (b - y) for a, b in pairs) / sum((a - x) ** 2 for a, _ in pairs)


def engines(points):
    """The variants in a list of points that record without a bound."""
    return [name for name in points[0] if name not in ("n", "none_ns") and "bounded" not in name]


def tables(data):
    """The ends of each line in the picture, and the bound."""
    rows = []
    for what, points in data.items():
        for name in engines(points):
            first, last = points[0], points[-1]
            rows.append(
                [
                    f"{TITLES[what]}, {name}",
                    f"{first['n']:,} to {last['n']:,}",
                    number(first[name]["added_ns"][0]),
                    number(last[name]["added_ns"][0]),
                    f"{number(first['none_ns'][0])} to {number(last['none_ns'][0])}",
                    f"{exponent(points, name):.2f}",
                ]
            )
    return [
        Table(
            "How cost grows: CPU time added to a call, ns",
            [
                "",
                "from … to",
                "at the smallest",
                "at the largest",
                "PHP alone",
                "whole cost grows with n to the power of",
            ],
            rows,
            "Wall time recorded. *PHP alone* is the same call without a profiler. It also costs more when the program outgrows the caches.",
        ),
        Table(
            f"Memory with xhprof.max_nodes = {BOUND:,}",
            [
                "",
                "recorded without the bound, MB",
                "with it, MB",
                "rows with it",
                "of which [truncated]",
                "calls in these",
            ],
            [
                row
                for what, name, free in (
                    ("functions", "execute, bounded", "execute"),
                    ("nodes", "tree, bounded", "tree"),
                )
                for row in bounded(data[what], what, name, free)
            ],
            "Growth of the process. An edge table keeps a function's name even when its edges are cut off. The rows of a tree are in its file and not counted here.",
        ),
    ]


def bounded(points, what, name, free):
    """One row a size, from the bound on."""
    return [
        [
            f"{it['n']:,} {TITLES[what]}",
            number(it[free]["grown_bytes"][0] / 1e6),
            number(it[name]["grown_bytes"][0] / 1e6),
            *(
                [f"{it[name][cell]:,}" for cell in ("rows", "truncated_rows", "truncated_calls")]
                if it[name]["rows"]
                else ["", "", ""]
            ),
        ]
        for it in points
        if name in it and it["n"] >= BOUND
    ]


def panels(data):
    """The panels of the picture: cost of a call for each quantity, then memory."""
    found = []
    for what, points in data.items():
        series = [
            Series(name, [(it["n"], it[name]["added_ns"][0]) for it in points], look)
            for look, name in enumerate(engines(points))
        ]
        series.append(Series("PHP alone", [(it["n"], it["none_ns"][0]) for it in points], 2))
        found.append(Panel(f"Time of a call, by {SHORT[what]}", TITLES[what], "ns", series))
    for what, names in (("functions", ("execute", "execute, bounded")), ("nodes", ("tree", "tree, bounded"))):
        series = [
            Series(name, [(it["n"], it[name]["grown_bytes"][0] / 1e6) for it in data[what]], look)
            for look, name in enumerate(names)
            if name in data[what][0]
        ]
        if series:
            found.append(Panel(f"Memory, by {SHORT[what]}", TITLES[what], "MB", series))
    return found
