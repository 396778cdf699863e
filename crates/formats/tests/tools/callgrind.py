"""Our Callgrind files in callgrind_annotate (Debian package valgrind).

callgrind.py FOLDER: holds files named by their format: `csv`, `callgrind`,
`callgrind-plain`, `callgrind-subpositions`, `callgrind-xdebug`.
"""

import os
import re
import subprocess
import sys

from table import Check, Totals, clean

STYLES = ["callgrind", "callgrind-plain", "callgrind-subpositions", "callgrind-xdebug"]


def annotate(path, inclusive):
    """The program's total, and the first event of each function."""
    option = "--inclusive=yes" if inclusive else "--inclusive=no"
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", option, path]
    # callgrind_annotate removes the name of its working directory from some paths only.
    run = subprocess.run(command, capture_output=True, check=True, cwd=os.path.dirname(path))
    if run.stderr.strip():
        raise SystemExit(f"callgrind_annotate {path}: {run.stderr.decode(errors='replace')}")
    total, functions, is_table = None, {}, False
    for line in run.stdout.decode("utf-8", "replace").split("\n"):
        if line.endswith("PROGRAM TOTALS"):
            total = int(line.split()[0].replace(",", ""))
        elif line.endswith("file:function"):
            is_table = True
        elif is_table and (found := re.match(r" *([\d,]+)((?: +(?:[\d,]+|\.))*)  (.*)$", line)):
            name = re.sub(r" \[[^\[\]]*\]$", "", found[3])
            functions[name] = functions.get(name, 0) + int(found[1].replace(",", ""))
    return total, functions


def by_name(functions, names):
    """Sums by function name: `file:name`, where either may hold colons."""
    sums = dict.fromkeys(names, 0)
    unknown = []
    for where, cost in functions.items():
        where = clean(where)
        fits = [name for name in names if where.endswith((":" + name, ": " + name)) or where == name]
        if fits:
            sums[max(fits, key=len)] += cost
        else:
            unknown.append(where)
    return sums, unknown


def recursive(path):
    """Recursive functions, whose time callgrind_annotate counts at each level. Read from
    the file with names in full."""
    calls, name = {}, None
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            if line.startswith("fn="):
                name = clean(line[3:])
            elif line.startswith("cfn="):
                calls.setdefault(name, set()).add(clean(line[4:]))
    result = set()
    for start in calls:
        seen, todo = set(), list(calls[start])
        while todo:
            at = todo.pop()
            if at == start:
                result.add(start)
                break
            if at not in seen:
                seen.add(at)
                todo.extend(calls.get(at, ()))
    return result


def name_in(style, name):
    """A name in the given style."""
    if style == "callgrind-xdebug" and name == "main()":
        return "{main}"
    if style == "callgrind-plain":
        # Otherwise it would be read as the number of a name.
        return re.sub(r"^\((?=\d)", "( ", name)
    return name


def main():
    folder = os.path.abspath(sys.argv[1])
    ours = Totals(folder)
    again = recursive(f"{folder}/callgrind-plain")
    for style in STYLES:
        check = Check(f"callgrind_annotate, {style}")
        path = f"{folder}/{style}"
        # Each call may be rounded to 10 ns, which is one in this unit.
        name_of = {name_in(style, name): name for name in ours.functions}
        total, own = annotate(path, False)
        slack = sum(it["calls"] for it in ours.functions.values())
        is_exact = all(it["self"] % 10 == 0 for it in ours.functions.values())
        check.equal("the total", total, ours.root / 10, 0 if is_exact else slack)
        names = list(name_of)
        own, unknown = by_name(own, names)
        check.true(f"unknown functions: {unknown[:3]}", not unknown)
        _, inclusive = annotate(path, True)
        inclusive, _ = by_name(inclusive, names)
        for theirs, name in name_of.items():
            function = ours.functions[name]
            slack = 0 if is_exact else function["calls"]
            # Xdebug puts `php::` before internal functions. For the longest name that fits,
            # this is part of the file.
            check.equal(f"self of {name!r}", own[theirs], max(function["self"], 0) / 10, slack)
            if name in again or function["names"] > 1:
                check.true(f"inclusive of {name!r}", inclusive[theirs] * 10 >= function["inclusive"] - slack * 10)
            else:
                slack = 0 if is_exact else sum(it["calls"] for it in ours.functions.values())
                check.equal(f"inclusive of {name!r}", inclusive[theirs], function["inclusive"] / 10, slack)
        check.done()


main()
