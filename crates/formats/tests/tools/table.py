"""The numbers of our model: reads the `csv` export."""

import csv
import re


def clean(name):
    """A name as tools print it: one line, spaces at its ends gone. What is no
    UTF-8 is replaced by some byte by byte, and by some sequence by sequence."""
    return re.sub("\ufffd+", "\ufffd", re.sub(r"\s+", " ", name)).strip() or "???"


# The CSV writer puts an apostrophe before a name that a spreadsheet would compute.
FORMULA_MARK = re.compile(r"^'(?= *[=+\-@\t\r])")


class Totals:
    """Functions by clean name; those of one name are added up."""

    def __init__(self, folder):
        self.functions = {}
        self.root = 0
        with open(f"{folder}/csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                name = clean(FORMULA_MARK.sub("", row["function"]))
                function = self.functions.setdefault(name, {"calls": 0, "self": 0, "inclusive": 0, "names": 0})
                function["calls"] += int(row["calls"])
                function["self"] += int(row["self_wall_ns"])
                function["inclusive"] += int(row["inclusive_wall_ns"])
                function["names"] += 1
                if name == "main()":
                    self.root = int(row["inclusive_wall_ns"])


class Check:
    """Counts what agreed and says what did not."""

    def __init__(self, tool):
        self.tool, self.agreed, self.failures = tool, 0, []

    def equal(self, what, theirs, ours, tolerance=0):
        if abs(theirs - ours) <= tolerance:
            self.agreed += 1
        else:
            self.failures.append(f"{what}: {self.tool} says {theirs}, we say {ours}")

    def true(self, what, holds):
        if holds:
            self.agreed += 1
        else:
            self.failures.append(what)

    def done(self):
        for failure in self.failures[:20]:
            print("  " + failure)
        print(f"{self.tool}: {self.agreed} numbers agree, {len(self.failures)} do not")
        if self.failures or not self.agreed:
            raise SystemExit(1)
