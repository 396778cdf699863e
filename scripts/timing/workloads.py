"""The programs whose functions are timed: real ones, and some whose shares are known."""

import json
import subprocess
from dataclasses import dataclass
from types import SimpleNamespace

from accuracy import PARTS, size
from programs import programs

from shares import Group, SelfShares

# Of the programs with known shares: seconds and milliseconds of CPU time.
KNOWN_S, PARTS_MS = 0.5, 300
NUMBERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Workload:
    """A program, and which shares of its profile are compared."""

    name: str
    # Without PHP.
    command: tuple
    # Which costs of which functions, as a sequence of groups that each add up to 100 %.
    groups: tuple
    # Finds the true shares by name, in percent, with a run of its own; none if those of exact timing are the reference.
    truth: object = None


def workloads(php, root, wiki):
    """All that can run on this machine."""
    bench = SimpleNamespace(workload=lambda name: f"{root}/benches/workloads/{name}", wiki=wiki)
    real = programs(bench, SimpleNamespace(name="full"))
    return [
        *(Workload(name, tuple(command), (SelfShares(),)) for name, command in real.items()),
        repeated(root),
        *parts(php, bench.workload("accuracy.php")),
    ]


def repeated(root):
    """The same work one to four times, in functions that make short calls: scripts/sampling/known.php."""
    groups = [[f"{kind}_{number}" for number in NUMBERS] for kind in ("calls", "leaf")]
    truth = {name: 100 * number / sum(NUMBERS) for names in groups for name, number in zip(names, NUMBERS)}
    command = (f"{root}/scripts/sampling/known.php", "calls", str(KNOWN_S))
    return Workload("known: repeated calls", command, tuple(Group(names) for names in groups), lambda: truth)


def parts(php, program):
    """Parts of 10, 20 and 70 %, of which one makes tiny calls: benches/workloads/accuracy.php.

    The truth is what each part took without a profiler, by the program's own reading of the CPU clock.
    """
    step_ns = json.loads(output([php, "-n", program, "calibrate"]))
    for tiny in PARTS:
        arguments = ("off", *(size(part, tiny, step_ns, PARTS_MS) for part in PARTS))

        def truth(arguments=arguments):
            spent = json.loads(output([php, "-n", program, *arguments]))["spent_ns"]
            return {part: 100 * ns / sum(spent.values()) for part, ns in spent.items()}

        yield Workload(f"known: tiny calls in {tiny}", (program, *arguments), (Group(PARTS),), truth)


def output(command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
