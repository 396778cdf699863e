#!/usr/bin/env python3
"""Makes libraries to link against, so that the result needs glibc 2.17 or musl, whichever is there.

usage: libraries.py FOLDER        makes them
       libraries.py --check FILE  whether a library needs no more than that

A library asks for each function in the version that the linker saw. Here the linker sees those of
glibc 2.17, at the places where they were then: threads and dlsym in libraries of their own, which
later versions of glibc still have as empty ones, and which musl takes for itself (`dynlink.c`,
`load_library`). The numbers come from the glibc of this machine: a symbol that has changed since
2.17 has its old version beside the new one.
"""

import re
import subprocess
import sys
from pathlib import Path

OLDEST = (2, 17)
# What a library may ask for by its name alone, if the dynamic linker need not find it.
NEEDED = {"libc.so.6", "libpthread.so.0", "libdl.so.2"}


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def symbols(file, *options):
    lines = run("nm", "--dynamic", *options, str(file), stdout=subprocess.PIPE).stdout.splitlines()
    for line in lines:
        kind, name = line.split()[-2:]
        name, _, version = name.partition("@")
        yield kind, name, version.lstrip("@")


def number(version):
    found = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)*)", version)
    return found and tuple(map(int, found[1].split(".")))


def old_library(name, versions):
    """Where glibc 2.17 had a symbol: 2.32 and 2.34 moved those of threads and dlsym into libc."""
    moved = len(versions) > 1 and max(versions) >= (2, 32)
    if moved and name.startswith("pthread_"):
        return "libpthread.so.0"
    return "libdl.so.2" if moved and name.startswith("dl") else "libc.so.6"


def make(folder):
    glibc = Path(run("gcc", "-print-file-name=libc.so.6", stdout=subprocess.PIPE).stdout.strip())
    loader = [*glibc.resolve().parent.glob("ld-linux-*.so.?")]
    found = {}
    for file in [glibc, *loader]:
        for kind, name, version in symbols(file, "--defined-only"):
            if kind in "TWi" and number(version):
                found.setdefault(name, set()).add(number(version))
    libraries = {name: {} for name in NEEDED}
    for name, versions in found.items():
        old = [version for version in versions if version <= OLDEST]
        if old:
            libraries[old_library(name, versions)].setdefault(max(old), []).append(name)
    folder.mkdir(parents=True, exist_ok=True)
    for name, nodes in libraries.items():
        link(folder / name, nodes)
    run("gcc", "-O2", "-fPIC", "-Wall", "-c", str(Path(__file__).with_name("compat.c")), "-o", str(folder / "compat.o"))
    inputs = " ".join(str(folder / name) for name in ["compat.o", *sorted(libraries)])
    (folder / "libc.so").write_text(f"INPUT({inputs})\n")
    for name in ["libgcc_s.so", "libpthread.so", "libdl.so", "librt.so", "libutil.so"]:
        (folder / name).write_text("/* see libc.so */ INPUT()\n")


def link(file, nodes):
    """A library with these symbols: {version: [name]}."""
    names = [name for node in nodes.values() for name in node]
    lines = [f".globl {name}\n.type {name}, %function\n{name}:" for name in names]
    file.with_suffix(".s").write_text(
        ".text\n" + "\n".join([*lines, ".byte 0", '.section .note.GNU-stack,"",%progbits']) + "\n"
    )
    script = ""
    for version, names in sorted(nodes.items()):
        script += f"GLIBC_{'.'.join(map(str, version))} {{ global: {' '.join(f'{name};' for name in names)} }};\n"
    file.with_suffix(".map").write_text(script)
    run(
        *(
            "gcc",
            "-shared",
            "-nostdlib",
            f"-Wl,-soname,{file.name}",
            f"-Wl,--version-script={file.with_suffix('.map')}",
        ),
        *("-o", str(file), str(file.with_suffix(".s"))),
    )


def check(file):
    """Prints what the library needs; ends with 1 if that is too much."""
    dynamic = run("readelf", "--dynamic", "--wide", str(file), stdout=subprocess.PIPE).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    faults = [f"needs {name}" for name in sorted(needed - NEEDED)]
    versions = set()
    for kind, name, version in symbols(file, "--undefined-only"):
        if kind in "wv":
            continue
        if number(version):
            versions.add(number(version))
        elif version:
            faults.append(f"asks for {name}@{version}")
    faults += [f"asks for glibc {'.'.join(map(str, version))}" for version in sorted(versions) if version > OLDEST]
    print(f"{file}: needs {', '.join(sorted(needed))}; glibc {'.'.join(map(str, max(versions)))} or musl")
    for fault in faults:
        print(f"{file}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2]))
make(Path(sys.argv[1]).resolve())
