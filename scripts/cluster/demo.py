#!/usr/bin/env python3
"""A small fleet on this machine, whose parts are killed while runs arrive: `./x cluster demo`.

    demo.py PROGRAM NGINX FOLDER [--seconds SECONDS] [--per-second RUNS] [--kills COUNT]
        [--store ADDRESS --replica NODE]

Two machines write runs into their spools; an agent on each sends them through nginx
to `xhprof serve`: one server with a store of its own, or three with the store ADDRESS
in ClickHouse. Servers, agents, and the NODE of ClickHouse are killed by SIGKILL while
this goes on. In the end all runs are made again and sent: the store must have had
each of them, and no other.
"""

import argparse
import json
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
import urllib.request

NGINX = """
user {user}; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 512; }}
http {{
    access_log off; client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi; uwsgi_temp_path {folder}/nginx-uwsgi; scgi_temp_path {folder}/nginx-scgi;
    upstream servers {{ {servers} }}
    server {{
        listen 127.0.0.1:{nginx}; client_max_body_size 64m; client_body_buffer_size 1m;
        location / {{ proxy_pass http://servers; proxy_set_header Host fleet.test; proxy_read_timeout 70s;
            # A run is known by its content: sent to two servers, it is stored once.
            proxy_next_upstream error timeout http_502 http_503 non_idempotent; }}
    }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("nginx")
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--per-second", type=int, default=40)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--store")
    parser.add_argument("--replica")
    options = parser.parse_args()
    demo = Demo(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        demo.run()
    finally:
        demo.end()


class Demo:
    def __init__(self, options):
        self.options = options
        self.processes = {}
        self.began = time.monotonic()
        names = [f"server {number}" for number in (1, 2, 3)] if options.store else ["the server"]
        self.servers = {name: free_port() for name in names}
        self.front = free_port()
        self.address = f"http://127.0.0.1:{self.front}"
        self.until = time.strftime("%Y-%m-%dT%H:00", time.gmtime())

    def run(self):
        count = self.options.seconds * self.options.per_second
        what = "3 servers with a store in ClickHouse" if self.options.store else "a server with a store in SQLite"
        self.say(f"{what}, nginx, and 2 machines with an agent; each writes {self.options.per_second} runs a second for {self.options.seconds} s")
        for name in self.servers:
            self.start_server(name)
        self.start_nginx()
        for machine in (1, 2):
            self.start_agent(machine)
            spool = ["--spool", self.path(f"spool-{machine}"), "--per-second", str(self.options.per_second)]
            self.start(f"machine {machine}", self.simulate(machine, count) + spool)
        killed = [("the server", 3), ("the agent of machine 1", 2), ("the server", 6), ("the agent of machine 2", 1)]
        if self.options.store:
            killed = [("server 1", 3), (self.options.replica, 5), ("the agent of machine 1", 2),
                      ("server 2", 6), ("the agent of machine 2", 1), ("server 3", 2)]
        kills = self.options.kills or len(killed)
        for number in range(kills):
            self.wait_until((number + 1) / (kills + 1) * self.options.seconds)
            self.kill(*killed[number % len(killed)])
        for machine in (1, 2):
            if self.processes.pop(f"machine {machine}").wait():
                sys.exit(f"demo: machine {machine} could not write: {self.log(f'machine {machine}')}")
        self.say(f"all {2 * count:,} runs are written; {self.stored():,} are stored, the rest is on its way")
        self.arrived(2 * count)
        self.compare(count)

    def compare(self, count):
        """Makes all runs again: the store must know each."""
        known = 0
        for machine in (1, 2):
            again = subprocess.run(self.simulate(machine, count) + ["--to", self.address, "--format", "json"],
                                   check=True, stdout=subprocess.PIPE, text=True)
            known += json.loads(again.stdout)["already_there"]
        stored = self.stored()
        self.say(f"written {2 * count:,}, stored {stored:,}, of these {known:,} known when they were sent again; dropped {self.dropped():,}")
        if not stored == known == 2 * count:
            sys.exit("demo: runs are missing or doubled")
        self.say("no run was lost, and none is there twice")

    def arrived(self, count):
        end = time.monotonic() + 120 + count / 20
        while self.stored() + self.dropped() < count:
            if time.monotonic() > end:
                sys.exit(f"demo: {self.stored()} of {count} runs came; {self.log('the agent of machine 1')}")
            time.sleep(0.2)
        self.say("all have arrived")

    def kill(self, name, away):
        if name == self.options.replica:
            self.cluster("kill")
        else:
            process = self.processes.pop(name)
            process.kill()
            process.wait()
        self.say(f"SIGKILL: {name}; {self.waiting():,} files wait in the spools")
        time.sleep(away)
        if name == self.options.replica:
            self.cluster("start")
        elif name in self.servers:
            self.start_server(name)
        else:
            self.start_agent(int(name[-1]))
        self.say(f"{name} starts again, {away} s later")

    def cluster(self, command):
        subprocess.run(["./x", "cluster", command, self.options.replica], check=True)

    def start_server(self, name):
        port = self.servers[name]
        self.start(name, [self.options.program, "serve", "--listen", f"127.0.0.1:{port}", "--host", "fleet.test",
                          "--store", self.options.store or self.path("store")])
        self.answers(f"http://127.0.0.1:{port}/healthz", name)

    def start_nginx(self):
        with open(self.path("nginx.conf"), "w") as file:
            file.write(NGINX.format(user=pwd.getpwuid(os.getuid()).pw_name, folder=self.options.folder, nginx=self.front, servers=" ".join(
                f"server 127.0.0.1:{port} max_fails=0;" for port in self.servers.values())))
        self.start("nginx", [self.options.nginx, "-c", self.path("nginx.conf"), "-e", self.path("nginx.log"), "-p", self.options.folder])
        self.answers(f"{self.address}/healthz", "nginx")

    def start_agent(self, machine):
        os.makedirs(self.path(f"spool-{machine}"), exist_ok=True)
        self.start(f"the agent of machine {machine}", [
            self.options.program, "agent", "--spool", self.path(f"spool-{machine}"), "--queue", self.path(f"queue-{machine}"),
            "--to", self.address, "--batch-age", "1"])

    def simulate(self, machine, count):
        return [self.options.program, "simulate", "--runs", str(count), "--seed", str(machine), "--end", self.until,
                "--paths", "50..500", "--threads", "2"]

    def start(self, name, command):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XHPROF_")}
        with open(self.path(f"{name}.log"), "ab") as log:
            self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)

    def answers(self, address, name):
        for _ in range(200):
            try:
                return urllib.request.urlopen(address, timeout=5).read()
            except OSError:
                time.sleep(0.1)
        sys.exit(f"demo: {name} does not answer: {self.log(name)}")

    def get(self, path):
        return json.loads(urllib.request.urlopen(self.address + path, timeout=60).read())

    def stored(self):
        return self.get("/api/v1/stats")["runs"]

    def dropped(self):
        return sum(row["runs"] for row in self.get("/api/v1/dropped")["dropped"])

    def waiting(self):
        return sum(len(os.listdir(self.path(f"spool-{machine}"))) for machine in (1, 2))

    def wait_until(self, seconds):
        time.sleep(max(0, self.began + seconds - time.monotonic()))

    def path(self, name):
        return os.path.join(self.options.folder, name)

    def log(self, name):
        with open(self.path(f"{name}.log"), errors="replace") as file:
            return "".join(file.readlines()[-5:])

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def end(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    main()
