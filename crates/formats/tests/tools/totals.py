#!/usr/bin/env python3
"""Compares the numbers of another program with our model.

    totals.py RULE TABLE < LINES

RULE is how the format writes names (see names.py), TABLE one of `export`'s.
LINES are JSON, one a stack: {"stack": [root, …, leaf], "calls": n, "wall": ns,
"cpu": ns, "memory": bytes}, or one a function: {"name": …, "calls": n,
"own": ns, "inclusive": ns}. What a format does not hold is left out. Names
are text, with surrogate escapes where they are bytes.
"""

import json
import sys
from collections import defaultdict

from names import RULES, unescape

CLOSE = 1e-9


def main(rule, table):
    rename = RULES[rule]

    def name_of(raw):
        name = rename(raw)
        return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name

    expected = defaultdict(list)
    with open(table, encoding="utf-8", newline="\n") as rows:
        for row in rows:
            fields = row.rstrip("\n").split("\t")
            expected[name_of(unescape(fields[0]))].append([int(it) for it in fields[1:]])

    found = defaultdict(lambda: defaultdict(float))
    stacks = 0
    for line in sys.stdin.buffer:
        line = json.loads(line.decode("utf-8", "surrogateescape"))
        stacks += 1
        if "name" in line:
            row = found[line["name"]]
            for key in ("calls", "own", "inclusive"):
                if key in line:
                    row[key] += line[key]
            continue
        stack = line["stack"]
        own = found[stack[-1]]
        for key in ("calls", "cpu", "memory"):
            if key in line:
                own[key] += line[key]
        if "wall" in line:
            own["own"] += line["wall"]
            # Each function counts once, however often it is in the stack.
            for name in set(stack):
                found[name]["inclusive"] += line["wall"]

    held = {key for row in found.values() for key in row}
    wrong = []
    for name, rows in expected.items():
        row = found.pop(name, {})
        sums = dict(zip(("calls", "own", "inclusive", "cpu", "memory"), map(sum, zip(*rows))))
        if len(rows) > 1:
            # The format cannot distinguish these functions: one may call the other.
            del sums["inclusive"]
        for key in held & sums.keys():
            if abs(row.get(key, 0) - sums[key]) > max(1, CLOSE * abs(sums[key])):
                wrong.append(f"{name[:60]!r}: {key} {row.get(key, 0)} and not {sums[key]}")
    wrong += [f"{name[:60]!r} is no function of the program" for name in found]
    if not stacks:
        wrong.append("nothing was read")
    for line in wrong[:20]:
        print(f"  WRONG {line}")
    total = sum(row[1] for rows in expected.values() for row in rows)
    verdict = f"{len(wrong)} wrong" if wrong else "ok"
    print(f"  {verdict}: {stacks} lines, {len(expected)} functions, {total} ns, {sorted(held)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
