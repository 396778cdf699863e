#!/usr/bin/env python3
"""Measures `xhprof serve` with the runs of a simulated fleet: `./x fleet-bench`.

    bench.py PROGRAM FOLDER [--store STORE] [--also PID]… [--paths LEAST..MOST] [--days DAYS]
        [--loaded] RUNS…

For each number of runs, in a new store: how fast they are taken over HTTP, what they
need on the disk, and how long the pages and the questions behind them take. Prints
Markdown: a row for each figure, a column for each number, and the exponent e of
growth: the figure grows with runs^e. The questions are asked of a server that was just
started, in this order: the first answer, then the median of further ones, and the CPU
time of the server for each of these, which other work on the machine changes less.
A STORE of a database gets its name, `{}` in it is the number of runs, and must be
empty; --also adds the CPU time of the database's processes to that of the server.
A database is asked when the sums of its days are written, at least twelve minutes after
the runs. With --loaded the stores have their runs already, and only the questions are
asked.
"""

import argparse
import http.client
import json
import math
import os
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
# The most time that one question is repeated for, in seconds, and how often.
PATIENCE, TIMES = 10, 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("runs", nargs="+", type=int)
    parser.add_argument("--store")
    parser.add_argument("--also", type=int, action="append", default=[])
    parser.add_argument("--paths", default="200..2000")
    parser.add_argument("--days", default="7")
    parser.add_argument("--loaded", action="store_true")
    options = parser.parse_args()
    stores = [
        (options.store or os.path.join(options.folder, "store-{}")).replace("{}", str(runs)) for runs in options.runs
    ]
    if not options.loaded:
        columns = [loaded(options, store, runs) for store, runs in zip(stores, options.runs)]
        print(table(options.runs, columns), flush=True)
        add_up_days(options, stores)
    print(table_of_answers(options.runs, [answers(options, store) for store in stores]))


