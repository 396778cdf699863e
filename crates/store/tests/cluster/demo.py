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
import subprocess
import sys
import time
import urllib.request

from processes import Processes, free_port

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


class Demo(Processes):
    def __init__(self, options):
        super().__init__(options.program, options.folder)
        self.options = options
        names = [f"server {number}" for number in (1, 2, 3)] if options.store else ["the server"]
        self.servers = {name: free_port() for name in names}
        self.front = free_port()
        self.address = f"http://127.0.0.1:{self.front}"

    def run(self):
        count = self.options.seconds * self.options.per_second
        what = "3 servers with a store in ClickHouse" if self.options.store else "a server with a store in SQLite"
        self.say(
            f"{what}, nginx, and 2 machines with an agent; each writes {self.options.per_second} runs a second for {self.options.seconds} s"
        )
        for name in self.servers:
            self.start_again(name)
        self.start_nginx()
        for machine in (1, 2):
            self.start_again(f"the agent of machine {machine}")
            spool = ["--spool", self.path(f"spool-{machine}"), "--per-second", str(self.options.per_second)]
            self.start(f"machine {machine}", self.simulate(machine, count, *spool))
        killed = [("the server", 3), ("the agent of machine 1", 2), ("the server", 6), ("the agent of machine 2", 1)]
        if self.options.store:
            killed = [
                ("server 1", 3),
                (self.options.replica, 5),
                ("the agent of machine 1", 2),
                ("server 2", 6),
                ("the agent of machine 2", 1),
                ("server 3", 2),
            ]
        kills = self.options.kills or len(killed)
        for number in range(kills):
            self.wait_until((number + 1) / (kills + 1) * self.options.seconds)
            self.kill_and_start(*killed[number % len(killed)])
        for machine in (1, 2):
            if self.processes.pop(f"machine {machine}").wait():
                sys.exit(f"demo: machine {machine} could not write: {self.log(f'machine {machine}')}")
        self.say(f"all {2 * count:,} runs are written; {self.stored():,} are stored, the rest is on its way")
        self.arrived(2 * count)
        self.compare(count)

    def compare(self, count):
        """Makes all runs again: the store must know each."""
        known = sum(self.known(machine, count, self.address) for machine in (1, 2))
        stored = self.stored()
        self.say(
            f"written {2 * count:,}, stored {stored:,}, of these {known:,} known when they were sent again; dropped {self.dropped():,}"
        )
        if not stored == known == 2 * count:
            sys.exit("demo: runs are missing or doubled")
        self.say("no run was lost, and none is there twice")

    def arrived(self, count):
        end = time.monotonic() + 120 + count / 20
        while self.stored() + self.dropped() < count:
            if time.monotonic() > end:
                sys.exit(f"demo: {self.stored()} of {count} runs came; {self.log('the agent of machine 1')}")
            time.sleep(1)
        self.say("all have arrived")

    def kill_and_start(self, name, away):
        if name == self.options.replica:
            self.cluster("kill")
        else:
            self.kill(name)
        self.say(f"SIGKILL: {name}; {self.waiting():,} files wait in the spools")
        time.sleep(away)
        self.start_again(name)
        self.say(f"{name} starts again, {away} s later")

    def start_again(self, name):
        if name == self.options.replica:
            self.cluster("start")
        elif name in self.servers:
            self.start_server(name, self.servers[name], self.options.store or self.path("store"))
        else:
            self.start_agent(name, int(name[-1]), self.address)

    def cluster(self, command):
        subprocess.run(["./x", "cluster", command, self.options.replica], check=True)

    def start_nginx(self):
        with open(self.path("nginx.conf"), "w") as file:
            file.write(
                NGINX.format(
                    user=pwd.getpwuid(os.getuid()).pw_name,
                    folder=self.options.folder,
                    nginx=self.front,
                    servers=" ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in self.servers.values()),
                )
            )
        self.start(
            "nginx",
            [
                self.options.nginx,
                "-c",
                self.path("nginx.conf"),
                "-e",
                self.path("nginx.log"),
                "-p",
                self.options.folder,
            ],
        )
        self.answers(f"{self.address}/healthz", "nginx")

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


if __name__ == "__main__":
    main()
