"""Our Callgrind files in gprof2dot (PyPI): checks the numbers of its parser, and draws
its graph with Graphviz.

gprof2dot.py FOLDER, run by a Python that has gprof2dot. -O is needed: gprof2dot
estimates the cost of large cycles and asserts that the estimate is good. It
identifies functions by name only.
"""

import importlib
import os
import re
import subprocess
import sys

from table import Check, Totals, clean

# This file would hide the module of the same name.
sys.path = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]
theirs = importlib.import_module("gprof2dot")


def main():
    folder = sys.argv[1]
    ours = Totals(folder)
    is_exact = all(it["self"] % 10 == 0 for it in ours.functions.values())
    for style in ["callgrind", "callgrind-plain", "callgrind-subpositions"]:
        check = Check(f"gprof2dot, {style}")
        path = f"{folder}/{style}"
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            profile = theirs.CallgrindParser(file).parse()
        event = theirs.SAMPLES
        slack = 0 if is_exact else sum(it["calls"] for it in ours.functions.values())
        check.equal("the total", profile[event], ours.root / 10, slack)
        own = {}
        for function in profile.functions.values():
            name = clean(function.name)
            own[name] = own.get(name, 0) + function[event]
        for name, function in ours.functions.items():
            slack = 0 if is_exact else function["calls"]
            name = name if name in own else re.sub(r"^\((?=\d)", "( ", name)
            check.equal(f"self of {name!r}", own.get(name, -1), max(function["self"], 0) / 10, slack)
        # The program accepts only UTF-8.
        with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
            text = file.read().encode()
        command = [sys.executable, "-O", "-m", "gprof2dot", "-f", "callgrind"]
        graph = subprocess.run(command, input=text, capture_output=True, check=True)
        svg = subprocess.run(
            ["dot", "-Tsvg", "-Gnslimit=1", "-Gnslimit1=1", "-Gsplines=line"],
            input=graph.stdout,
            capture_output=True,
            check=True,
        )
        check.true("Graphviz draws its graph", b"</svg>" in svg.stdout)
        check.done()


main()
