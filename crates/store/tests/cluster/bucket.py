#!/usr/bin/env python3
"""What a server and an agent do while the bucket is away: a part of `./x bucket`.

    bucket.py PROGRAM FOLDER STORE BUCKET PORT -- COMMAND…

COMMAND starts the bucket's server on PORT. Its process is killed while runs arrive.
Questions about sums are answered all the time; a run's file is refused, and no run is
acknowledged, until it is there again.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

from processes import Processes, asked, free_port


def main():
    if len(sys.argv) < 8 or sys.argv[6] != "--":
        sys.exit(__doc__)
    away = Away(*sys.argv[1:6], sys.argv[7:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        away.run()
    finally:
        away.end()


class Away(Processes):
    def __init__(self, program, folder, store, bucket, bucket_port, command):
        super().__init__(program, folder)
        self.store, self.bucket, self.bucket_port, self.command = store, bucket, int(bucket_port), command
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"

    def run(self):
        self.refused_without_key()
        self.start_bucket()
        self.start_server("server", self.port, self.store, "--bucket", self.bucket)
        self.start_agent("agent", 1, self.address)
        self.write(1, 60)
        self.arrive(60)
        run = json.loads(self.ask("/api/v1/runs?limit=1"))["runs"][0]["id"]
        routes = self.ask("/api/v1/routes")
        self.kill("bucket")
        self.write(2, 40)
        end = time.monotonic() + 90
        while "runs/away/" not in self.whole_log("agent"):
            if time.monotonic() > end:
                sys.exit(f"bucket: the agent is not told what is away: {self.log('agent')}")
            time.sleep(0.5)
        self.say(f"the bucket is killed; the agent: {self.log('agent').strip().splitlines()[-1][-250:]}")
        status, text = asked(f"{self.address}/api/v1/runs/{run}/file")
        if status != 503 or f"127.0.0.1:{self.bucket_port}" not in text or run not in text:
            sys.exit(f"bucket: the file of a run is answered with {status}: {text[:300]}")
        self.say(f"a run's file: {status} {json.loads(text)['error'][:200]}")
        if self.stored() != 60:
            sys.exit(f"bucket: {self.stored()} runs are stored, and 60 had a file")
        self.start_bucket()
        self.arrive(100)
        # Of a run that was taken before, the answer is the same.
        if json.loads(self.ask("/api/v1/routes")) == json.loads(routes):
            sys.exit("bucket: the new runs are in no sums")
        known = self.known(1, 60, self.address) + self.known(2, 40, self.address)
        self.stop("agent")
        self.stop("server")
        verified = self.command_of_store("verify", "--bucket", self.bucket)
        if verified.returncode or known != 100:
            sys.exit(f"bucket: {known} runs are known; {verified.stdout}{verified.stderr}")
        self.say(f"the bucket is there again: 100 runs, each once; {verified.stdout.strip()}")

    def refused_without_key(self):
        """Before anything is stored: no key, and a key that others can read."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
        refused = self.command_of_store("stats", "--bucket", self.bucket, env=environment)
        if refused.returncode == 0 or "AWS_ACCESS_KEY_ID" not in refused.stderr:
            sys.exit(f"bucket: without a key: {refused.stdout}{refused.stderr}")

    def command_of_store(self, *arguments, **options):
        return subprocess.run(
            [self.program, "store", *arguments, "--store", self.store], capture_output=True, text=True, **options
        )

    def start_bucket(self):
        self.start("bucket", self.command)
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", self.bucket_port), timeout=5).close()
            except OSError:
                time.sleep(0.1)
        sys.exit(f"bucket: its server does not answer: {self.log('bucket')}")

    def write(self, seed, count):
        subprocess.run(
            self.simulate(seed, count, "--spool", self.path("spool-1")), check=True, stdout=subprocess.DEVNULL
        )

    def arrive(self, count):
        end = time.monotonic() + 240
        while (stored := self.stored()) != count:
            if time.monotonic() > end:
                sys.exit(f"bucket: {stored} of {count} runs are stored: {self.log('agent')}{self.log('server')}")
            time.sleep(0.5)

    def stored(self):
        return json.loads(self.ask("/api/v1/stats"))["runs"]

    def ask(self, path):
        status, text = asked(self.address + path)
        if status != 200:
            sys.exit(f"bucket: {path} answers {status}: {text[:500]}")
        return text

    def whole_log(self, name):
        with open(self.path(f"{name}.log"), errors="replace") as file:
            return file.read()


if __name__ == "__main__":
    main()
