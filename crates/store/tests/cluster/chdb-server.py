#!/usr/bin/env python3
"""Speaks ClickHouse's HTTP interface in front of chdb, ClickHouse's engine in this process.

    chdb-server.py FOLDER PORT

For tests only: the SQL of a current ClickHouse where no package of its server is at
hand. One statement at a time, for the user `default` without a password, on 127.0.0.1. Understood are `query`,
`database`, `default_format`, `param_…`, settings, and data in the body of an INSERT,
plain or compressed with gzip or deflate. What is not understood is an error, never
ignored.
"""

import base64
import gzip
import os
import re
import signal
import sys
import tempfile
import threading
import urllib.parse
import uuid
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chdb import session

# Parameters of the interface that are no settings of the engine.
MEANINGLESS = {
    "user",
    "password",
    "quota_key",
    "query_id",
    "session_timeout",
    "session_check",
    "wait_end_of_query",
    "buffer_size",
    "enable_http_compression",
    "compress",
    "decompress",
    "send_progress_in_http_headers",
    "http_write_exception_in_output_format",
    "cancel_http_readonly_queries_on_client_close",
}
# As ClickHouse does it; all others are 500.
STATUS = {47: 404, 60: 404, 81: 404, 62: 400, 36: 400, 57: 400, 115: 404, 192: 403, 193: 401, 516: 403}
INSERT = re.compile(
    rb"\A\s*(INSERT\s+INTO\s.*?)(\sSETTINGS\s.*?)?\sFORMAT\s+(\w+)[ \t]*(?:;[ \t]*)?(?:\r?\n|\s*\Z)", re.I | re.S
)
NAME = re.compile(r"\A\w+\Z")
LARGEST = 1 << 30


class Refused(Exception):
    """A request that this server does not understand."""


class Unknown(Exception):
    """A user that is not known, in the words of ClickHouse."""

    def __init__(self, user):
        super().__init__(
            f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is "
            "no user with such name. (AUTHENTICATION_FAILED)"
        )


class Engine:
    """chdb, for one statement at a time."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.session = session.Session(os.path.join(folder, "data"))
        self.database = "default"

    def run(self, query, output, database, settings, values):
        """The answer's bytes."""
        with self.lock:
            if database != self.database:
                self.session.query(f"USE `{checked(database)}`")
                self.database = database
            try:
                for name, value in settings.items():
                    self.session.query(f"SET {checked(name)} = {quoted(value)}")
                return self.execute(query, output, values)
            finally:
                for name in settings:
                    self.session.query(f"SET {name} = DEFAULT")

    def execute(self, query, output, values):
        insert = INSERT.match(query)
        if not insert or insert[3].lower() == b"values":
            return self.session.query(query.decode(), output, params=values).bytes()
        # A statement of chdb is text. Data may be binary, so they go through a file.
        with tempfile.NamedTemporaryFile(dir=self.folder) as file:
            file.write(query[insert.end() :])
            file.flush()
            into, set_to, form = (part.decode() for part in (insert[1], insert[2] or b"", insert[3]))
            if not os.path.getsize(file.name):
                return b""
            return self.session.query(f"{into} FROM INFILE {quoted(file.name)}{set_to} FORMAT {form}").bytes()


def checked(name):
    if not NAME.match(name):
        raise Refused(f"not a name: {name!r}")
    return name


def quoted(value):
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = None

    def do_GET(self):
        if self.path == "/ping" or self.path == "/":
            return self.answer(200, b"Ok.\n")
        self.do_POST()

    def do_POST(self):
        try:
            body = self.body()
            self.answer(200, self.asked(body))
        except Refused as error:
            # The rest of the request may be unread.
            self.close_connection = True
            self.answer(501, f"chdb-server: {error}\n".encode())
        # chdb has several classes of errors, with one form of text.
        except Exception as error:
            code = re.search(r"Code: (\d+)\.", str(error))
            code = int(code[1]) if code else 1002
            text = str(error)
            if not text.startswith("Code:"):
                text = f"Code: {code}. DB::Exception: {text}"
            self.answer(STATUS.get(code, 500), text.encode() + b"\n", {"X-ClickHouse-Exception-Code": code})

    def asked(self, body):
        self.check_user()
        parts = urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True)
        query, database, output, settings, values = b"", "default", "TabSeparated", {}, {}
        database = self.headers.get("X-ClickHouse-Database", database)
        output = self.headers.get("X-ClickHouse-Format", output)
        for name, value in parts:
            if name == "query":
                query = value.encode()
            elif name == "database":
                database = value
            elif name == "default_format":
                output = value
            elif name.startswith("param_"):
                values[name[len("param_") :]] = value
            elif name == "session_id" or name in ("compress", "decompress") and value not in ("0", ""):
                raise Refused(f"{name} is not understood")
            elif name not in MEANINGLESS:
                settings[name] = value
        whole = query + b"\n" + body if query else body
        if not whole.strip():
            raise Refused("no query")
        return self.engine.run(whole, output, database, settings, values)

    def check_user(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        user = self.headers.get("X-ClickHouse-User") or query.get("user")
        kind, _, secret = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "basic":
            user = base64.b64decode(secret).decode().partition(":")[0]
        if user not in (None, "", "default"):
            raise Unknown(user)

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            data = b"".join(self.chunks())
        else:
            length = int(self.headers.get("Content-Length") or 0)
            if length > LARGEST:
                raise Refused(f"more than {LARGEST} bytes")
            data = self.rfile.read(length)
        coding = self.headers.get("Content-Encoding", "identity").lower()
        if coding == "gzip":
            return gzip.decompress(data)
        if coding == "deflate":
            return zlib.decompress(data)
        if coding != "identity":
            raise Refused(f"Content-Encoding {coding} is not understood")
        return data

    def chunks(self):
        total = 0
        while size := int(self.rfile.readline().split(b";")[0], 16):
            total += size
            if total > LARGEST:
                raise Refused(f"more than {LARGEST} bytes")
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def answer(self, status, data, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-ClickHouse-Query-Id", str(uuid.uuid4()))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, port = sys.argv[1], int(sys.argv[2])
    Handler.engine = Engine(folder)
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()


if __name__ == "__main__":
    main()
