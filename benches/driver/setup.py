"""Finds what to measure: PHP, our extension, the floor, and other extensions."""

import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from rounds import say

BENCHES = Path(__file__).resolve().parent.parent


@dataclass(eq=False)
class Setup:
    """Found once, used by every part."""

    php: str
    php_config: str
    extension: str
    # A folder with the ini files of this PHP, without those of profilers: for real programs.
    scan_dir: str
    fpm: str
    # A folder with a wiki in `site` and a text in `page.txt`; it need not exist.
    wiki: str
    # A temporary folder; its creator deletes it at the end.
    folder: Path
    peers: dict
    floor: str = ""
    hooks: str = ""
    off: str = ""
    slot: str = ""
    observer: str = ""
    settings: set = field(default_factory=set)

    @property
    def program(self):
        """The program xhprof, which is built beside the extension."""
        return str(Path(self.extension).parent / "xhprof")

    @property
    def loads_opcache(self):
        """Whether the ini files do."""
        return any("opcache" in it for it in os.listdir(self.scan_dir))

    def prepare(self):
        """Builds the extensions for comparison, and asks our extension for its settings."""
        self.floor = self.build("floor")
        self.hooks = self.build("hooks")
        self.off = self.build("off")
        self.slot = self.build("slot")
        self.observer = self.build("observer")
        listed = subprocess.run(
            [self.php, "-n", "-d", f"extension={self.extension}", "--ri", "xhprof"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.settings = set(re.findall(r"^(xhprof\.\w+) =>", listed.stdout, re.M))
        return self

    def build(self, name):
        """One of the extensions in benches/floor."""
        target = self.folder / f"{name}.so"
        includes = subprocess.run(
            [self.php_config, "--includes"], capture_output=True, text=True, check=True
        ).stdout.split()
        source = BENCHES / "floor" / f"{name}.c"
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", *includes, str(source), "-o", str(target)], check=True)
        return str(target)

    def has_module(self, name):
        """Whether the extension is in the folder of this PHP's extensions."""
        where = subprocess.run(
            [self.php_config, "--extension-dir"], capture_output=True, text=True, check=True
        ).stdout.strip()
        there = os.path.exists(f"{where}/{name}.so")
        if not there:
            say(f"not installed, so not measured: {name}")
        return there

    def functions_of(self, path):
        """Which functions an extension has: XHProf's, under any name, or SPX's."""
        program = """foreach (["xhprof_enable", "tideways_xhprof_enable", "spx_profiler_start"] as $it)
            if (function_exists($it)) exit(str_starts_with($it, "spx") ? "spx" : "xhprof");"""
        said = subprocess.run(
            [self.php, "-n", "-d", f"extension={path}", "-r", program], capture_output=True, text=True
        )
        if said.stdout not in ("spx", "xhprof"):
            sys.exit(f"bench: PEER_SO: {path} has neither XHProf's functions nor SPX's: {said.stdout}{said.stderr}")
        return said.stdout

    def workload(self, name):
        """The path of a program in benches/workloads."""
        return str(BENCHES / "workloads" / name)

    def scratch(self, name):
        """An empty folder."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
        return folder


def machine(setup):
    """The machine and PHP, as one line."""
    model = re.search(r"^model name\s*: (.*)", read("/proc/cpuinfo"), re.M)
    version = subprocess.run(
        [setup.php, "-n", "-r", "echo PHP_VERSION, PHP_ZTS ? ' (thread-safe)' : '';"],
        capture_output=True,
        text=True,
        check=True,
    )
    system = re.search(r'^PRETTY_NAME="(.*)"', read("/etc/os-release"), re.M)
    return (
        f"{model[1] if model else platform.machine()}, {os.cpu_count()} CPUs{', virtual' if 'hypervisor' in read('/proc/cpuinfo') else ''}; "
        f"{system[1] if system else platform.system()}, kernel {platform.release()}; PHP {version.stdout}"
    )


def versions(setup, rivals):
    """The versions of the other profilers, as one line."""
    program = (
        'foreach (["tideways_xhprof", "xdebug", "xhprof", "spx"] as $it) if (phpversion($it)) echo phpversion($it);'
    )
    found = {}
    for rival in rivals:
        name = rival.name.partition(":")[0]
        if name not in found:
            said = subprocess.run(
                [setup.php, "-n", *(part for it in rival.ini[:1] for part in ("-d", it)), "-r", program],
                capture_output=True,
                text=True,
            )
            found[name] = f"{name} {said.stdout}".strip()
    return ", ".join(found.values())


def busy(load):
    """Whether other programs use a large part of the machine; one CPU is for the bench."""
    return load > 1 + (os.cpu_count() - 1) / 2


def commit():
    """The commit, with a + if there are changes."""
    said = subprocess.run(
        ["git", "-C", str(BENCHES), "describe", "--always", "--dirty=+"], capture_output=True, text=True
    )
    return said.stdout.strip() or "unknown"


def read(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""
