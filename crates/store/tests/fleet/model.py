#!/usr/bin/env python3
"""The table of docs/fleet.md: what a fleet needs, computed from measured figures.

    model.py                      the table
    model.py cells RUNS DAYS      how many hourly sums so many simulated runs of so many days have

The formula is in docs/fleet.md. `./x test` compares the table with that of the document.
"""

import math
import sys

# Measured by `./x fleet-bench 10000 100000`, see docs/fleet.md: the paths of a run; bytes
# of a path in a run's stored file; bytes of a path in an hourly sum, with everything
# else that the store has; bytes of a path in an agent's batch; CPU of the server for a
# run, in milliseconds.
PATHS, FILE, SUM, WIRE, CPU = 740, 4.85, 22, 10.1, 1.6
# The mean paths of a route: runs are more of some routes than of others.
ROUTE_PATHS = 782

# The same in ClickHouse 18.16, with 20,000 runs, see there, too: CPU of the servers, and of
# all nodes with two replicas, for taking a run and adding it to its sums; bytes of one
# replica. With 1,000,000 runs: what sums of days add to those of hours.
NODES_SERVER, NODES_CPU, NODES_FILE, NODES_SUM = 2.2, 4.1, 5.5, 15
NODES_DAYS = 0.18
# A node, of which a part is left for questions and merges.
NODE_CPUS, NODE_CPU_USED, NODE_DISK, NODE_DISK_USED, REPLICAS = 16, 0.5, 4e12, 0.7, 2

# The fleet of the table.
ROUTES, EXPONENT, APPS = 500, 1.1, 5
RUN_DAYS, SUM_DAYS = 30, 800
# The busiest hour has so many times the mean: evenings.
PEAK = 1.6


def traffic():
    weights = [rank**-EXPONENT for rank in range(1, ROUTES + 1)]
    return [weight / sum(weights) for weight in weights]


def cells(runs, days):
    """The hours of routes in which a run is expected."""
    hours = [1 + 0.6 * math.sin(math.tau * hour / 24 - 2.62) for hour in range(24)]
    shares = traffic()
    return days * sum(1 - math.exp(-runs / days * hour / sum(hours) * share) for hour in hours for share in shares)


def row(name, values):
    return f"| {name} | " + " | ".join(values) + " |"


def number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def size(count):
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def nodes(cpus, disk):
    """How many nodes, in shards of two."""
    by_cpu = cpus / (REPLICAS * NODE_CPUS * NODE_CPU_USED)
    by_disk = disk / (NODE_DISK * NODE_DISK_USED)
    return REPLICAS * max(1, math.ceil(by_cpu), math.ceil(by_disk))


def table():
    months = [1_000_000, 100_000_000, 10_000_000_000]
    rate = [runs / RUN_DAYS / 86400 for runs in months]
    peak = [PEAK * each for each in rate]
    files = [runs * PATHS * FILE for runs in months]
    sums = [cells(runs / RUN_DAYS * SUM_DAYS, SUM_DAYS) for runs in months]
    cpus = [most * NODES_CPU / 1000 for most in peak]
    disks = [
        runs * PATHS * NODES_FILE + cell * ROUTE_PATHS * NODES_SUM * (1 + NODES_DAYS)
        for runs, cell in zip(months, sums)
    ]
    return "\n".join(
        [
            "| | 1 M runs a month | 100 M | 10 G |",
            "|---|---|---|---|",
            row(
                "runs a second: mean, busiest hour",
                [f"{number(mean)}; {number(most)}" for mean, most in zip(rate, peak)],
            ),
            row("CPUs for taking them in the busiest hour", [number(most * CPU / 1000) for most in peak]),
            row("received, in the busiest hour", [f"{size(most * PATHS * WIRE)}/s" for most in peak]),
            row(f"runs' files, {RUN_DAYS} days", [size(value) for value in files]),
            row(f"hourly sums, {SUM_DAYS} days", [f"{value / 1e6:.2g} M" for value in sums]),
            row("their size", [size(value * ROUTE_PATHS * SUM) for value in sums]),
            row(
                "the store, both",
                [size(runs * PATHS * FILE + cell * ROUTE_PATHS * SUM) for runs, cell in zip(months, sums)],
            ),
            row(
                "in ClickHouse: CPUs of servers, of all nodes in the busiest hour",
                [f"{number(most * NODES_SERVER / 1000)}; {number(cpu)}" for most, cpu in zip(peak, cpus)],
            ),
            row("in ClickHouse: the store, one replica", [size(disk) for disk in disks]),
            row(
                f"in ClickHouse: nodes of {NODE_CPUS} CPUs and {size(NODE_DISK)}, two replicas",
                [str(nodes(cpu, disk)) for cpu, disk in zip(cpus, disks)],
            ),
        ]
    )


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "cells":
        print(f"{cells(int(sys.argv[2]), int(sys.argv[3])):.0f}")
    elif len(sys.argv) == 1:
        print(table())
    else:
        sys.exit(__doc__)
