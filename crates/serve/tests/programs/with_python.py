"""Works under the client of Pyroscope for ten seconds: with_python.py ADDRESS TOKEN."""

import sys
import time

import pyroscope


def busy(end: float) -> int:
    count = 0
    while time.monotonic() < end:
        count += sum(range(1000))
    return count


pyroscope.configure(
    application_name="python-client",
    server_address=sys.argv[1],
    http_headers={"Authorization": f"Bearer {sys.argv[2]}"},
    tags={"release": "7", "hostname": "web1"},
)
busy(time.monotonic() + 12)
pyroscope.shutdown()
# It sends on a thread of its own.
time.sleep(2)
