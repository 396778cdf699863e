"""The variants that are compared: ways to run PHP, each with its settings."""

import functools
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Variant:
    """One way to run PHP."""

    name: str
    ini: tuple = ()
    # Flags for a program that profiles itself; "off" profiles nothing.
    flags: str = "off"
    environment: tuple = ()
    # Another profiler: its failure does not fail the bench.
    rival: bool = False
    # Divides the number of calls.
    slow: int = 1
    # The variant that it is compared with.
    base: str = "none"
    jit: bool = False
    # Samples a second that `xhprof attach` takes of it.
    attached: int = 0

    def php(self, setup, *options):
        """The beginning of a command line."""
        folder = str(setup.folder / "profiles")
        opcache = [] if not self.jit or setup.loads_opcache and "-n" not in options else ["zend_extension=opcache"]
        settings = [*opcache, *(JIT if self.jit else ()), *self.ini]
        return [setup.php, *options, *(part for it in settings for part in ("-d", it.replace("{folder}", folder)))]

    def env(self, setup):
        """What it needs in its environment."""
        return {name: value.replace("{folder}", str(setup.folder / "profiles")) for name, value in self.environment}


# Without the passes of the optimizer that remove calls of empty functions.
JIT = (
    "opcache.enable_cli=1",
    "opcache.jit=tracing",
    "opcache.jit_buffer_size=64M",
    "opcache.optimization_level=0x7FFE3FFF",
)
AUTO = ("xhprof.auto_enable=1", "xhprof.flags=cpu memory", "xhprof.output_dir={folder}")


def none():
    return Variant("none")


def floor(setup):
    """Empty hooks that read the clock twice."""
    return Variant("floor", (f"extension={setup.floor}",), "wall")


def hooks(setup):
    """Empty hooks that read nothing."""
    return Variant("hooks only", (f"extension={setup.hooks}",))


def off(setup):
    """Only what later hooks need to see calls of code that is compiled now."""
    return Variant("floor, off", (f"extension={setup.off}",))


def slot(setup):
    """An extension that only asks the engine for a slot in functions' run-time caches."""
    return Variant("an extension with a slot", (f"extension={setup.slot}",))


def ours(setup, name, flags="off", engine="execute", *more):
    return Variant(name, (f"extension={setup.extension}", f"xhprof.engine={engine}", *more), flags)


def idle(setup):
    """Our extension, loaded and not profiling."""
    return [ours(setup, "loaded, off"), ours(setup, "loaded, off (observer)", engine="observer")]


def profiling(setup):
    """Our extension, by flags and engine."""
    return [
        ours(setup, "wall", "wall"),
        ours(setup, "wall, CPU", "wall,cpu"),
        ours(setup, "wall, memory", "wall,memory"),
        ours(setup, "all", "wall,cpu,memory"),
        ours(setup, "wall (observer)", "wall", "observer"),
        ours(setup, "all (observer)", "wall,cpu,memory", "observer"),
        *(ours(setup, f"{mode}, all", "off", "execute", *AUTO, f"xhprof.mode={mode}") for mode in modes(setup)),
    ]


def modes(setup):
    """Automatic profiles of other modes than edges."""
    return ("tree", "events") if "xhprof.mode" in setup.settings else ()


# Sampling intervals in microseconds. The first is an hour: a session without any sample.
NO_SAMPLE = "no sample"
SAMPLING_US = {NO_SAMPLE: 3_600_000_000, "100 Hz": 10_000, "1 kHz": 1_000, "10 kHz": 100, "100 Hz, engine off": 10_000}


def sampling(setup):
    """Our extension, by sampling interval."""
    return [
        ours(
            setup,
            name,
            "off",
            "off" if "engine off" in name else "auto",
            *AUTO,
            "xhprof.mode=sample",
            f"xhprof.sampling_interval={us}",
        )
        for name, us in SAMPLING_US.items()
    ]


def attached(setup):
    """The program alone, sampled from outside."""
    there = Path(setup.program).exists()
    return [replace(idle(setup)[0], name=f"attach, {name}", attached=rate) for name, rate in ATTACHED.items() if there]


ATTACHED = {"99 Hz": 99, "1 kHz": 1000}


def jit():
    """PHP with its JIT, without and with our idle extension."""
    return Variant("JIT: none", jit=True)


def with_jit(name, ini, flags="off"):
    return Variant(f"JIT: {name}", ini, flags, base="JIT: none", jit=True)


def jit_idle(setup):
    """What doing nothing costs there: an observer that never observes, ours, and ours where php.ini chooses sampling."""
    ours = f"extension={setup.extension}"
    return [
        with_jit("an idle observer", (f"extension={setup.observer}",)),
        with_jit("loaded, off", (ours,)),
        with_jit("loaded for sampling, off", (ours, "xhprof.mode=sample")),
    ]


def jit_wall(setup):
    return with_jit("wall", (f"extension={setup.extension}",), "wall")


@functools.cache
def rivals(setup):
    """Other profilers: Debian's packages, and those of PEER_SO."""
    found = []
    if setup.has_module("tideways_xhprof"):
        module = ("extension=tideways_xhprof",)
        found += [
            Variant("tideways: off", module, rival=True),
            Variant("tideways: wall", module, "wall", rival=True),
            Variant("tideways: all", module, "wall,cpu,memory", rival=True, slow=5),
        ]
    if setup.has_module("xdebug"):
        module = (
            "zend_extension=xdebug",
            "xdebug.mode=profile",
            "xdebug.start_with_request=yes",
            "xdebug.output_dir={folder}",
        )
        found.append(Variant("Xdebug: profile", module, rival=True, slow=5))
    for name, path in setup.peers.items():
        found += spx(name, path) if setup.functions_of(path) == "spx" else classic(name, path)
    return found


def classic(name, path):
    """Anything with XHProf's functions."""
    module = (f"extension={path}",)
    return [
        Variant(f"{name}: off", module, rival=True),
        Variant(f"{name}: wall", module, "wall", rival=True),
        Variant(f"{name}: all", module, "wall,cpu,memory", rival=True, slow=5),
    ]


def spx(name, path):
    """SPX has no such functions; its full report is what holds whole stacks."""
    module = (f"extension={path}", "spx.data_dir={folder}")
    full = (("SPX_ENABLED", "1"), ("SPX_REPORT", "full"), ("SPX_METRICS", "wt"), ("SPX_BUILTINS", "1"))
    return [Variant(f"{name}: full, wall", module, "off", full, rival=True, slow=5)]
