"""An empty request in php-fpm, with OPcache, the extension loaded and not profiling."""

import variants
from fastcgi import Server
from rounds import interleave, say, spread
from table import Table, with_spread


def measure(setup, effort):
    """CPU time of the worker for one request; the servers run side by side and are asked in turn."""
    if not setup.fpm:
        say("not installed, so not measured: php-fpm")
        return {}
    script = setup.folder / "empty.php"
    script.write_text("<?php\n")
    compared = [variants.none(), variants.slot(setup), *variants.idle(setup), *(it for it in variants.rivals(setup) if it.name.endswith(": off"))]
    servers = {}
    try:
        for index, variant in enumerate(compared):
            opcache = ("zend_extension=opcache", "opcache.file_update_protection=0")
            servers[variant.name] = Server(setup.fpm, setup.folder / f"fpm-{index}", (*opcache, *variant.ini))

        def one(name):
            server = servers[name]
            server.ask(str(script))
            before = server.cpu_ns()
            for _ in range(effort.requests):
                server.ask(str(script))
            return (server.cpu_ns() - before) / effort.requests / 1000

        # Short blocks, many of them: there is nothing to start.
        results = interleave("requests", list(servers), effort.rounds * 3, one)
    finally:
        for server in servers.values():
            server.stop()
    return {
        name: {"us": spread(values), "added_us": spread([one - base for one, base in zip(values, results["none"])])}
        for name, values in results.items()
    }


def tables(data):
    """One line a server."""
    if not data:
        return []
    return [
        Table(
            "An empty request in php-fpm, CPU time of the worker, µs",
            ["", "a request", "added"],
            [[name, with_spread(it["us"]), "" if name == "none" else with_spread(it["added_us"])] for name, it in data.items()],
            "With OPcache; one worker each; every request a new connection. *An extension with a slot* is `benches/floor/slot.c`: it asks the "
            "engine for a slot in functions' run-time caches and does nothing else: the engine then makes such caches for its own functions in each request. "
            "Ours has such a slot, too, and with the execute engine the caches are made when a profile begins.",
        )
    ]
