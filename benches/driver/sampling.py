"""What sampling costs, by how often it looks: the same program as in program.py, side by side with the same, loaded and off.

Samples come by time, however much of it the program gets. So what they cost is compared with the time that the program
took, not with its CPU time: two programs that share a CPU take twice as long, and are looked at twice as often.
"""

import itertools

import variants
from program import command_of, profiles
from quiet import side_by_side
from rounds import interleave, spread
from run import RunFailed
from table import Table


def measure(setup, effort):
    """CPU time that is added, in percent of the time that passed."""
    compared = variants.sampling(setup)
    by_name = {it.name: it for it in compared}
    turn = itertools.count()

    def one(name):
        variant = by_name[name]
        folder = setup.scratch("profiles")
        its, idle = side_by_side(
            command_of(setup, effort, variant, folder), command_of(setup, effort, variants.idle(setup)[0], folder), next(turn) % 2 == 0
        )
        if profiles(variant) and not any(it.stat().st_size for it in folder.iterdir()):
            raise RunFailed(f"{name} wrote no profile\n{its.output}")
        return 100 * (its.cpu_s - idle.cpu_s) / its.wall_s

    results = interleave("sampling", list(by_name), effort.rounds, one)
    return {name: {"percent": spread(values)} for name, values in results.items()}


def tables(data):
    """One line for each rate."""
    return [
        Table(
            "Sampling: CPU time added, in percent of the time that passes",
            ["", "added", "middle half"],
            [[name, f"{it['percent'][0]:+.2f} %", f"{it['percent'][1]:+.2f} to {it['percent'][2]:+.2f}"] for name, it in data.items()],
            "The program of the table above, beside the same with the extension loaded and off, on one CPU. All of it counts: the timer's thread, "
            "whom it interrupts, reading stacks, writing the profile.",
        )
    ]
