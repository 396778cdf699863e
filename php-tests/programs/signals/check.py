"""How a profiled command ends by a signal, and whether its profile is written.

    check.py [--write] PHP EXTENSION [PROGRAM] [FPM]

Sends each signal to a PHP that waits, with and without the extension, by kill(2), from a
terminal, through `xhprof run` (PROGRAM) and to a worker of php-fpm (FPM). Both must end
alike, within two seconds, and print the same. What was written is compared with the table
in docs/signals.md; `--write` writes it there.
"""

import fcntl
import os
import pty
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

DOCUMENT = os.path.join(os.path.dirname(__file__), "../../../docs/signals.md")
BEGIN, END = "<!-- php-tests/programs/signals/check.py writes this table -->", "<!-- the end of the table -->"

# What PHP waits in. `$lock` is locked and `$port` never answers.
WAITS = {
    "PHP code": "for (;;) leaf();",
    "`fgets(STDIN)`": "fgets(STDIN);",
    "a socket": 'fgets(stream_socket_client("tcp://127.0.0.1:$port"));',
    "`flock()`": '$file = fopen($lock, "c"); flock($file, LOCK_EX);',
    "`sleep()`": "sleep(60);",
    "`proc_close()`": 'proc_close(proc_open("exec sleep 60 </dev/null >/dev/null 2>&1", [], $pipes));',
    "`stream_select()`": '$read = [stream_socket_client("tcp://127.0.0.1:$port")]; $none = null; stream_select($read, $none, $none, 60);',
    "curl": '$curl = curl_init("http://127.0.0.1:$port/"); curl_exec($curl);',
    "PDO": 'new PDO("mysql:host=127.0.0.1;port=$port", "u", "p");',
    "C code": 'preg_match("/^(a?){40}a{40}$/", str_repeat("a", 39), $m); preg_match("/(a+)+$/", str_repeat("a", 60) . "b");',
}
NEEDS = {"curl": "curl", "PDO": "pdo_mysql"}
SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGXFSZ", "SIGXCPU"]
WAYS = [
    "Ctrl-C on a terminal",
    "Ctrl-\\ on a terminal",
    "a terminal that is closed",
    "Ctrl-C on a terminal, `xhprof run`",
    "SIGTERM to `xhprof run`",
    "SIGTERM to a worker of php-fpm",
]

PROGRAM = """<?php
ini_set('pcre.backtrack_limit', '1000000000'); ini_set('pcre.jit', '0');
function leaf() {{}}
for ($i = 0; $i < 100; $i++) leaf();
[$lock, $port] = [{lock!r}, {port}];
fwrite(fopen({ready!r}, 'a'), getmypid());
{code}
"""


