"""A real program: PHP_CodeSniffer checks PHPUnit's constraints, as in `./x demo`.

Each variant runs side by side with the run it is compared with (quiet.py).
"""

import itertools
import os
import re

import variants
from quiet import side_by_side
from rounds import interleave, spread
from run import RunFailed
from table import Table, with_spread

PHPUNIT = "/usr/share/php/PHPUnit/Framework"
if os.path.exists("/usr/bin/phpcs"):
    PROGRAM = ("/usr/bin/phpcs", "--standard=PSR12", "-q", "--report=summary", f"{PHPUNIT}/Constraint")
    SMOKE = (*PROGRAM[:-1], f"{PROGRAM[-1]}/Constraint.php")
    TITLE, CALLS = "PHP_CodeSniffer over 53 files", "some 452,000 calls"
else:
    # Debian 13 does not have it; see scripts/program.sh.
    SMOKE = ("/usr/bin/php-parse", "--resolve-names", "--pretty-print", f"{PHPUNIT}/Assert.php")
    PROGRAM = (*SMOKE, f"{PHPUNIT}/TestCase.php", f"{PHPUNIT}/Assert/Functions.php")
    TITLE, CALLS = "PHP-Parser over 3 files", "parsed and printed again"


def measure(setup, effort):
    """CPU time of the whole process, from start to end, and its ratio to the program alone."""
    compared = [
        variants.none(),
        *variants.idle(setup),
        *variants.profiling(setup),
        *variants.rivals(setup),
        variants.jit(),
        *variants.jit_idle(setup),
    ]
    by_name = {it.name: it for it in compared}
    bases = {it.base for it in compared}
    said, turn = {}, itertools.count()

    def one(name):
        variant = by_name[name]
        folder = setup.scratch("profiles")
        its, base = side_by_side(
            command_of(setup, effort, variant, folder),
            command_of(setup, effort, by_name[variant.base], folder),
            next(turn) % 2 == 0,
        )
        same_answer(name, its, said)
        same_answer(variant.base, base, said)
        if profiles(variant) and not any(it.stat().st_size for it in folder.iterdir()):
            raise RunFailed(f"{name} wrote no profile\n{its.output}")
        return its.cpu_s, base.cpu_s

    results = interleave(
        "program", [name for name in by_name if name not in bases], effort.rounds, one, lambda name: by_name[name].rival
    )
    alone = {
        base: [theirs for name, pairs in results.items() if by_name[name].base == base for _, theirs in pairs]
        for base in sorted(bases)
    }
    return {
        **{base: {"cpu_ms": spread([it * 1000 for it in values])} for base, values in alone.items()},
        **{
            name: {
                "cpu_ms": spread([its * 1000 for its, _ in pairs]),
                "ratio": spread([its / theirs for its, theirs in pairs]),
            }
            for name, pairs in results.items()
        },
    }


def command_of(setup, effort, variant, folder, program=None):
    """A program with a variant, whose profile goes into a folder: command, environment, exit codes."""
    program = program or (PROGRAM if effort.name != "smoke" else SMOKE)
    options = ["-d", f"auto_prepend_file={setup.workload('prepend.php')}"] if variant.flags != "off" else []
    environment = {
        "BENCH_FLAGS": variant.flags,
        "BENCH_PROFILE": str(folder / "profile"),
        "PHP_INI_SCAN_DIR": setup.scan_dir,
    }
    # PHP_CodeSniffer ends with 2 if it finds errors, as it does here; else with 0.
    command = [*variant.php(setup), *options, *program]
    if variant.attached:
        # The shell becomes PHP; its child, which is not waited for, samples it on any CPU.
        cpus = f"0-{os.cpu_count() - 1}"
        sample = f'taskset -c {cpus} "$0" attach $$ --duration 0 --rate {variant.attached} --collapsed'
        command = ["sh", "-c", f'(sleep 0.2; exec {sample}) >/dev/null 2>&1 & exec "$@"', setup.program, *command]
    return command, {**variant.env(setup), **environment}, (0, 2)


def profiles(variant):
    """Whether a run must write a file."""
    return variant.flags != "off" or variant.environment or any("{folder}" in it for it in variant.ini)


def same_answer(name, result, said):
    """Checks that the output of the program did not change, except the time in it."""
    answer = (result.status, re.sub(r"(?m)^(Time: |SPX ).*\n?", "", result.output).strip())
    if said.setdefault("answer", answer) != answer:
        raise RunFailed(f"{name}: the output of the program has changed:\n{result.output[-2000:]}")


def tables(data):
    """One line a variant."""
    rows = [
        [name, with_spread(it["cpu_ms"]), *(ratios(it) if "ratio" in it else ("", ""))] for name, it in data.items()
    ]
    return [
        Table(
            f"{TITLE}, CPU time of the process, ms",
            ["", "CPU time", "ratio", "middle half of the ratios"],
            rows,
            f"`{' '.join(PROGRAM)}`; {CALLS}. The profile is made and written within that time. "
            "Each variant runs at the same time as the program alone, on one CPU, so both meet the same machine. The ratio is that of their CPU times. "
            "Lines with JIT are compared with `JIT: none`.",
        )
    ]


def ratios(it):
    median, low, high = it["ratio"]
    return f"{median:.3f}", f"{low:.3f} to {high:.3f}"
