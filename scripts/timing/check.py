#!/usr/bin/env python3
"""Checks adaptive timing against exact timing on real programs: `./x timing-check`.

    check.py PHP EXTENSION XHPROF SCAN_DIR WIKI ROUNDS [PROGRAM…]

Each round runs each program in adaptive timing and in exact timing with `xhprof.compensate`, through the CPU clock and through the wall
clock. PROGRAM is a part of a program's name. Exits with 1 if a law fails: docs/timing.md, "How this is checked".
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benches/driver"))

from laws import LARGE, LEAST_RUNS, Verdict, rows
from profiled import CLOCKS, TIMINGS, Profiler
from workloads import workloads

# How many functions are listed below the table, of each program.
LISTED = 4
HEADINGS = ("program", "clock", "calls timed", "functions", "off, points", "rows with ±", "within", "as stated", "spread", "")


def main():
    php, extension, program, scan_dir, wiki, rounds, *wanted = sys.argv[1:]
    rounds = int(rounds)
    if rounds < LEAST_RUNS:
        sys.exit(f"timing-check: ROUNDS must be at least {LEAST_RUNS}: fewer runs do not say how much runs differ")
    chosen = choose(workloads(php, ROOT, wiki), wanted)
    table, notes = [HEADINGS], []
    with tempfile.TemporaryDirectory() as folder:
        profiler = Profiler(php, extension, program, scan_dir, Path(folder))
        for workload in chosen:
            for clock in CLOCKS:
                print(f"{workload.name}, {clock.name} clock: {rounds} rounds", file=sys.stderr, flush=True)
                verdicts, timed = measure(profiler, workload, clock, rounds)
                for verdict in verdicts:
                    table.append(line(workload, clock, timed, verdict))
                    notes += said(workload, clock, verdict)
    print_table(table)
    print("\n".join(["", *notes]))
    print(f"load {os.getloadavg()[0]:.1f} at the end, {os.cpu_count()} CPUs, {rounds} rounds")
    sys.exit(any(it[-1] for it in table[1:]))


def choose(found, wanted):
    """Those whose name contains one of the texts; all if there is none."""
    for text in wanted:
        if not any(text.lower() in it.name.lower() for it in found):
            sys.exit(f"timing-check: no program is called {text}; installed are: {', '.join(it.name for it in found)}")
    return [it for it in found if not wanted or any(text.lower() in it.name.lower() for text in wanted)]


def measure(profiler, workload, clock, rounds):
    """A Verdict for each group of shares, and the part of the calls that were timed."""
    reports = {timing: [] for timing in TIMINGS}
    truth = []
    for number in range(rounds):
        # The order changes, so that a machine that becomes slower does so for both.
        order = list(TIMINGS) if number % 2 == 0 else list(reversed(TIMINGS))
        for timing in order:
            report = profiler.report(workload, clock, timing)
            reports[timing].append({"shares": [group.of(report, clock.cost) for group in workload.groups], "timed": part_timed(report)})
        if workload.truth:
            truth.append(workload.truth())
    verdicts = []
    for index in range(len(workload.groups)):
        runs = {timing: [it["shares"][index] for it in its] for timing, its in reports.items()}
        verdicts.append(Verdict(list(rows(runs["adaptive"], runs["exact"], truth)), rounds))
    return verdicts, statistics.fmean(it["timed"] for it in reports["adaptive"])


def part_timed(report):
    return report.get("timed_calls", report["calls"]) / report["calls"]


def line(workload, clock, timed, verdict):
    furthest = verdict.furthest[0].off if verdict.large else (0, 0)
    failures = [*([] if verdict.shares_hold else ["shares"]), *([] if verdict.within.holds else ["margins"])]
    return (
        workload.name,
        clock.name,
        f"{timed:.1%}",
        str(len(verdict.large)),
        f"{furthest[0]:+.2f} ±{furthest[1]:.2f}",
        str(round(verdict.within.count / verdict.runs)),
        f"{verdict.within.part:.1%} ±{2 * verdict.within.error:.1%}" if verdict.within.count else "–",
        f"{verdict.as_stated.part:.1%}" if verdict.within.count else "–",
        f"{verdict.spread.part:.1%}" if verdict.within.count else "–",
        f"FAILED: {', '.join(failures)}" if failures else "",
    )


def said(workload, clock, verdict):
    """The functions that are furthest off, and the rows that their margins miss most often."""
    lines = [f"{workload.name}, {clock.name}: functions of {LARGE:.0f} % and more, furthest off first", "  reference     exact  adaptive  off"]
    for row in verdict.furthest[:LISTED]:
        off, error = row.off
        means = (row.reference, row.exact, statistics.fmean(row.percents))
        lines.append("  ".join(["", *(f"{mean:6.2f} %" for mean in means), f"{off:+.2f} ±{error:.2f}", row.name]))
    missed = verdict.most_missed
    if missed:
        lines.append("  reference ±runs, adaptive ±stated, outside of it in so many of so many runs")
    for count, row in missed[:LISTED]:
        margin = statistics.median(it.margin for _, it in row.stated())
        lines.append(
            f"  {row.reference:8.4f} ±{row.deviations * row.deviation:.4f} % {statistics.fmean(row.percents):8.4f} ±{margin:.4f} %  {count} of {len(row.stated())}  {row.name}"
        )
    return [*lines, ""]


def print_table(table):
    widths = [max(len(cell) for cell in column) for column in zip(*table)]
    for row in table:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths))
        print("  ".join([row[0].ljust(widths[0]), *others[:-1], row[-1]]).rstrip())


if __name__ == "__main__":
    main()