def loaded(options, store, runs):
    """Loads a store, and returns what that took."""
    server = Server(options.program, store, options.also)
    try:
        if server.json("/api/v1/stats")["runs"]:
            sys.exit(f"bench.py: {store} has runs; a measurement needs an empty store")
        before, begin = server.cpu(), time.monotonic()
        simulated = subprocess.run(
            [
                options.program,
                "simulate",
                "--runs",
                str(runs),
                "--to",
                server.address,
                "--paths",
                options.paths,
                "--days",
                options.days,
                "--threads",
                "8",
                "--format",
                "json",
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        took = time.monotonic() - begin
        # With ClickHouse, sums are written a moment later, and cost as much.
        folded(store, runs)
        summed, cpu = time.monotonic() - begin, server.cpu() - before
        made = json.loads(simulated.stdout)
        stats = server.json("/api/v1/stats")
        print(f"{runs} runs in {took:.0f} s", file=sys.stderr)
        return {
            "paths of a run": made["paths"] / runs,
            "native file of a run, bytes": made["bytes"] / runs,
            "taken, runs a second": runs / took,
            "in sums, runs a second": runs / summed,
            "CPU of the server for a run, ms": cpu * 1000 / runs,
            "stored file of a run, bytes": stats["run_bytes"] / runs,
            "disk for a run, bytes": stats["disk_bytes"] / runs,
            "disk for a path of a run, bytes": stats["disk_bytes"] / made["paths"],
            "hourly sums": stats["cells"],
            "memory of the server at most, MiB": server.memory(),
        }
    finally:
        server.end()


def answers(options, store):
    """By question, what the first answer of a new server took, the further ones, and their CPU time."""
    server = Server(options.program, store, options.also)
    try:
        return {name: asked(server, path) for name, path in questions(server)}
    finally:
        server.end()


def folded(store, runs):
    """Waits until all runs are in the sums of a database: asks its first node."""
    if not store.startswith("clickhouse://"):
        return
    for _ in range(1000):
        if rows_of(store, "cell", "sum(runs)", "FINAL") == [str(runs)]:
            return
        time.sleep(2)
    sys.exit(f"bench.py: not all of {runs} runs are in the sums of {store}")


def rows_of(store, table, columns, rest=""):
    """Asks the first node of a database."""
    place = urllib.parse.urlsplit(store)
    name = f"all_{table}" if "cluster=" in place.query else table
    question = f"SELECT {columns} FROM {place.path.strip('/')}.{name} {rest}".encode()
    node = f"http://{place.netloc.rpartition('@')[2].split(',')[0]}/"
    with urllib.request.urlopen(node, question, timeout=120) as answer:
        return answer.read().decode().split()


def add_up_days(options, stores):
    """Has servers add up the days of databases, until no row was written for three minutes."""
    stores = [store for store in stores if store.startswith("clickhouse://")]
    servers = [Server(options.program, store, options.also) for store in stores]
    begin, before, quiet = time.monotonic(), None, 0
    try:
        while stores and (quiet < 3 or time.monotonic() - begin < 720):
            time.sleep(60)
            written = [
                rows_of(store, table, "count(), max(version)")
                for store in stores
                for table in ("daily", "app_daily", "app_functions")
            ]
            quiet = quiet + 1 if written == before else 0
            before = written
    finally:
        for server in servers:
            server.end()


def questions(server):
    """What the pages ask for, and the questions of their charts and trees."""
    route = server.json("/api/v1/routes")[0]
    of_route = f'app:{route["app"]} route:"{route["route"]}"'
    name = server.json("/api/v1/functions", q=of_route, limit=1)[0]["name"]
    releases = [release["release"] for release in server.json("/api/v1/releases", q=of_route)]
    before, after = (f"{of_route} release:{release}" for release in releases[-2:])
    before_all, after_all = (f"release:{release}" for release in releases[-2:])
    run = server.json("/api/v1/runs", limit=1)["runs"][0]["id"]
    yield "page Runs", path("/api/v1/runs", limit=50)
    yield "page Runs, the slowest of a route", path("/api/v1/runs", q=of_route, sort="wall", limit=50)
    yield "page Routes, a day", path("/api/v1/pages/routes", q="since:1d")
    yield "page Routes, all days", path("/api/v1/pages/routes")
    yield "page Route", path("/api/v1/pages/route", q=of_route)
    yield "page Function, of a route", path("/api/v1/pages/function", q=of_route, name=name)
    yield "page Compare, two releases of a route", path("/api/v1/pages/compare", before=before, after=after)
    yield "page Settings", path("/api/v1/pages/settings")
    yield "trend of a route by hour", path("/api/v1/trend", q=of_route, step="hour")
    yield "functions of a route", path("/api/v1/functions", q=of_route, limit=50)
    yield "spans of a route", path("/api/v1/spans", q=of_route, limit=50)
    yield "call tree of a route", path("/api/v1/tree", q=of_route)
    yield "call tree of all, a day", path("/api/v1/tree", q="since:1d")
    yield "call tree of all", path("/api/v1/tree")
    yield "page Compare, two releases of all", path("/api/v1/pages/compare", before=before_all, after=after_all)
    yield "page Function, of all routes", path("/api/v1/pages/function", name=name)
    yield "one run", path(f"/api/v1/runs/{run}/file")


def path(path, **parameters):
    return path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")


def asked(server, path):
    begin = time.monotonic()
    server.get(path)
    first = time.monotonic() - begin
    times, before, begin = [], server.cpu(), time.monotonic()
    while len(times) < TIMES and (not times or time.monotonic() - begin < PATIENCE):
        one = time.monotonic()
        server.get(path)
        times.append(time.monotonic() - one)
    return first * 1000, statistics.median(times) * 1000, (server.cpu() - before) * 1000 / len(times)


class Server:
    def __init__(self, program, store, also):
        self.also = also
        environment = {name: value for name, value in os.environ.items() if name != "XHPROF_STORE"}
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--store", store],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http://"):
            sys.exit(f"bench.py: the server with the store {store} did not start")
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.address).netloc, timeout=120)

    def get(self, path):
        for attempt in (1, 2):
            try:
                self.connection.request("GET", path)
                answer = self.connection.getresponse()
                data = answer.read()
                break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The server closes connections that are idle.
                self.connection.close()
                if attempt == 2:
                    raise
        if answer.status != 200:
            sys.exit(f"bench.py: {path}: {answer.status} {data[:300]!r}")
        return data

    def json(self, where, **parameters):
        return json.loads(self.get(path(where, **parameters)))

    def cpu(self):
        """The CPU time of the server, of the processes that read uploads, and of a database, in seconds."""
        return sum(cpu_of(pid) for pid in [self.process.pid, *self.children(), *self.also])

    def children(self):
        tasks = f"/proc/{self.process.pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/children") as file:
                yield from map(int, file.read().split())

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            peak = next(line for line in status if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def cpu_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0
    # Its own, and that of ended children.
    return sum(map(int, fields[11:15])) / TICKS


def table(runs, columns):
    rows = [
        "| | " + " | ".join(f"{count:,} runs" for count in runs) + (" | e |" if len(runs) > 1 else " |"),
        "|---" * (len(runs) + 1 + (len(runs) > 1)) + "|",
    ]
    for name in columns[0]:
        values = [column[name] for column in columns]
        cells = [number(value) for value in values]
        if len(runs) > 1:
            cells.append(exponent(runs, values))
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def table_of_answers(runs, columns):
    rows = [
        "| ms: first; again; CPU | " + " | ".join(f"{count:,} runs" for count in runs) + " | e of first; of CPU |",
        "|---" * (len(runs) + 2) + "|",
    ]
    for name in columns[0]:
        answers = [column[name] for column in columns]
        cells = ["; ".join(number(value) for value in answer) for answer in answers]
        growth = "; ".join(exponent(runs, [answer[figure] for answer in answers]) for figure in (0, 2))
        rows.append(f"| {name} | " + " | ".join(cells) + f" | {growth} |")
    return "\n".join(rows)


def exponent(runs, values):
    if len(runs) == 1 or min(values[0], values[-1]) <= 0:
        return ""
    return f"{math.log(values[-1] / values[0]) / math.log(runs[-1] / runs[0]):.2f}"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


if __name__ == "__main__":
    main()
