"""A fleet's processes on this machine, for the demonstration and the tests: servers, agents, simulated runs."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


class Processes:
    """Processes with a log each in a folder; they end with `end`."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.processes = {}
        self.began = time.monotonic()
        self.until = time.strftime("%Y-%m-%dT%H:00", time.gmtime())

    def start(self, name, command, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XHPROF_")}
        with open(self.path(f"{name}.log"), "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment | variables
            )

    def start_server(self, name, port, store, *options):
        self.start(
            name,
            [
                self.program,
                "serve",
                "--listen",
                f"127.0.0.1:{port}",
                "--host",
                "fleet.test",
                "--store",
                store,
                *options,
            ],
        )
        self.answers(f"http://127.0.0.1:{port}/healthz", name)

    def start_agent(self, name, number, address):
        os.makedirs(self.path(f"spool-{number}"), exist_ok=True)
        self.start(
            name,
            [
                self.program,
                "agent",
                "--spool",
                self.path(f"spool-{number}"),
                "--queue",
                self.path(f"queue-{number}"),
                "--to",
                address,
                "--batch-age",
                "1",
            ],
        )

    def simulate(self, seed, count, *options):
        """The command that makes runs: the same ones for the same seed and count."""
        return [
            self.program,
            "simulate",
            "--runs",
            str(count),
            "--seed",
            str(seed),
            "--end",
            self.until,
            "--paths",
            "50..500",
            "--threads",
            "2",
            *options,
        ]

    def known(self, seed, count, address):
        """How many of these runs a server has: they are made and sent again."""
        again = subprocess.run(
            self.simulate(seed, count, "--to", address, "--format", "json"),
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return json.loads(again.stdout)["already_there"]

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def stop(self, name):
        process = self.processes.pop(name)
        process.terminate()
        return process.wait(60)

    def end(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

    def answers(self, address, name):
        for _ in range(600):
            try:
                return urllib.request.urlopen(address, timeout=5).read()
            except OSError:
                time.sleep(0.1)
            if name in self.processes and self.processes[name].poll() is not None:
                break
        sys.exit(f"{name} does not answer: {self.log(name)}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def files(self, folder, ending):
        """How many files of that ending are in a folder and those in it."""
        return sum(name.endswith(ending) for _, _, names in os.walk(self.path(folder)) for name in names)

    def log(self, name):
        with open(self.path(f"{name}.log"), errors="replace") as file:
            return "".join(file.readlines()[-5:])

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)


def asked(address):
    """The status and the text of an answer, whatever its status is."""
    try:
        with urllib.request.urlopen(address, timeout=150) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
