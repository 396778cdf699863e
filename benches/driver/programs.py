"""Real programs that call functions all the time, beside the least that a profiler costs there.

Loops of empty calls flatter a profiler: the caller is always the same, and everything is in the cache. Here callers
alternate, rows miss the cache, and names are met for the first time. *Hooks only* and *floor* say what part of the cost any
profiler in PHP's execute hooks has.
"""

import itertools
import os

import variants
from program import PROGRAM, SMOKE, command_of, profiles, ratios, same_answer
from quiet import side_by_side
from rounds import interleave, spread
from run import RunFailed
from table import Table, number

NOTE = (
    "CPU time of the whole process, as a multiple of the program alone, which runs at the same time on the same CPU; in brackets the middle half. The profile is made "
    "and written within that time. *Hooks only* is `benches/floor/hooks.c`, which reads nothing; *floor* is `benches/floor/floor.c`, which reads the clock twice a call "
    "and stores nothing. Lines with JIT are multiples of the program under the JIT; *an idle observer* is `benches/floor/observer.c`, which is never called for a call."
)
# A smaller addition is not known well enough to divide by it.
LEAST_FLOOR = 0.03
OF_FLOOR = f"What the variant adds to the program, divided by what the floor adds, where that is at least {LEAST_FLOOR:.0%}. The targets use these numbers."


def programs(setup, effort):
    """The programs that are installed, by name: command lines without PHP."""
    smoke = effort.name == "smoke"
    phpunit = "/usr/share/php/PHPUnit/Framework"
    found = {
        "PHP_CodeSniffer": SMOKE if smoke else PROGRAM,
        "PHP-Parser": (
            "/usr/bin/php-parse",
            "--resolve-names",
            "--pretty-print",
            f"{phpunit}/Assert.php",
            f"{phpunit}/TestCase.php",
        ),
        "Composer, `list`": ("/usr/bin/composer", "list"),
        "Twig": (setup.workload("twig.php"), "10" if smoke else "1500"),
    }
    tests = (
        "/usr/bin/phpunit",
        "--no-configuration",
        "--do-not-cache-result",
        *(("--filter", "few") if smoke else ()),
        setup.workload("TwigTest.php"),
    )
    found["PHPUnit on Twig"] = tests
    # It has no short form.
    if not smoke:
        found["MediaWiki's parser"] = (f"{setup.wiki}/site/maintenance/parse.php", f"{setup.wiki}/page.txt")
    twig = "/usr/share/php/Twig/autoload.php"
    needs = {"Twig": twig, "PHPUnit on Twig": twig, "MediaWiki's parser": f"{setup.wiki}/page.txt"}
    return {
        name: command
        for name, command in found.items()
        if os.path.exists(command[0]) and os.path.exists(needs.get(name, command[0]))
    }


def compared(setup):
    """The variants, each beside the program alone."""
    ours = [it for it in variants.profiling(setup) if it.name in ("wall", "all", "tree, all", "wall (observer)")]
    rivals = [it for it in variants.rivals(setup) if it.flags == "wall" or it.flags == "off" and ": off" not in it.name]
    return [
        variants.hooks(setup),
        variants.floor(setup),
        *variants.idle(setup),
        *ours,
        *rivals,
        *variants.jit_idle(setup),
        variants.jit_wall(setup),
    ]


def measure(setup, effort):
    """For each program and variant: the ratio of CPU times, and the added time as a multiple of the floor's."""
    os.environ["COMPOSER_ALLOW_SUPERUSER"] = "1"
    return {name: measure_one(setup, effort, name, command) for name, command in programs(setup, effort).items()}


def measure_one(setup, effort, program_name, program):
    by_name = {it.name: it for it in compared(setup)}
    alone = {it.name: it for it in (variants.none(), variants.jit())}
    said, turn = {}, itertools.count()

    def one(name):
        variant = by_name[name]
        folder = setup.scratch("profiles")
        its, base = side_by_side(
            command_of(setup, effort, variant, folder, program),
            command_of(setup, effort, alone[variant.base], folder, program),
            next(turn) % 2 == 0,
        )
        same_answer(name, its, said)
        same_answer(variant.base, base, said)
        # The floor has a profile of nothing.
        if name != "floor" and profiles(variant) and not any(it.stat().st_size for it in folder.iterdir()):
            raise RunFailed(f"{name} wrote no profile\n{its.output}")
        return its.cpu_s / base.cpu_s

    results = interleave(program_name, by_name, effort.rounds, one, lambda name: by_name[name].rival)
    ratio = {name: spread(values) for name, values in results.items()}
    floor = ratio["floor"][0] - 1

    def of_floor(name):
        is_comparable = floor >= LEAST_FLOOR and not by_name[name].jit
        return (ratio[name][0] - 1) / floor if is_comparable else float("nan")

    return {name: {"ratio": it, "of_floor": of_floor(name)} for name, it in ratio.items()}


def tables(data):
    """One column a program."""
    names = list(data)
    lines = list(dict.fromkeys(variant for its in data.values() for variant in its))

    def rows(shown, cell):
        return [[line, *(cell(data[name][line]) if line in data[name] else "" for name in names)] for line in shown]

    return [
        Table("Real programs", ["", *names], rows(lines, with_range), NOTE),
        Table(
            "Added, as a multiple of what the floor adds",
            ["", *names],
            rows([it for it in lines if it != "floor" and not it.startswith("JIT")], lambda it: number(it["of_floor"])),
            OF_FLOOR,
        ),
    ]


def with_range(result):
    median, range_ = ratios(result)
    return f"{median} ({range_})"
