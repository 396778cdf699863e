"""The server under attack: its processes, their memory, and requests to it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time


class Server:
    """`xhprof serve` with a store, in a cgroup of its memory where that can be made."""

    def __init__(self, program, folder, memory_mib, token_file=None):
        self.memory = memory_mib << 20
        self.group = cgroup(self.memory)
        command = [program, "serve", "--store", folder, "--listen", "127.0.0.1:0"]
        command += ["--memory", f"{memory_mib}M"]
        if token_file:
            command += ["--token-file", token_file]
        self.log = open(f"{folder}.log", "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, preexec_fn=self.enter)
        line = self.process.stdout.readline().decode()
        found = re.match(r"http://([\d.]+):(\d+)/", line)
        if not found:
            raise SystemExit(f"the server does not start: {line!r}, see {folder}.log")
        self.host, self.port = found[1], int(found[2])
        self.pid = self.process.pid
        self.peak = 0
        self.peak_readers = 0
        self.is_watching = True
        threading.Thread(target=self.watch, daemon=True).start()

    def enter(self):
        if self.group:
            with open(f"{self.group}/cgroup.procs", "w") as procs:
                procs.write(str(os.getpid()))

    def watch(self):
        while self.is_watching:
            self.peak = max(self.peak, self.now())
            self.peak_readers = max(self.peak_readers, len(children_of(self.pid)))
            time.sleep(0.01)

    def now(self):
        """The memory of the server and its children, in bytes, without their program."""
        return sum(anonymous(pid) for pid in [self.pid, *children_of(self.pid)])

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def request(self, method, path, body=None, token=None, headers=(), timeout=70):
        """The status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        sent = dict(headers)
        if token:
            sent["Authorization"] = f"Bearer {token}"
        try:
            try:
                connection.request(method, path, body, sent)
            except (BrokenPipeError, ConnectionResetError):
                # It answered before it had read all; the answer is there.
                pass
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def status(self, *arguments, **named):
        """The status of an answer; 0 if the connection was cut."""
        try:
            return self.request(*arguments, **named)[0]
        except (OSError, http.client.HTTPException):
            return 0

    def connect(self, receive=None):
        client = socket.socket()
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.settimeout(20)
        client.connect((self.host, self.port))
        return client

    def is_alive(self):
        return self.process.poll() is None

    def stop(self, most=10.5):
        """Ends it as a service manager does; returns how long that took."""
        began = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        took = time.monotonic() - began
        self.is_watching = False
        if took > most:
            raise AssertionError(f"the stop took {took:.1f} s")
        if self.group:
            self.killed_by_group = killed(self.group)
            try:
                os.rmdir(self.group)
            except OSError:
                pass
            if self.killed_by_group:
                raise AssertionError("the cgroup ended processes of the server")
        return took

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()
        self.is_watching = False


def children_of(pid):
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as children:
                found += [int(child) for child in children.read().split()]
    except OSError:
        pass
    return found


def anonymous(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
            return int(found[1]) << 10 if found else 0
    except OSError:
        return 0


def cgroup(memory):
    """A cgroup with that limit, if this user may make one."""
    name = f"xhprof-attack-{os.getpid()}"
    try:
        lines = open("/proc/self/cgroup").read().splitlines()
    except OSError:
        return None
    places = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            places.append((f"/sys/fs/cgroup{path}", "memory.max"))
        elif "memory" in controllers.split(","):
            places.append((f"/sys/fs/cgroup/memory{path}", "memory.limit_in_bytes"))
    for folder, limit in places:
        group = f"{folder}/{name}"
        try:
            os.makedirs(group, exist_ok=True)
            with open(f"{group}/{limit}", "w") as file:
                file.write(str(memory))
            return group
        except OSError:
            try:
                os.rmdir(group)
            except OSError:
                pass
    return None


def killed(group):
    for name in ("memory.events", "memory.oom_control"):
        try:
            found = re.search(r"oom_kill (\d+)", open(f"{group}/{name}").read())
            return int(found[1]) if found else 0
        except OSError:
            continue
    return 0
