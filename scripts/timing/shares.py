"""Shares of functions in a report (`xhprof report --json`), each with its stated margin, in percent.

Shares, not times, are compared: the machine is faster in one run than in the next, and that changes all times of a run alike.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """A function's share in one run."""

    percent: float
    # Half the width of the 95 % interval; zero if the report states none, because it is at most 1 % of the cost.
    margin: float


class SelfShares:
    """Each function's self cost, as a share of the profile."""

    def of(self, report, cost):
        whole = report["total"][cost]
        return {row["name"]: share(row, "self", cost, whole) for row in report["functions"]}


class Group:
    """The inclusive costs of some functions, as shares of their sum."""

    def __init__(self, names):
        self.names = frozenset(names)

    def of(self, report, cost):
        rows = [row for row in report["functions"] if row["name"] in self.names]
        if {row["name"] for row in rows} != self.names:
            raise SystemExit(f"timing-check: the profile lacks some of {', '.join(sorted(self.names))}")
        whole = sum(row["inclusive"][cost] for row in rows)
        return {row["name"]: share(row, "inclusive", cost, whole) for row in rows}


def share(row, which, cost, whole):
    margin = row.get(f"{which}_margin", {}).get(cost, 0)
    return Share(100 * row[which][cost] / whole, 100 * margin / whole)
