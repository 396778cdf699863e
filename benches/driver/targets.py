"""The targets, and whether they are met."""

import math
from dataclasses import dataclass

import growth
from table import Table, number


@dataclass(frozen=True)
class Target:
    """One target: met if the measured number is not above the limit."""

    what: str
    limit: float
    # Computes the number from the data of the parts; fails if it was not measured.
    measured: object
    unit: str = "×"

    def row(self, data):
        """Name, limit, measured number, met or not."""
        try:
            value = self.measured(data)
        except (KeyError, IndexError, ZeroDivisionError):
            value = None
        if value is None or math.isnan(value):
            return [self.what, self.show(self.limit), "not measured", ""]
        return [self.what, self.show(self.limit), self.show(value), "met" if value <= self.limit else "**not met**"]

    def show(self, value):
        if self.unit == "×":
            return f"{value:.3f} ×" if self.limit < 1.05 else f"{value:.2f} ×"
        sign = "+" if self.unit.startswith("%") and value >= 0 else ""
        return f"{sign}{number(value)} {self.unit}" if value != int(value) else f"{sign}{value:,.0f} {self.unit}"


def of_floor(workload):
    return lambda data: data["calls"][workload]["wall"]["of_floor"][0]


def on_top(flags, workload="user"):
    """Added time of a flag, in percent of the added time of wall time alone."""

    def measured(data):
        its = data["calls"][workload]
        return 100 * (its[flags]["added_ns"][0] / its["wall"]["added_ns"][0] - 1)

    return measured


def program(name):
    return lambda data: data["program"][name]["ratio"][0]


def real(variant):
    """The worst of the real programs: added time, as a multiple of the floor's."""
    return lambda data: max(
        (it for its in data["programs"].values() if not math.isnan(it := its[variant]["of_floor"])), default=math.nan
    )


def idle_ns(workload):
    return lambda data: data["calls"][workload]["loaded, off"]["added_ns"][0]


def sampled(name):
    return lambda data: data["sampling"][name]["percent"][0]


def once(what, scale=1):
    return lambda data: data["once"]["all, few functions"][what][0] * scale


def worst_exponent(data):
    return max(growth.exponent(points, name) for points in data["growth"].values() for name in growth.engines(points))


def bounded_growth(data):
    """Memory of a tree with many more paths than the limit, as a multiple of one at the limit."""
    points = [it for it in data["growth"]["nodes"] if it["n"] >= growth.BOUND]
    return points[-1]["tree, bounded"]["grown_bytes"][0] / points[0]["tree, bounded"]["grown_bytes"][0]


TARGETS = [
    Target("user call, wall: added, to what the floor adds", 1.3, of_floor("user")),
    Target("internal call, the same", 1.3, of_floor("internal")),
    Target("recursion, the same", 1.3, of_floor("recursion")),
    Target("CPU time on top of wall, user call", 15, on_top("wall, CPU"), "%"),
    Target("memory on top of wall, user call", 25, on_top("wall, memory"), "%"),
    Target("PHP_CodeSniffer, wall", 1.10, program("wall")),
    Target("PHP_CodeSniffer, all flags", 1.15, program("all")),
    Target("PHP_CodeSniffer, all flags, call tree", 1.25, program("tree, all")),
    Target("real programs, wall, the worst: added, to what the floor adds", 1.35, real("wall")),
    Target("the same, all flags, call tree", 1.5, real("tree, all")),
    Target("PHP_CodeSniffer, loaded and off", 1.01, program("loaded, off")),
    Target("loaded and off, a user call", 1, idle_ns("user"), "ns"),
    Target("loaded and off, an internal call", 2, idle_ns("internal"), "ns"),
    Target("PHP_CodeSniffer with the JIT, loaded and off", 1.02, program("JIT: loaded, off")),
    Target("the same where php.ini chooses sampling", 1.005, program("JIT: loaded for sampling, off")),
    Target("PHP_CodeSniffer, sampled at 100 Hz: of the time that passes", 0.5, sampled("100 Hz"), "%"),
    Target("the same at 10 kHz", 10, sampled("10 kHz"), "%"),
    Target("xhprof_disable() with 10,000 edges", 3, once("disable_ms"), "ms"),
    Target("memory of an edge, beside the array", 200, once("bytes_per_edge"), "bytes"),
    Target("first xhprof_enable() in a process", 6, once("first_enable_us", 0.001), "ms"),
    Target("later ones", 20, once("later_enable_us"), "µs"),
    Target(
        "empty request in php-fpm, loaded and off",
        10,
        lambda data: data["requests"]["loaded, off"]["added_us"][0],
        "µs",
    ),
    Target("growth: the worst exponent (1 is linear)", growth.LINEAR, worst_exponent, ""),
    Target(f"memory of a tree with xhprof.max_nodes = {growth.BOUND:,}: of all paths, to so many", 1.2, bounded_growth),
]


def table(data):
    """All targets; data has the measured parts."""
    return Table(
        "Targets",
        ["", "at most", "measured", ""],
        [it.row(data) for it in TARGETS],
        "Medians; execute engine unless the line says otherwise. A noisy machine changes a ratio by some hundredths: the tables below show the spread.",
    )
