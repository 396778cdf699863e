#!/usr/bin/env python3
"""What a server and an agent do while nodes of ClickHouse are away: a part of `./x cluster test`.

    faults.py PROGRAM FOLDER ADDRESS

ADDRESS is that of the cluster of `./x cluster up`, with a database of its own. Runs go
through an agent and `xhprof serve`. Nodes are killed by `./x cluster kill`:

1. one replica: answers are as before, a server starts, and runs are stored; then the other one;
2. both replicas of a shard: each question is refused, and runs wait on the agent's disk;
3. one replica of each shard, for a server with quorum=2: no run is acknowledged.

In the end the store has each run, each once, and `xhprof store verify` finds nothing.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse

from processes import Processes, asked, free_port

QUESTIONS = [
    "/api/v1/stats",
    "/api/v1/apps",
    "/api/v1/routes",
    "/api/v1/requests",
    "/api/v1/releases",
    "/api/v1/days",
    "/api/v1/routes/days",
    "/api/v1/trend",
    "/api/v1/functions?limit=50",
    "/api/v1/spans?limit=50",
    "/api/v1/runs?limit=50",
    "/api/v1/pages/home",
    "/api/v1/pages/routes",
]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    faults = Faults(*sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        faults.run()
    finally:
        faults.end()
        for node in sorted(faults.away):
            faults.cluster("start", node)


class Faults(Processes):
    def __init__(self, program, folder, store):
        super().__init__(program, folder)
        self.store = store
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.written = {}
        self.away = set()

    def run(self):
        self.start_server("server", self.port, self.store)
        self.start_agent("agent", 1, self.address)
        self.write(1, 200)
        self.all_arrive()
        self.one_replica_away()
        self.a_shard_away()
        self.quorum()
        self.compare()

    def one_replica_away(self):
        before = self.whole_answers()
        self.cluster("kill", "cluster/s1r2")
        self.same(before, "without cluster/s1r2")
        self.starts_without("cluster/s1r2", 1)
        self.write(2, 100)
        self.all_arrive()
        now = self.whole_answers()
        time.sleep(6)
        self.cluster("start", "cluster/s1r2")
        # It has missed runs, and must not answer before it has them. Rows of five seconds may be missing everywhere.
        self.cluster("kill", "cluster/s1r1")
        # Each waits ten seconds for rows, so not all are asked.
        self.whole_or_refused(now, "by the replica that was away, at once", QUESTIONS[:4])
        self.cluster("start", "cluster/s1r1")
        self.same(now, "with both replicas", patience=120)
        self.caught_up(1)
        self.cluster("kill", "cluster/s1r1")
        self.same(now, "without cluster/s1r1, by the replica that was away", patience=120)
        self.cluster("start", "cluster/s1r1")
        self.same(now, "with both replicas", patience=120)

    def starts_without(self, node, place):
        """While a node is away, a server starts; the first server of a store says which node is missing."""
        began = time.monotonic()
        self.start_server("second server", port := free_port(), self.store)
        status, text = asked(f"http://127.0.0.1:{port}/api/v1/stats")
        took = time.monotonic() - began
        if status != 200 or took > 10:
            sys.exit(f"faults: without {node}, a server answers {status} {took:.1f} s after its start: {text[:300]}")
        self.stop("second server")
        self.say(f"without {node}, a server answers {took:.1f} s after its start")
        began = time.monotonic()
        # Nodes reach each other by the port of HTTP + 10.
        name = f"127.0.0.1:{int(self.node(place)[0].split(':')[1]) + 10}"
        first = subprocess.run(
            [self.program, "store", "rebuild", "--store", self.store.replace("?", "_new?")],
            capture_output=True,
            text=True,
        )
        took = time.monotonic() - began
        if first.returncode == 0 or name not in first.stderr or took > 30:
            sys.exit(f"faults: without {node}, tables are made in {took:.1f} s: {first.stdout}{first.stderr}")
        self.say(f"without {node}, no tables are made: {first.stderr.strip().splitlines()[0][:250]}")

    def node(self, place):
        """The address of the node at this place of the store's address, and the database."""
        nodes, database = self.store.removeprefix("clickhouse://").split("?")[0].split("/")
        return nodes.split(",")[place], database

    def a_shard_away(self):
        before = self.whole_answers()
        self.cluster("kill", "cluster/s1r1")
        self.cluster("kill", "cluster/s1r2")
        self.whole_or_refused(before, "without shard 1")
        status, text = asked(self.address + "/api/v1/routes")
        if status != 503:
            sys.exit(f"faults: without shard 1, the routes are answered: {text[:300]}")
        self.say(f"without shard 1, questions are refused: {json.loads(text)['error'][:160]}")
        self.write(3, 100)
        end = time.monotonic() + 60
        while not self.files("queue-1", ".batch") or self.files("spool-1", ".xhp"):
            if time.monotonic() > end:
                sys.exit(f"faults: the agent takes nothing: {self.log('agent')}")
            time.sleep(0.5)
        time.sleep(5)
        self.say(f"{self.files('queue-1', '.batch')} batches wait in the agent's queue")
        self.kill("agent")
        self.start_agent("agent", 1, self.address)
        self.cluster("start", "cluster/s1r1")
        self.cluster("start", "cluster/s1r2")
        self.all_arrive()

    def caught_up(self, place):
        """Waits until the node at this place of the address has fetched what it missed."""
        node, database = self.node(place)
        # A log without an entry has the index 0, too.
        question = f"""SELECT sum(queue_size) + countIf(log_max_index > 0 AND log_max_index >= log_pointer)
            FROM system.replicas WHERE database = '{database}'"""
        end = time.monotonic() + 120
        while (answer := asked(f"http://{node}/?query={urllib.parse.quote(question)}")) != (200, "0\n"):
            if time.monotonic() > end:
                sys.exit(f"faults: {node} does not fetch what it missed: {answer}")
            time.sleep(0.5)

    def whole_or_refused(self, before, when, questions=QUESTIONS):
        """Each question gets the whole answer, or an error that says what is missing: never a part."""
        refused = 0
        for question in questions:
            status, text = asked(self.address + question)
            if status == 200 and told(question, text) != before[question]:
                sys.exit(f"faults: {when}, {question} answers with a part: {text[:300]}")
            if status not in (200, 503):
                sys.exit(f"faults: {when}, {question} answers {status}: {text[:300]}")
            if status == 503 and not ("part of the cluster is missing" in text or "no node" in text):
                sys.exit(f"faults: {when}, {question} does not say what is missing: {text[:300]}")
            refused += status == 503
        self.say(f"{when}: {len(questions) - refused} whole answers, {refused} are refused")

    def quorum(self):
        """With quorum=2, a run of which one replica cannot have a copy is not acknowledged."""
        self.start_server("careful server", port := free_port(), self.store + "&quorum=2")
        os.makedirs(self.path("files"))
        subprocess.run(self.simulate(4, 10, "--spool", self.path("files")), check=True, stdout=subprocess.DEVNULL)
        for node in ("cluster/s1r2", "cluster/s2r2"):
            self.cluster("kill", node)
        pushed = self.push(port)
        # ClickHouse knows before the insert that a replica is away, or does not hear from it.
        if pushed.returncode == 0 or not any(
            part in pushed.stderr for part in ("fewer than 2 replicas", "does not have 2 replicas")
        ):
            sys.exit(f"faults: a run without a quorum is not refused as such: {pushed.stdout}{pushed.stderr}")
        self.say(f"quorum=2 without a replica: {pushed.stderr.strip().splitlines()[0][:200]}")
        for node in ("cluster/s1r2", "cluster/s2r2"):
            self.cluster("start", node)
        end = time.monotonic() + 120
        while (pushed := self.push(port)).returncode:
            if time.monotonic() > end:
                sys.exit(f"faults: quorum=2 with all replicas: {pushed.stderr}")
            time.sleep(2)
        self.written[4] = 10
        self.stop("careful server")
        self.all_arrive()

    def push(self, port):
        return subprocess.run(
            [self.program, "push", self.path("files"), "--to", f"http://127.0.0.1:{port}"],
            capture_output=True,
            text=True,
        )

    def compare(self):
        """Makes all runs again: the store must know each, and have no other."""
        known = sum(self.known(seed, count, self.address) for seed, count in self.written.items())
        count = sum(self.written.values())
        if not self.stored() == known == count:
            sys.exit(f"faults: of {count} runs {known} are known, and {self.stored()} are stored")
        self.stop("agent")
        self.stop("server")
        verified = subprocess.run(
            [self.program, "store", "verify", "--store", self.store], capture_output=True, text=True
        )
        if verified.returncode:
            sys.exit(f"faults: {verified.stdout}{verified.stderr}")
        self.say(f"all {count} runs are stored, each once; {verified.stdout.strip()}")

    def whole_answers(self):
        answers = {}
        for question in QUESTIONS:
            status, text = asked(self.address + question)
            if status != 200:
                sys.exit(f"faults: {question} answers {status}: {text[:500]}")
            answers[question] = told(question, text)
        return answers

    def same(self, before, when, patience=0):
        """Whether the answers are as before. A replica that was away may refuse for a time."""
        end = time.monotonic() + patience
        while True:
            unlike = []
            for question in QUESTIONS:
                status, text = asked(self.address + question)
                if status == 200 and told(question, text) != before[question]:
                    sys.exit(f"faults: {when}, {question} has another answer: {text[:1000]}")
                if status != 200:
                    unlike.append(f"{question} answers {status}: {text[:300]}")
            if not unlike:
                return self.say(f"{when}: {len(QUESTIONS)} answers are as before")
            if time.monotonic() > end:
                sys.exit(f"faults: {when}, {unlike}")
            time.sleep(2)

    def write(self, seed, count):
        os.makedirs(self.path("spool-1"), exist_ok=True)
        subprocess.run(
            self.simulate(seed, count, "--spool", self.path("spool-1")), check=True, stdout=subprocess.DEVNULL
        )
        self.written[seed] = count

    def all_arrive(self):
        count = sum(self.written.values())
        end = time.monotonic() + 360
        while (stored := self.stored()) != count:
            if time.monotonic() > end or (stored or 0) > count:
                sys.exit(f"faults: {stored} of {count} runs are stored: {self.log('agent')}")
            time.sleep(0.5)
        self.say(f"{count} runs are written, and all are stored")

    def stored(self):
        """The number of runs; none while a part of the cluster is away."""
        status, text = asked(self.address + "/api/v1/stats")
        return json.loads(text)["runs"] if status == 200 else None

    def cluster(self, command, node):
        subprocess.run(["./x", "cluster", command, node], check=True)
        (self.away.add if command == "kill" else self.away.discard)(node)
        self.say(f"{'SIGKILL' if command == 'kill' else 'started'}: {node}")


def told(question, text):
    """What an answer tells of the runs: not how large the tables are at the moment, or when it was made."""
    if question == "/api/v1/stats":
        return {key: value for key, value in json.loads(text).items() if key not in ("disk_bytes", "cells", "names")}
    return json.loads(text) if question.startswith("/api/") else len(text) > 0


if __name__ == "__main__":
    main()
