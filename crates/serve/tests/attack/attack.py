"""Attacks a built `xhprof serve`, as strangers and as people with a token, and says what it
cost at most.

    attack.py PROGRAM [MEMORY IN MIB] [NAME OF AN ATTACK ...]

Each attack has a server of its own. It fails if a probe waits, if something acknowledged is
lost, if a stop takes more than ten seconds, or if the server and its children together take
more memory than it was given.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import bodies
from server import Server, children_of

PROGRAM = os.path.abspath(sys.argv[1])
if len(sys.argv) > 2 and not sys.argv[2].isdigit():
    sys.exit("usage: ./x attack [MEMORY IN MIB] [NAME OF AN ATTACK ...]")
MEMORY = int(sys.argv[2]) if len(sys.argv) > 2 else 512
MULTIPART = {"Content-Type": "multipart/form-data; boundary=b"}
JSON = {"Content-Type": "application/json"}


class Attacked:
    """A server, its tokens, and probes that ask it all the time."""

    def __init__(self, folder, memory=MEMORY, store=None):
        self.folder = folder
        self.tokens = {}
        file = f"{folder}/tokens"
        for name, scopes in [
            ("reader", "read"),
            ("writer", "write"),
            ("boss", "read,write,admin"),
            ("shop", "read,write:shop"),
            ("blog", "read,write:blog"),
        ]:
            if not os.path.exists(f"{folder}/{name}.token"):
                added = subprocess.run(
                    [PROGRAM, "serve", "--token-file", file, "--add-token", f"{name}:{scopes}"],
                    capture_output=True,
                    check=True,
                    text=True,
                )
                with open(f"{folder}/{name}.token", "w") as out:
                    out.write(added.stdout.strip())
            self.tokens[name] = open(f"{folder}/{name}.token").read()
        self.server = Server(PROGRAM, store or f"{folder}/store", memory, file)
        self.slowest_probe = 0
        self.is_probing = True
        self.probe = threading.Thread(target=self.ask_health, daemon=True)
        self.probe.start()

    def ask_health(self):
        while self.is_probing:
            began = time.monotonic()
            status = self.server.status("GET", "/healthz", timeout=60)
            if not self.is_probing:
                return
            self.slowest_probe = max(self.slowest_probe, time.monotonic() - began)
            if status != 200:
                self.slowest_probe = 1000
            time.sleep(0.05)

    def __getattr__(self, name):
        return getattr(self.server, name)

    def as_(self, token, method, path, body=None, headers=(), timeout=70):
        return self.server.status(method, path, body, self.tokens[token], headers, timeout)

    def end(self, probe=5.0):
        self.is_probing = False
        self.probe.join()
        took = self.server.stop()
        check(self.slowest_probe < probe, f"/healthz waited {self.slowest_probe:.1f} s")
        check(self.server.peak <= self.server.memory, f"{mib(self.server.peak)} were taken")
        return f"peak {mib(self.server.peak)}, slowest probe {self.slowest_probe * 1000:.0f} ms, stop {took:.1f} s"


def check(is_right, what):
    if not is_right:
        raise AssertionError(what)


def mib(number):
    return f"{number / (1 << 20):.0f} MiB"


def at_once(count, work):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def only(statuses, *allowed):
    others = [status for status in statuses if status not in allowed]
    check(not others, f"answers {sorted(set(others))}")


def zstd_batches(folder):
    """1: 100 batches of two kilobytes that unpack to 64 MiB each."""
    attacked = Attacked(folder)
    body = bodies.zstd_of_zeros(64)
    headers = MULTIPART | {"Content-Encoding": "zstd"}
    statuses = at_once(100, lambda _: attacked.as_("writer", "POST", "/api/v1/runs/batch", body, headers))
    only(statuses, 400, 408, 413, 503)
    return f"{len(body)} bytes each; " + attacked.end()


def pyroscope_pushes(folder):
    """2: pushes of Pyroscope with millions of empty parts, four at once."""
    attacked = Attacked(folder)
    pushes = [bodies.push_of_empty_parts(600_000), bodies.push_of_series(40_000)]
    for body in pushes:
        packed = {"Content-Encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
        statuses = at_once(
            4,
            lambda _: attacked.as_("writer", "POST", "/push.v1.PusherService/Push", body, packed),
        )
        only(statuses, 400, 413, 422, 503)
    return attacked.end(probe=2.0)


def logins(folder):
    """3: 60 logins of 64 MiB without a token."""
    attacked = Attacked(folder)
    login = "/api/v1/session"
    body = b'{"token":"' + b"x" * (64 << 20)
    statuses = at_once(60, lambda _: attacked.status("POST", login, body, headers=JSON))
    only(statuses, 0, 413)
    check(413 in statuses, "no answer said why")
    # In chunks, their sum is not told before.
    chunks = iter([b"x" * 60_000] * 100)
    check(attacked.status("POST", login, chunks, headers=JSON) in (0, 413), "chunks are read")
    token = json.dumps({"token": attacked.tokens["reader"]})
    check(attacked.status("POST", login, token, headers=JSON) == 200, "a person cannot log in")
    return attacked.end()


def slow_readers(folder):
    """4: 1,100 strangers who ask and do not read, and as many who ask nothing."""
    attacked = Attacked(folder)
    _, _, document = attacked.request("GET", "/login")
    script = re.search(rb"/assets/app-[0-9a-f]+\.js", document).group()
    strangers = []
    for number in range(1100):
        try:
            client = attacked.connect(receive=2048)
            if number % 2:
                client.sendall((b"GET " + script + b" HTTP/1.1\r\nHost: localhost\r\n\r\n") * 40)
            strangers.append(client)
        except OSError:
            pass
        if number % 200 == 199:
            began = time.monotonic()
            status = attacked.as_("reader", "GET", "/api/v1/pages/settings", timeout=20)
            waited = time.monotonic() - began
            check(status == 200 and waited < 8, f"a person got {status} after {waited:.1f} s")
    time.sleep(2)
    for _ in range(5):
        check(attacked.as_("reader", "GET", "/api/v1/runs", timeout=20) == 200, "a person waits")
        check(attacked.status("GET", "/healthz", timeout=20) == 200, "a probe waits")
    for client in strangers:
        client.close()
    return attacked.end()


def left_alone(folder):
    """5: 300 questions and uploads whose clients leave after 50 ms."""
    attacked = Attacked(folder)
    for number in range(40):
        body = bodies.batch([bodies.profile(number * 100 + one, 60) for one in range(100)])
        only([attacked.as_("writer", "POST", "/api/v1/runs/batch", body, MULTIPART)], 200)
    large = bodies.large_profile(4)
    most_threads = 0

    def leave(number):
        client = attacked.connect()
        token = attacked.tokens["boss"]
        if number % 3:
            path = ["/api/v1/tree", "/api/v1/functions?limit=10000", "/routes"][number % 3]
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        else:
            head = f"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            client.sendall(f"{head}Content-Length: {len(large)}\r\n\r\n".encode() + large)
        time.sleep(0.05)
        client.close()

    for _ in range(10):
        at_once(30, leave)
        most_threads = max(most_threads, attacked.threads())
    check(most_threads < 80, f"{most_threads} threads")
    check(attacked.server.peak_readers <= 8, f"{attacked.server.peak_readers} readers")
    began = time.monotonic()
    check(attacked.as_("reader", "GET", "/api/v1/runs") == 200, "a question fails")
    waited = time.monotonic() - began
    check(waited < 10, f"a question waits {waited:.1f} s for those whose client has left")
    return (
        f"{most_threads} threads, {attacked.server.peak_readers} readers, next question after "
        f"{waited:.2f} s; " + attacked.end()
    )


def stop_with_a_backlog(folder):
    """6: SIGTERM while 64 senders have more than it can store."""
    attacked = Attacked(folder)
    acknowledged, is_over = [], threading.Event()

    def send(sender):
        number = sender * 1_000_000
        while not is_over.is_set():
            profiles = [bodies.profile(number + one, 100) for one in range(100)]
            number += 100
            try:
                status, _, answer = attacked.request(
                    "POST",
                    "/api/v1/runs/batch",
                    bodies.batch(profiles),
                    attacked.tokens["writer"],
                    MULTIPART,
                )
                if status == 200:
                    acknowledged.extend(run["id"] for run in json.loads(answer)["runs"])
            except OSError:
                return
            except Exception:
                return

    senders = [threading.Thread(target=send, args=(sender,)) for sender in range(64)]
    for sender in senders:
        sender.start()
    time.sleep(5)
    attacked.is_probing = False
    took = attacked.server.stop()
    is_over.set()
    for sender in senders:
        sender.join()
    again = Attacked(folder)
    lost = [run for run in set(acknowledged) if again.as_("reader", "GET", f"/api/v1/runs/{run}") != 200]
    check(not lost, f"{len(lost)} of {len(acknowledged)} acknowledged runs are lost")
    peak = mib(attacked.server.peak)
    return f"peak {peak}, stop {took:.1f} s, {len(acknowledged)} acknowledged, none lost; then " + again.end()


def damaged(folder):
    """7: a damaged database: alive, and not ready."""
    attacked = Attacked(folder)
    for number in range(300):
        attacked.as_("writer", "POST", "/api/v1/runs", bodies.profile(number))
    check(attacked.status("GET", "/readyz") == 200, "it is not ready")
    attacked.is_probing = False
    attacked.server.stop()
    with open(f"{folder}/store/store.sqlite", "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(64 << 10))
    again = Attacked(folder)
    check(again.status("GET", "/healthz") == 200, "it is not alive")
    status = again.status("GET", "/readyz")
    check(status == 503, f"a damaged database is ready: {status}")
    return again.end()


def large_uploads(folder):
    """8: uploads of 20 MiB, which 512 MiB have no room for, and of 3 MiB, which are taken; 60
    of each, 20 at once, and what is kept of their memory.
    """
    attacked = Attacked(folder)
    told = []
    for size, allowed in [(20, (201, 408, 413, 503)), (3, (201, 200, 503))]:
        statuses = []
        for _ in range(3):
            large = bodies.large_profile(size)
            statuses += at_once(20, lambda _: attacked.as_("writer", "POST", "/api/v1/runs", large))
        only(statuses, *allowed)
        told.append(f"{size} MiB: { {status: statuses.count(status) for status in sorted(set(statuses))} }")
    check(201 in statuses, "no upload was taken")
    time.sleep(5)
    kept = attacked.now()
    check(kept < attacked.memory / 2, f"{mib(kept)} are kept")
    return f"answers to {', to '.join(told)}; {mib(kept)} kept; " + attacked.end()


def buggregator(folder):
    """9: JSON for Buggregator of 55 MiB."""
    attacked = Attacked(folder)
    body = bodies.buggregator(55)
    statuses = at_once(4, lambda _: attacked.as_("writer", "POST", "/api/profiler/store", body))
    only(statuses, 200, 413, 422, 503)
    time.sleep(3)
    kept = attacked.now()
    check(kept < attacked.memory / 2, f"{mib(kept)} are kept")
    return f"{mib(kept)} kept; " + attacked.end()


def full_disk(folder):
    """10: a full disk is relieved by DELETE, `store retain` and `store compact`."""
    disk = f"{folder}/disk"
    os.makedirs(disk, exist_ok=True)
    own = ["unshare", "--user", "--map-root-user", "--mount"] if os.getuid() else ["unshare", "--mount"]
    probe = f'mount -t tmpfs -o size=1m disk "{disk}"'
    if subprocess.run([*own, "sh", "-c", probe], capture_output=True).returncode:
        return "left out: no file system can be mounted here"
    # One shell has the disk for all commands.
    steps = f"""
        mount -t tmpfs -o size=32m disk "{disk}" || exit 9
        exec "{sys.executable}" "{os.path.abspath(__file__)}" "{PROGRAM}" {MEMORY} --on-disk "{folder}"
    """
    done = subprocess.run([*own, "sh", "-c", steps], capture_output=True, text=True)
    check(done.returncode == 0, done.stdout + done.stderr)
    return done.stdout.strip()


def on_disk(folder):
    store = f"{folder}/disk/store"
    attacked = Attacked(folder, store=store)
    status, ids, number = 200, [], 0
    while status == 200 and number < 4000:
        profiles = [bodies.unlike_others() for _ in range(50)]
        number += 50
        status, _, answer = attacked.request(
            "POST", "/api/v1/runs/batch", bodies.batch(profiles), attacked.tokens["writer"], MULTIPART
        )
        if status == 200:
            ids += [run["id"] for run in json.loads(answer)["runs"]]
    check(status == 507, f"a full disk is {status}")
    # Another program takes what is left.
    try:
        with open(f"{folder}/disk/others", "wb", 0) as others:
            while others.write(b"x" * 4096):
                pass
    except OSError:
        pass
    for run in ids[:20]:
        try:
            status, _, answer = attacked.request("DELETE", f"/api/v1/runs/{run}", token=attacked.tokens["boss"])
        except http.client.HTTPException as error:
            # The log is lost with the disk.
            time.sleep(1)
            log = open(f"{store}.log").read()[-2000:]
            raise AssertionError(f"DELETE: {error}; the server: {attacked.process.poll()}; {log}") from error
        check(status == 204, f"DELETE is {status}: {answer}")
    attacked.end()

    def program(*arguments):
        done = subprocess.run([PROGRAM, "store", "--store", store, *arguments], capture_output=True, text=True)
        check(done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}")

    program("policy", "--runs", "20")
    program("retain")
    program("compact")
    program("verify")
    again = Attacked(folder, store=store)
    status = again.as_("writer", "POST", "/api/v1/runs", bodies.profile(9_999_999))
    check(status == 201, f"a run after the relief is {status}")
    print(f"{len(ids)} runs filled it; relieved; " + again.end())


def every_route(folder):
    """Every route of the description: strangers, scopes, methods, and large bodies at once."""
    attacked = Attacked(folder)
    _, _, text = attacked.request("GET", "/api/v1/openapi.json")
    open_paths = {"/healthz", "/readyz", "/api/v1/openapi.json"}
    # A login without a token, and the end of no session.
    logins = {("POST", "/api/v1/session"): 415, ("DELETE", "/api/v1/session"): 204}
    count = 0
    for path, methods in json.loads(text)["paths"].items():
        place = path.replace("{id}", "0" * 32).replace("{app}", "shop")
        for method in (name.upper() for name in methods if name in ("get", "post", "put", "delete")):
            count += 1
            stranger = attacked.status(method, place)
            expected = (200,) if path in open_paths else (401, 429)
            login = logins.get((method, path))
            expected = expected if login is None else (login,)
            check(stranger in expected, f"{method} {path} of a stranger: {stranger}")
            if method != "GET" and login is None:
                # A reader changes nothing, and no page of elsewhere does.
                check(attacked.as_("reader", method, place) == 403, f"{method} {path} of a reader")
                elsewhere = {"Origin": "https://evil.example.com"}
                status = attacked.as_("boss", method, place, headers=elsewhere)
                check(status == 403, f"{method} {path} from elsewhere: {status}")
            body = b"{" * (70 << 20)
            statuses = at_once(8, lambda _: attacked.as_("boss", method, place, body))
            only(statuses, 0, 413)
    return f"{count} routes; " + attacked.end()


def isolation(folder):
    """What is of one application is not there for another."""
    attacked = Attacked(folder)
    _, _, answer = attacked.request("POST", "/api/v1/runs", bodies.profile(1), attacked.tokens["shop"])
    run = json.loads(answer)["runs"][0]["id"]
    for path in (f"/api/v1/runs/{run}", f"/api/v1/runs/{run}/file", f"/api/v1/pages/run/{run}"):
        check(attacked.as_("shop", "GET", path) == 200, f"{path} of its owner")
        check(attacked.as_("blog", "GET", path) == 404, f"{path} of another")
    check(attacked.as_("blog", "GET", "/api/v1/runs?q=app:shop") == 404, "a filter")
    label = b'{"label":"x"}'
    json_headers = {"Content-Type": "application/json"}
    path = f"/api/v1/runs/{run}/label"
    check(attacked.as_("writer", "PUT", path, label, json_headers) == 403, "a writer keeps a run")
    check(attacked.as_("blog", "PUT", path, label, json_headers) == 404, "another keeps a run")
    return attacked.end()


def kills(folder):
    """Five kills while runs arrive: nothing acknowledged is lost."""
    acknowledged = []
    for round_ in range(5):
        attacked = Attacked(folder)

        def send(sender):
            number = round_ * 10_000_000 + sender * 100_000
            while attacked.is_alive():
                try:
                    status, _, answer = attacked.request(
                        "POST", "/api/v1/runs", bodies.profile(number), attacked.tokens["writer"]
                    )
                except Exception:
                    return
                number += 1
                if status == 201:
                    acknowledged.append(json.loads(answer)["runs"][0]["id"])

        senders = [threading.Thread(target=send, args=(sender,)) for sender in range(4)]
        for sender in senders:
            sender.start()
        time.sleep(1)
        for reader in children_of(attacked.pid):
            try:
                os.kill(reader, 9)
            except OSError:
                pass
        time.sleep(0.5)
        attacked.is_probing = False
        attacked.server.kill()
        for sender in senders:
            sender.join()
    again = Attacked(folder)
    lost = [run for run in acknowledged if again.as_("reader", "GET", f"/api/v1/runs/{run}") != 200]
    check(not lost, f"{len(lost)} of {len(acknowledged)} acknowledged runs are lost")
    return f"{len(acknowledged)} acknowledged, none lost; " + again.end()


ATTACKS = [
    zstd_batches,
    pyroscope_pushes,
    logins,
    slow_readers,
    left_alone,
    stop_with_a_backlog,
    damaged,
    large_uploads,
    buggregator,
    full_disk,
    every_route,
    isolation,
    kills,
]


def main():
    wanted = sys.argv[3:]
    if wanted[:1] == ["--on-disk"]:
        on_disk(wanted[1])
        return
    failed = 0
    for attack in ATTACKS:
        if wanted and attack.__name__ not in wanted:
            continue
        folder = tempfile.mkdtemp(prefix="xhprof-attack-")
        began = time.monotonic()
        try:
            told = attack(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except AssertionError as error:
            told, failed = f"FAILED: {error} (see {folder})", failed + 1
        print(f"{attack.__name__} ({time.monotonic() - began:.0f} s): {told}", flush=True)
    if failed:
        sys.exit(f"{failed} attacks succeeded")


main()
