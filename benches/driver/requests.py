"""An empty request in php-fpm, with OPcache, the extension loaded and not profiling."""

import variants
from fastcgi import Server
from rounds import interleave, say, spread
from table import Table, with_spread


def measure(setup, effort):
    """CPU time of the worker for one request. All servers run at the same time and get requests in turn."""
    if not setup.fpm:
        say("not installed, so not measured: php-fpm")
        return {}
    script = setup.folder / "empty.php"
    script.write_text("<?php\n")
    compared = [
        variants.none(),
        variants.slot(setup),
        *variants.idle(setup),
        *(it for it in variants.rivals(setup) if it.name.endswith(": off")),
    ]
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

        # Many short blocks: there is nothing to start.
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
            [
                [name, with_spread(it["us"]), "" if name == "none" else with_spread(it["added_us"])]
                for name, it in data.items()
            ],
            "With OPcache; one worker each; a new connection for every request. *An extension with a slot* is `benches/floor/slot.c`. It asks the engine for a slot in "
            "the run-time caches of functions and does nothing else. The engine then makes such caches for its own functions in each request. "
            "Our extension has such a slot, too. With the execute engine it makes the caches when a profile begins.",
        )
    ]
