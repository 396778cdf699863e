"""A real program: PHP_CodeSniffer checks PHPUnit's constraints, as in `./x demo`."""

import re

import variants
from rounds import interleave, spread
from run import RunFailed, run
from table import Table, with_spread

PROGRAM = ("/usr/bin/phpcs", "--standard=PSR12", "-q", "--report=summary", "/usr/share/php/PHPUnit/Framework/Constraint")


def measure(setup, effort):
    """CPU time of the whole process, start and end included, and its ratio to the program alone."""
    compared = [
        variants.none(),
        *variants.idle(setup),
        *variants.profiling(setup),
        *variants.rivals(setup),
        variants.jit(),
        variants.jit_idle(setup),
    ]
    by_name = {it.name: it for it in compared}
    program = PROGRAM if effort.name != "smoke" else (*PROGRAM[:-1], f"{PROGRAM[-1]}/Constraint.php")
    said = {}

    def one(name):
        variant = by_name[name]
        folder = setup.scratch("profiles")
        options = []
        if variant.flags != "off":
            options = ["-d", f"auto_prepend_file={setup.workload('prepend.php')}"]
        environment = {"BENCH_FLAGS": variant.flags, "BENCH_PROFILE": str(folder / "profile"), "PHP_INI_SCAN_DIR": setup.scan_dir}
        # 2: it found something to mend, as it does; 0 where it did not.
        result = run([*variant.php(setup), *options, *program], {**variant.env(setup), **environment}, (0, 2))
        same_answer(name, result, said)
        if profiles(variant) and not any(it.stat().st_size for it in folder.iterdir()):
            raise RunFailed(f"{name} wrote no profile\n{result.output}")
        return result.cpu_s

    results = interleave("program", list(by_name), effort.rounds, one, lambda name: by_name[name].rival)
    return {
        name: {
            "cpu_ms": spread([it * 1000 for it in values]),
            "ratio": spread([it / base for it, base in zip(values, results[by_name[name].base])]),
            "fastest": min(values) / min(results[by_name[name].base]),
        }
        for name, values in results.items()
    }


def profiles(variant):
    """Whether a file has to be there after a run."""
    return variant.flags != "off" or variant.environment or any("{folder}" in it for it in variant.ini)


def same_answer(name, result, said):
    """Nobody may change what the program prints, but for the time that it tells."""
    answer = (result.status, re.sub(r"(?m)^(Time: |SPX ).*\n?", "", result.output).strip())
    if said.setdefault("answer", answer) != answer:
        raise RunFailed(f"{name}: the program's output is another one than before:\n{result.output[-2000:]}")


def tables(data):
    """One line a variant."""
    rows = [
        [name, with_spread(it["cpu_ms"]), *(("", "", "") if name in ("none", "JIT: none") else ratios(it))] for name, it in data.items()
    ]
    return [
        Table(
            "PHP_CodeSniffer over 53 files, CPU time of the process, ms",
            ["", "CPU time", "ratio", "middle half of the ratios", "ratio of the fastest runs"],
            rows,
            f"`{' '.join(PROGRAM)}`; some 452,000 calls. The profile is made and written within that time. Lines with JIT are compared with `JIT: none`.",
        )
    ]


def ratios(it):
    median, low, high = it["ratio"]
    return f"{median:.3f}", f"{low:.3f} to {high:.3f}", f"{it['fastest']:.3f}"
