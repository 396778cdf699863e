"""The table of `./x matrix` in docs/platforms.md.

    platforms.py "NAMES ENGINES JITS" write NAME <ROWS    puts these rows in place of NAME's
    platforms.py "NAMES ENGINES JITS" check [PAGE]        compares the page with these names

The first argument is what `scripts/matrix.sh` knows: three lists, with commas. A PHP has a
row for each engine and JIT, in that order, or one row that says that it was not run.
A row with failed tests must be explained, in a line of the page that begins with
`- NAME, ENGINE, JIT: `.
"""

import re
import sys

BEGIN, END = "<!-- matrix -->\n", "<!-- end -->\n"
HEAD = "| which | PHP | VM | engine | JIT | passed | failed | skipped | run |\n|---|---|---|---|---|---|---|---|---|\n"
NOT_RUN = re.compile(r"not run( since \d{4}-\d\d-\d\d)?")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(page):
    table = page.split(BEGIN)[1].split(END)[0].removeprefix(HEAD)
    return [cells(line) for line in table.splitlines()]


def written(page, names, name, new):
    """The page with the rows `new` in place of those of `name`."""
    rows = [row for row in rows_of(page) if row[0] != name] + [[name, *cells(line)] for line in new]
    rows.sort(key=lambda row: names.index(row[0]) if row[0] in names else len(names))
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return page.split(BEGIN)[0] + BEGIN + HEAD + table + END + page.split(END)[1]


def faults(page, names, engines, jits):
    """What is wrong with the table, in sentences."""
    rows = rows_of(page)
    explained = {
        tuple(match[1].split(", ")) for match in re.finditer(r"^- (\w[\w.]*, \w+, \w+): \S", page, re.MULTILINE)
    }
    order = list(dict.fromkeys(row[0] for row in rows))
    if order != names:
        yield f"the table has the PHPs {order}, and ./x matrix knows {names}"
    for name in order:
        own = [row for row in rows if row[0] == name]
        if len(own) == 1 and NOT_RUN.fullmatch(own[0][-1]):
            continue
        if [(row[3], row[4]) for row in own if len(row) == 9] != [(engine, jit) for engine in engines for jit in jits]:
            yield f"{name} does not have one row for each engine and JIT"
            continue
        for row in own:
            key, (passed, failed, skipped), run = (name, row[3], row[4]), row[5:8], row[8]
            has_none = passed in ("refused", "no JIT", "not run") and not failed and not skipped
            if not has_none and not (passed.isdigit() and int(passed) and failed.isdigit() and skipped.isdigit()):
                yield f"{key} has no counts: {row}"
            if not DATE.fullmatch(run):
                yield f"{key} has no date: {row}"
            has_failed = failed.isdigit() and int(failed) > 0
            if has_failed != (key in explained):
                yield f"{key}: {failed or 'no'} failed tests, and the page explains {'them' if key in explained else 'none'}"


def main():
    names, engines, jits = (part.split(",") for part in sys.argv[1].split(" "))
    path = sys.argv[3] if sys.argv[2] == "check" and len(sys.argv) > 3 else "docs/platforms.md"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if sys.argv[2] == "write":
        page = written(page, names, sys.argv[3], sys.stdin.read().splitlines())
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return
    found = list(faults(page, names, engines, jits))
    for fault in found:
        print(f"{path}: {fault}")
    sys.exit(1 if found else 0)


main()
