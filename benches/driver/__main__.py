"""`./x bench`: measures the cost of profiling on this machine.

Each part has a file: calls, program, programs, sampling, once, requests, growth, accuracy. Its measure() returns plain data, which
newest.json keeps; its tables() shows the data. benches/bench.sh passes the paths.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import accuracy
import calls
import document
import growth
import once
import program
import programs
import requests
import sampling
import targets
import variants
from effort import FULL, QUICK, SMOKE
from quiet import find_yardstick
from rounds import duration, say
from run import RunFailed
from setup import Setup, busy, commit, machine, versions

PARTS = {
    "calls": calls,
    "program": program,
    "programs": programs,
    "sampling": sampling,
    "once": once,
    "requests": requests,
    "growth": growth,
    "accuracy": accuracy,
}
# On the machine of docs/benchmarks.md; an estimate for any other.
FULL_MINUTES = 15


def main():
    options = arguments()
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="xhprof-bench-"))
    say(
        f"measures {', '.join(options.parts)}"
        + (
            f"; this takes about {FULL_MINUTES} min"
            if options.effort == FULL and len(options.parts) == len(PARTS)
            else ""
        )
    )
    # Before this program causes load itself.
    options.load = os.getloadavg()[0]
    if busy(options.load):
        say("the machine is busy: the numbers will not be valid results")
    try:
        setup = Setup(
            options.php,
            options.php_config,
            options.extension,
            options.scan_dir,
            options.fpm,
            options.wiki,
            folder,
            options.peers,
        ).prepare()
        find_yardstick(setup, options.effort.yardstick_s)
        results = {name: measured(name, setup, options) for name in options.parts}
    except RunFailed as failure:
        sys.exit(f"bench: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    show(results, Path(options.results), options.effort)
    if options.write:
        write(results, Path(options.results))
    say(f"took {duration(time.monotonic() - began)}")


def measured(name, setup, options):
    """The data of one part, with place and time."""
    where = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(setup),
        "load": options.load,
        "rivals": versions(setup, variants.rivals(setup)),
        "commit": commit(),
        "command": options.command,
        "rounds": options.effort.growth_rounds if name == "growth" else options.effort.rounds,
    }
    workloads = (options.workloads,) if name == "calls" and options.workloads else ()
    return {**where, "data": PARTS[name].measure(setup, options.effort, *workloads)}


def show(results, folder, effort):
    """Prints the results as text, and writes JSON, Markdown and a picture into a folder. A quick run has no targets."""
    shown = [table for name, it in results.items() for table in PARTS[name].tables(it["data"]) if table.rows]
    if len(results) == len(PARTS) and effort is not QUICK:
        shown.insert(0, targets.table({name: it["data"] for name, it in results.items()}))
    print("\n\n".join(it.text() for it in shown))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "newest.json").write_text(json.dumps(results, indent=1))
    (folder / "newest.md").write_text("\n\n".join(it.markdown() for it in shown) + "\n")
    if "growth" in results:
        document.draw(results, folder / "growth.svg")
    say(f"also written to {folder}/newest.json and newest.md")


def write(results, folder):
    """Fills the document with these results. Parts that were not measured now keep those of an earlier --write."""
    kept = folder / "written.json"
    earlier = json.loads(kept.read_text()) if kept.exists() else {}
    everything = {name: found for name in PARTS if (found := results.get(name) or earlier.get(name))}
    document.write(everything, PARTS)
    kept.write_text(json.dumps(everything, indent=1))
    say("docs/benchmarks.md has the numbers of this run; read the difference before you commit it")


def arguments():
    """The arguments: paths from benches/bench.sh, and what to measure from the user."""
    parser = argparse.ArgumentParser(
        prog="./x bench", usage="./x bench [--quick] [--rounds N] [--write] [PART | WORKLOAD]… [PEER_SO=NAME:PATH]…"
    )
    for name in ("php", "php-config", "extension", "scan-dir", "fpm", "wiki", "results"):
        parser.add_argument(f"--{name}", required=True, help=argparse.SUPPRESS)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and smaller sizes: a first look, not a result"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help=f"number of rounds ({FULL.rounds}); growth makes a third of them"
    )
    parser.add_argument("--smoke", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="puts the results into docs/benchmarks.md")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="PART | WORKLOAD | PEER_SO=NAME:PATH",
        help=f"parts: {', '.join(PARTS)}; workloads: {', '.join(calls.WORKLOADS)}",
    )
    options = parser.parse_args()
    peers = [
        *os.environ.get("PEER_SO", "").split(),
        *(it.removeprefix("PEER_SO=") for it in options.names if it.startswith("PEER_SO=")),
    ]
    names = [it for it in options.names if not it.startswith("PEER_SO=")]
    options.peers = dict(peer(it, parser) for it in peers)
    if unknown := [it for it in names if it not in PARTS and it not in calls.WORKLOADS]:
        parser.error(
            f'there is no part and no workload "{unknown[0]}"; parts: {", ".join(PARTS)}; workloads: {", ".join(calls.WORKLOADS)}'
        )
    options.workloads = [it for it in names if it in calls.WORKLOADS]
    named = {it for it in names if it in PARTS} | ({"calls"} if options.workloads else set())
    options.parts = [it for it in PARTS if it in named or not named]
    if options.write and (options.quick or options.workloads):
        parser.error("--write is for whole parts in full: without --quick, without names of workloads")
    options.effort = SMOKE if options.smoke else QUICK if options.quick else FULL
    if options.rounds:
        options.effort = replace(
            options.effort, rounds=max(1, options.rounds), growth_rounds=max(1, options.rounds // 3)
        )
    options.command = " ".join(
        [
            "./x bench",
            *(["--quick"] if options.quick else []),
            *([f"--rounds {options.rounds}"] if options.rounds else []),
            *names,
            *(f"PEER_SO={name}:…" for name in options.peers),
        ]
    )
    return options


def peer(text, parser):
    """Parses NAME:PATH; the file must exist."""
    name, _, path = text.partition(":")
    if not name or not os.path.isfile(path):
        parser.error(f"PEER_SO={text}: expected NAME:PATH, where PATH is the file of an extension")
    return name, os.path.abspath(path)


main()
