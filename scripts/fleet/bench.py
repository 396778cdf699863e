#!/usr/bin/env python3
"""Measures `xhprof serve` with the runs of a simulated fleet: `./x fleet-bench`.

    bench.py PROGRAM FOLDER [--store STORE] [--also PID]… [--paths LEAST..MOST] [--days DAYS]
        [--loaded] RUNS…

For each number of runs, in a new store: how fast they are taken over HTTP, what they
need on the disk, and how long the pages and the questions behind them take. Prints
Markdown: a row for each figure, a column for each number, and the exponent e of
growth: the figure grows with runs^e. Times are medians, in milliseconds, and the CPU
time of the server for each answer, which other work on the machine changes less.
A STORE of a database gets its name, `{}` in it is the number of runs, and must be
empty; --also adds the CPU time of the database's processes to that of the server.
With --loaded the stores have their runs already, and only the questions are asked;
the first figure of each is then that of a server that was just started.
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
    columns = [measured(options, runs) for runs in options.runs]
    print(table(options.runs, columns))


def measured(options, runs):
    store = (options.store or os.path.join(options.folder, "store-{}")).replace("{}", str(runs))
    server = Server(options.program, store, options.also)
    try:
        if options.loaded:
            return {"runs": server.json("/api/v1/stats")["runs"], **answers(server, is_cold=True)}
        if server.json("/api/v1/stats")["runs"]:
            sys.exit(f"bench.py: {store} has runs; a measurement needs an empty store")
        before, begin = server.cpu(), time.monotonic()
        simulated = subprocess.run(
            [options.program, "simulate", "--runs", str(runs), "--to", server.address, "--paths", options.paths,
             "--days", options.days, "--threads", "8", "--format", "json"],
            check=True, stdout=subprocess.PIPE, text=True)
        took = time.monotonic() - begin
        # With ClickHouse, sums are written a moment later, and cost as much.
        folded(store, runs)
        summed, cpu = time.monotonic() - begin, server.cpu() - before
        made = json.loads(simulated.stdout)
        stats = server.json("/api/v1/stats")
        print(f"{runs} runs in {took:.0f} s", file=sys.stderr)
        figures = {
            "paths of a run": made["paths"] / runs,
            "native file of a run, bytes": made["bytes"] / runs,
            "taken, runs a second": runs / took,
            "in sums, runs a second": runs / summed,
            "CPU of the server for a run, ms": cpu * 1000 / runs,
            "stored file of a run, bytes": stats["run_bytes"] / runs,
            "disk for a run, bytes": stats["disk_bytes"] / runs,
            "disk for a path of a run, bytes": stats["disk_bytes"] / made["paths"],
            "hourly sums": stats["cells"],
        }
        return {**figures, **answers(server)}
    finally:
        server.end()


def answers(server, is_cold=False):
    figures = {}
    for name, path in questions(server):
        first, latency, cpu = asked(server, path)
        if is_cold:
            figures[f"{name}, first, ms"] = first
        figures[f"{name}, ms"] = latency
        figures[f"{name}, CPU ms"] = cpu
    figures["memory of the server at most, MiB"] = server.memory()
    return figures


def folded(store, runs):
    """Waits until all runs are in the sums of a database: asks its first node."""
    if not store.startswith("clickhouse://"):
        return
    place = urllib.parse.urlsplit(store)
    table = "all_cell" if "cluster=" in place.query else "cell"
    question = f"SELECT sum(runs) FROM {place.path.strip('/')}.{table} FINAL".encode()
    node = f"http://{place.netloc.rpartition('@')[2].split(',')[0]}/"
    for _ in range(1000):
        with urllib.request.urlopen(node, question, timeout=120) as answer:
            if int(answer.read()) == runs:
                return
        time.sleep(2)
    sys.exit(f"bench.py: not all of {runs} runs are in the sums of {store}")


def questions(server):
    """The pages, and the questions of their charts and trees."""
    route = server.json("/api/v1/routes")[0]
    of_route = f'app:{route["app"]} route:"{route["route"]}"'
    name = server.json("/api/v1/functions", q=of_route, limit=1)[0]["name"]
    releases = [release["release"] for release in server.json("/api/v1/releases", q=of_route)]
    before, after = (f"{of_route} release:{release}" for release in releases[-2:])
    run = server.json("/api/v1/runs", limit=1)["runs"][0]["id"]
    yield "page Runs", path("/")
    yield "page Runs, the slowest of a route", path("/", q=of_route, sort="wall")
    yield "page Routes, a day", path("/routes", q="since:1d")
    yield "page Routes, all days", path("/routes")
    yield "page Route", path("/route", q=of_route)
    yield "page Function, of a route", path("/function", q=of_route, name=name)
    yield "page Compare, two releases of a route", path("/compare", before=before, after=after)
    yield "page Settings", path("/settings")
    yield "trend of a route by hour", path("/api/v1/trend", q=of_route, step="hour")
    yield "functions of a route", path("/api/v1/functions", q=of_route, limit=50)
    yield "spans of a route", path("/api/v1/spans", q=of_route, limit=50)
    yield "call tree of a route", path("/api/v1/tree", q=of_route)
    yield "call tree of all, a day", path("/api/v1/tree", q="since:1d")
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
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--store", store],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
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
    rows = ["| | " + " | ".join(f"{count:,} runs" for count in runs) + (" | e |" if len(runs) > 1 else " |"),
            "|---" * (len(runs) + 1 + (len(runs) > 1)) + "|"]
    for name in columns[0]:
        values = [column[name] for column in columns]
        cells = [number(value) for value in values]
        if len(runs) > 1:
            cells.append(exponent(runs, values))
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def exponent(runs, values):
    if min(values[0], values[-1]) <= 0:
        return ""
    return f"{math.log(values[-1] / values[0]) / math.log(runs[-1] / runs[0]):.2f}"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


if __name__ == "__main__":
    main()