class Bench:
    def __init__(self, php, extension, program, fpm):
        self.php, self.extension, self.program, self.fpm = php, extension, program, fpm
        self.folder = tempfile.mkdtemp(prefix="xhprof-signals-")
        self.lock = os.path.join(self.folder, "lock")
        self.locked = open(self.lock, "w")
        fcntl.flock(self.locked, fcntl.LOCK_EX)
        self.silent = socket.socket()
        self.silent.bind(("127.0.0.1", 0))
        self.silent.listen(64)
        self.modules = subprocess.run([php, "-m"], capture_output=True, text=True).stdout.split()

    def write(self, code):
        self.out = tempfile.mkdtemp(dir=self.folder)
        self.ready = os.path.join(self.out, "ready")
        script = os.path.join(self.out, "script.php")
        with open(script, "w") as file:
            file.write(PROGRAM.format(lock=self.lock, port=self.silent.getsockname()[1], ready=self.ready, code=code))
        return script

    def options(self, is_profiled):
        if not is_profiled:
            return []
        return [
            "-d",
            f"extension={self.extension}",
            "-d",
            "xhprof.auto_enable=1",
            "-d",
            f"xhprof.output_dir={self.out}",
        ]

    def wait_ready(self):
        """The process id of PHP, once it waits."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if os.path.exists(self.ready) and (text := open(self.ready).read()):
                pid = int(text)
                # It waits, or is in the code behind: a moment later it surely is.
                time.sleep(0.1)
                return pid
            time.sleep(0.005)
        raise SystemExit("PHP did not begin to wait")

    def is_written(self):
        return any(name.endswith(".xhp") for name in os.listdir(self.out))

    def ended(self, pid, seconds):
        """How a child ended: its status as waitpid(2) has it, or none."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return describe(status)
            time.sleep(0.002)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return "goes on"

    def killed(self, code, name, is_profiled):
        """Of a command that gets a signal: how it ended, its output, and whether a profile was written."""
        script = self.write(code)
        child = subprocess.Popen(
            [self.php, *self.options(is_profiled), script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.wait_ready()
        child.send_signal(getattr(signal, name))
        how = self.ended(child.pid, 2 if name != "SIGPIPE" else 0.5)
        child.returncode = 0
        os.set_blocking(child.stdout.fileno(), False)
        os.set_blocking(child.stderr.fileno(), False)
        output = (child.stdout.read() or b"") + (child.stderr.read() or b"")
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        return how, output, self.is_written()

    def on_terminal(self, command, keys):
        """The same for a command on a terminal, after these keys; none closes the terminal."""
        pid, master = pty.fork()
        if pid == 0:
            os.execvp(command[0], command)
        self.wait_ready()
        if keys is None:
            os.close(master)
            master = None
        else:
            os.write(master, keys)
        output = b""
        until = time.monotonic() + 2
        how = None
        while how is None and time.monotonic() < until:
            if master is not None and select.select([master], [], [], 0.01)[0]:
                try:
                    output += os.read(master, 65536)
                except OSError:
                    pass
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                how = describe(status)
        if how is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            how = "goes on"
        if master is not None:
            os.close(master)
        return how, output, self.is_written()

    def fpm_worker(self, is_profiled):
        script = self.write("sleep(60);")
        address = os.path.join(self.out, "socket")
        config = os.path.join(self.out, "fpm.conf")
        with open(config, "w") as file:
            user = "user=root\ngroup=root\n" if os.geteuid() == 0 else ""
            file.write(
                f"[global]\nerror_log={self.out}/log\ndaemonize=no\n[www]\n{user}listen={address}\npm=static\npm.max_children=1\n"
            )
        root = ["-R"] if os.geteuid() == 0 else []
        server = subprocess.Popen(
            [self.fpm, *root, "-n", "-y", config, *self.options(is_profiled)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            client = socket.socket(socket.AF_UNIX)
            until = time.monotonic() + 10
            while True:
                try:
                    client.connect(address)
                    break
                except OSError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.02)
            client.sendall(fastcgi(script))
            worker = self.wait_ready()
            os.kill(worker, signal.SIGTERM)
            until = time.monotonic() + 2
            while f"child {worker} exited" not in open(f"{self.out}/log").read() and time.monotonic() < until:
                time.sleep(0.01)
            line = [line for line in open(f"{self.out}/log") if f"child {worker} exited" in line]
            how = line[0].split("exited ")[1].split(" after")[0] if line else "goes on"
            client.close()
            return how, b"", self.is_written()
        finally:
            server.terminate()
            server.wait()


def describe(status):
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit {os.WEXITSTATUS(status)}"


def fastcgi(script):
    """A request for a script."""

    def record(kind, content):
        return bytes([1, kind, 0, 1, len(content) >> 8, len(content) & 255, 0, 0]) + content

    pairs = {"SCRIPT_FILENAME": script, "REQUEST_METHOD": "GET"}
    packed = b"".join(bytes([len(key), len(value)]) + key.encode() + value.encode() for key, value in pairs.items())
    return record(1, bytes([0, 1, 0, 0, 0, 0, 0, 0])) + record(4, packed) + record(4, b"") + record(5, b"")


def main(arguments):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A shell that runs this in the background ignores some of these, nohup SIGHUP, and so
    # would every PHP. Python ignores SIGPIPE and SIGXFSZ, and gives them back to its children.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    is_to_write = "--write" in arguments
    arguments = [argument for argument in arguments if argument != "--write"]
    php, extension, program, fpm = (arguments + ["-", "-"])[:4]
    bench = Bench(php, os.path.abspath(extension), program, fpm)
    wrong, cells = [], {}

    def compare(row, column, plain, profiled):
        if plain[:2] != profiled[:2]:
            wrong.append(f"{row}, {column}: without the extension {plain[:2]}, with it {profiled[:2]}")
        text = "PHP goes on" if profiled[0] == "goes on" else "written" if profiled[2] else "not written"
        cells[row, column] = text

    for row, code in WAITS.items():
        if NEEDS.get(row, "Core") not in bench.modules:
            print(f"{row}: not run, {NEEDS[row]} is not loaded")
            continue
        for name in SIGNALS:
            compare(row, name, bench.killed(code, name, False), bench.killed(code, name, True))
    table = ["| PHP is in | " + " | ".join(SIGNALS) + " |", "|---" * (len(SIGNALS) + 1) + "|"]
    for row in WAITS:
        if (row, SIGNALS[0]) in cells:
            table.append(f"| {row} | " + " | ".join(cells[row, name] for name in SIGNALS) + " |")
    table += ["", "| `sleep()` is ended by | the profile is |", "|---|---|"]

    def way(row, plain, profiled, is_same=True):
        if is_same:
            compare(row, "", plain, profiled)
        else:
            cells[row, ""] = "written" if profiled[2] else "not written"
        table.append(f"| {row} | {cells[row, '']} |")

    sleep = WAITS["`sleep()`"]
    for row, keys in zip(WAYS, [b"\x03", b"\x1c", None]):

        def run(is_profiled):
            script = bench.write(sleep)
            return bench.on_terminal([php, *bench.options(is_profiled), script], keys)

        way(row, run(False), run(True))
    if program != "-":

        def command():
            script = bench.write(sleep)
            return [
                program,
                "run",
                "--output",
                os.path.join(bench.out, "profile.xhp"),
                "--",
                php,
                "-d",
                f"extension={bench.extension}",
                script,
            ]

        ended = bench.on_terminal(command(), b"\x03")
        if ended[0] != "exit 130":
            wrong.append(f"{WAYS[3]}: {ended}")
        way(WAYS[3], None, ended, False)
        child = subprocess.Popen(
            command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        bench.wait_ready()
        child.send_signal(signal.SIGTERM)
        how = bench.ended(child.pid, 2)
        child.returncode = 0
        if how != "exit 143":
            wrong.append(f"{WAYS[4]}: {how}")
        way(WAYS[4], None, (how, b"", bench.is_written()), False)
    if fpm != "-":
        way(WAYS[5], bench.fpm_worker(False), bench.fpm_worker(True))

    print("\n".join(table))
    text = open(DOCUMENT).read()
    before, rest = text.split(BEGIN)
    known, after = rest.split(END)
    if is_to_write:
        with open(DOCUMENT, "w") as file:
            file.write(before + BEGIN + "\n" + "\n".join(table) + "\n" + END + after)
    else:
        # What could not be run here is in the table, too.
        for line in table:
            if line and line not in known.split("\n"):
                wrong.append(f"docs/signals.md has no line {line}")
    print("\n".join(wrong))
    print(f"{len(cells)} ends compared, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
