"""php-fpm with one worker, and a minimal FastCGI client."""

import os
import shutil
import socket
import struct
import subprocess
import time

from run import RunFailed


class Server:
    """Runs until stop()."""

    def __init__(self, fpm, folder, ini):
        folder.mkdir()
        self.log = folder / "log"
        self.address = str(folder / "socket")
        configuration = folder / "fpm.conf"
        configuration.write_text(
            f"[global]\nerror_log = {self.log}\ndaemonize = no\n"
            f"[www]\nuser = root\nlisten = {self.address}\npm = static\npm.max_children = 1\n"
        )
        root = ["-R"] if os.geteuid() == 0 else []
        settings = [part for it in ini for part in ("-d", it)]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [fpm, "-n", "-y", str(configuration), "-F", *root, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.worker = self.wait_for_worker()

    def wait_for_worker(self):
        """The worker's process id: its CPU time is measured."""
        for _ in range(500):
            if self.process.poll() is None:
                with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
                    found = children.read().split()
                if found and os.path.exists(self.address):
                    return int(found[0])
            time.sleep(0.01)
        raise RunFailed(f"php-fpm has no worker: {self.log.read_text()}")

    def cpu_ns(self):
        """CPU time of the worker so far, in nanoseconds, from the kernel's scheduler."""
        with open(f"/proc/{self.worker}/schedstat") as counted:
            return int(counted.read().split()[0])

    def ask(self, script):
        """The body of the answer."""
        parameters = b"".join(
            struct.pack(">BB", len(name), len(value)) + name.encode() + value.encode()
            for name, value in (
                ("SCRIPT_FILENAME", script),
                ("REQUEST_METHOD", "GET"),
                ("SCRIPT_NAME", "/empty.php"),
                ("SERVER_PROTOCOL", "HTTP/1.1"),
            )
        )
        begin = struct.pack(">HB5x", 1, 0)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(10)
            connection.connect(self.address)
            connection.sendall(record(1, begin) + record(4, parameters) + record(4, b"") + record(5, b""))
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return body(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(os.path.dirname(self.address), ignore_errors=True)


def record(kind, content):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def body(answer):
    """The records of standard output, without the header."""
    said = b""
    while len(answer) >= 8:
        _, kind, _, length, padding = struct.unpack(">BBHHBx", answer[:8])
        if kind == 6:
            said += answer[8 : 8 + length]
        answer = answer[8 + length + padding :]
    if b"\r\n\r\n" not in said:
        raise RunFailed(f"php-fpm answered without a header: {said[:500]!r}")
    return said.split(b"\r\n\r\n", 1)[1].decode()
