"""Accuracy: a program with parts of 10, 20 and 70 % of the time; one part makes many tiny calls.

The true shares come from the program without a profiler, in the same rounds. A profiler's own cost makes the share of the part with the tiny
calls too large.
"""

import json

import variants
from cachegrind import calls_of
from rounds import interleave, spread
from run import RunFailed, run
from table import Table, number

# Rounds, as a multiple of those of other parts.
TIMES = 3
# Share of the time.
LITTLE = 0.01
PARTS = {"ten": 0.10, "twenty": 0.20, "seventy": 0.70}


def measure(setup, effort):
    """For each choice of the part with tiny calls, and each profiler: the worst error of the three parts, in points."""
    compared = [variants.none(), *profilers(setup)]
    by_name = {it.name: it for it in compared}
    program = setup.workload("accuracy.php")
    step_ns = json.loads(run([setup.php, "-n", program, "calibrate"]).output)

    def one(key):
        tiny, name = key
        variant = by_name[name]
        sizes = [size(part, tiny, step_ns, effort.accuracy_ms) for part in PARTS]

        def once():
            folder = setup.scratch("profiles")
            result = json.loads(
                run([*variant.php(setup, "-n"), program, variant.flags, *sizes], variant.env(setup)).output
            )
            return result, calls_of(next(folder.iterdir()), PARTS) if name.startswith("Xdebug") else {}

        result, in_file = least_waiting(once, 1 if variant.rival else min(effort.tries, 5))
        if name == "none":
            return {"truth": shares(result["spent_ns"])}
        if name.startswith("Xdebug"):
            return {"wall": shares(in_file)}
        said = {"wall": result["said"]["wt"], "CPU": result["said"]["cpu"]}
        if None in said["wall"].values():
            raise RunFailed(f"{name}: the profile lacks some of the parts: {result['said']}")
        return {cost: shares(values) for cost, values in said.items() if None not in values.values()}

    # Our error varies between processes by more than its size; the errors of others are tens of points.
    ours = [(tiny, it.name) for tiny in PARTS for it in compared if not it.rival]
    results = interleave("accuracy", ours, effort.rounds * TIMES, one)
    rivals = [(tiny, it.name) for tiny in PARTS for it in compared if it.rival]
    if rivals:
        results |= interleave("accuracy of others", rivals, effort.rounds, one, lambda key: by_name[key[1]].rival)
    return {tiny: errors(tiny, results) for tiny in PARTS}


def least_waiting(once, tries):
    """Repeats runs until the process did not wait for a processor: waiting is wall time, but no work."""
    found = []
    while len(found) < tries and not any(result["waited"] < LITTLE for result, _ in found):
        found.append(once())
    return min(found, key=lambda it: it[0]["waited"])


def profilers(setup):
    """The variants: ours, by flags and engine, and others."""
    return [
        variants.ours(setup, "wall", "wall", "execute"),
        variants.ours(setup, "all", "wall,cpu,memory", "execute"),
        variants.ours(setup, "wall (observer)", "wall", "observer"),
        variants.ours(setup, "all (observer)", "wall,cpu,memory", "observer"),
        *(it for it in variants.rivals(setup) if it.flags != "off" or it.name.startswith("Xdebug")),
    ]


def size(part, tiny, step_ns, total_ms):
    """The argument for one part: its share of the time, in steps."""
    how = "many" if part == tiny else "few"
    return f"{how}:{max(10, round(PARTS[part] * total_ms * 1e6 / step_ns[how]))}"


def shares(spent):
    """Percent of the sum of the three parts."""
    whole = sum(spent.values()) or 1
    return {part: 100 * it / whole for part, it in spent.items()}


def errors(tiny, results):
    """For one program: the true shares, and the shares by profiler and cost."""
    truth = {part: spread([it["truth"][part] for it in results[tiny, "none"]])[0] for part in PARTS}
    found = {}
    for (its, name), values in results.items():
        if its != tiny or name == "none":
            continue
        for cost in values[0]:
            said = {part: spread([it[cost][part] for it in values])[0] for part in PARTS}
            found[f"{name}: {cost}"] = {"said": said, "worst": max(abs(said[part] - truth[part]) for part in PARTS)}
    return {"truth": truth, "profilers": found}


def worst(data, name):
    """The worst error over the three programs; none if the profiler is missing in one."""
    all_of_it = [it["profilers"].get(name) for it in data.values()]
    return None if None in all_of_it else max(it["worst"] for it in all_of_it)


def tables(data):
    """For each profiler: its share for the part with tiny calls, and its worst error."""
    names = list(dict.fromkeys(name for it in data.values() for name in it["profilers"]))
    rows = [["the truth", *(f"{it['truth'][tiny]:.1f} %" for tiny, it in data.items()), ""]]
    for name in names:
        said = [
            f"{it['profilers'][name]['said'][tiny]:.1f} %" if name in it["profilers"] else "–"
            for tiny, it in data.items()
        ]
        off = worst(data, name)
        rows.append([name, *said, "–" if off is None else number(off)])
    return [
        Table(
            "Accuracy: the share of the part that is made of tiny calls",
            ["", "10 %", "20 %", "70 %", "worst error, points"],
            rows,
            "Three programs, each with parts of 10, 20 and 70 % of the CPU time. In each program another part makes tiny calls; the other two parts make few long ones. "
            "The truth is the program's own count of CPU time without a profiler. The error is the largest of all parts of all three programs. "
            "After the colon: the clock that was read, wall or CPU time. The parts take turns, twenty each. A run that waited for a processor for more than a hundredth "
            "of the time is repeated, a limited number of times. Runs of other profilers are not repeated, because their error is larger than that.",
        )
    ]
