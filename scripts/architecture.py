#!/usr/bin/env python3
"""Compares ARCHITECTURE.md and docs/code-map.md with the sources.

    architecture.py [--write]

- docs/code-map.md has each folder with Rust sources: the first paragraph of its header (`//!` of `lib.rs` or `mod.rs`), and which
  other folders of its crate it uses. --write makes it anew; `./x bless` does that.
- The solid arrows of ARCHITECTURE.md's drawing are the dependencies between our crates in Cargo.toml.
- No two modules of one crate import each other, directly or through others.
- The everyday program has few packages behind it, and none of those that only a server needs.

Prints what differs and exits with 1.
"""

import difflib
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "docs" / "code-map.md"


def main(arguments):
    if arguments == ["--write"]:
        MAP.write_text(code_map())
        return
    wrong = changed_map()
    wrong += compare(
        "arrow", "the drawing of ARCHITECTURE.md", drawn_arrows((ROOT / "ARCHITECTURE.md").read_text()), cargo_arrows()
    )
    wrong += circles()
    wrong += heavy_packages()
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


def compare(what, where, written, real):
    """One line for each difference between what is written and what is real."""
    missing = [f"{where} lacks the {what} {name}" for name in sorted(real - written)]
    return missing + [f"{where} has the {what} {name}, which does not exist" for name in sorted(written - real)]


def changed_map():
    """The difference to the written map: a changed header, a new folder, or a new use between folders."""
    written = MAP.read_text() if MAP.exists() else ""
    lines = difflib.unified_diff(
        written.splitlines(), code_map().splitlines(), "docs/code-map.md", "the sources", lineterm="", n=0
    )
    found = list(lines)
    return [*found, "If this is intended, run ./x bless"] if found else []


HEAD = """# The code by folder

Each folder with Rust sources, with the first sentences of its header, and the folders of the same crate that it uses
beside those above it and inside it. `./x bless` makes this page from the sources, and `./x test` fails where they
differ: a new use between folders is a decision. [ARCHITECTURE.md](../ARCHITECTURE.md) says how the parts work together.
"""


def code_map():
    return "\n".join([HEAD, *(crate_map(top) for top in crate_tops())])


def crate_map(top):
    """The section of a crate, whose first paragraph is the header of its top folder."""
    uses = {}
    modules = modules_below(top)
    for module, file in modules.items():
        used = uses.setdefault(file.parent, set())
        for target in imports(code_of(file), module, modules):
            other = modules[target].parent
            if not (file.parent.is_relative_to(other) or other.is_relative_to(file.parent)):
                used.add(f"`{other.relative_to(top)}`")
    lines = [f"## {top.parent.relative_to(ROOT) if top.parent != ROOT else 'src'}", "", wrapped(header(top)), ""]
    for folder in sorted(uses):
        if folder != top:
            names = f" Uses {', '.join(sorted(uses[folder]))}." if uses[folder] else ""
            lines.append(wrapped(f"- `{folder.relative_to(ROOT)}`: {header(folder)}{names}", "  "))
    return "\n".join(lines if lines[-1] == "" else [*lines, ""])


def wrapped(text, indent=""):
    """The text in lines of 120 letters."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def header(folder):
    """The first paragraph of a folder's module docs."""
    for file in (folder / "lib.rs", folder / "mod.rs", folder.with_suffix(".rs"), folder / "main.rs"):
        if file.is_file():
            match = re.search(r"^((?://! ?.+\n)+)", file.read_text(), re.MULTILINE)
            text = " ".join(line.removeprefix("//!").strip() for line in match[1].splitlines()) if match else ""
            # Links of rustdoc lead nowhere on this page.
            return re.sub(r"\[(`[^`]*`)\](?:\([^)]*\))?", r"\1", text)
    return ""


def crate_tops():
    return [ROOT / "src", *sorted(ROOT.glob("crates/*/src"))]


def modules_below(top):
    """The files of a crate by the paths of their modules."""
    return {module_path(file, top): file for file in sorted(top.rglob("*.rs"))}


def drawn_arrows(text):
    """`from --> to` in the diagram; a dotted arrow (`-.->`) is not a dependency."""
    return set(re.findall(r"^ *([a-z_]+ --> [a-z_]+)$", text, re.MULTILINE))


def cargo_arrows():
    """Normal dependencies between packages of the workspace, by the names that the diagram uses."""
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--offline", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    names = {package["name"]: package["name"].removeprefix("xhprof-").replace("-", "_") for package in packages}
    return {
        f"{names[package['name']]} --> {names[dependency['name']]}"
        for package in packages
        for dependency in package["dependencies"]
        if dependency["name"] in names and dependency["kind"] is None
    }


def circles():
    """Modules of one folder that import each other, directly or through others."""
    found = [
        f"modules import each other: {folder}: {' '.join(sorted(names))}"
        for top in crate_tops()
        for folder, graph in import_graphs(top).items()
        for names in components(graph)
    ]
    return sorted(found)


# Of the everyday program, its own crates included.
MOST_PACKAGES = 110
OF_A_SERVER = {"rusqlite", "libsqlite3-sys", "rustls", "tokio", "rusty-s3", "zstd", "zstd-sys"}


def heavy_packages():
    """What a newcomer would compile before the first profile, and needs not."""
    command = [
        "cargo",
        "tree",
        "--offline",
        "--locked",
        "--package=xhprof-cli",
        "--edges=normal,build",
        "--prefix=none",
    ]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    packages = {tuple(line.split()[:2]) for line in lines if line}
    wrong = [f"the program xhprof depends on {name}" for name in sorted(OF_A_SERVER & {name for name, _ in packages})]
    if len(packages) > MOST_PACKAGES:
        wrong.append(f"{len(packages)} packages are behind the program xhprof, and {MOST_PACKAGES} may be")
    return wrong


def import_graphs(top):
    """For each folder below `top`: which of the modules in it import which others.

    An import of `a/x.rs` from `b/y.rs` is an arrow from `b` to `a`. A module and those inside it may import each other.
    """
    modules = modules_below(top)
    graphs = {}
    for module, file in modules.items():
        for target in imports(code_of(file), module, modules):
            common = 0
            while common < min(len(module), len(target)) and module[common] == target[common]:
                common += 1
            if common < len(module) and common < len(target):
                folder = "/".join([str(top.relative_to(ROOT)), *module[:common]])
                graphs.setdefault(folder, {}).setdefault(module[common], set()).add(target[common])
    return graphs


def module_path(file, top):
    parts = file.relative_to(top).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def code_of(file):
    """The source without comments and without its tests, which may import what they like."""
    code = re.sub(r"//.*", "", file.read_text())
    return re.split(r"^#\[cfg\(test\)\]\s*mod \w+ \{", code, flags=re.MULTILINE)[0]


def imports(code, module, modules):
    """The modules that paths beginning with `crate` or `super` lead to."""
    for match in re.finditer(r"\b(crate|(?:super::)*super)::(\{[^;]*?\};|[\w:]+(?:\{[^;]*?\};)?)", code):
        start = () if match[1] == "crate" else module[: len(module) - 1 - match[1].count("::")]
        for path in expanded(match[2].rstrip(";")):
            target = resolved((*start, *path), modules)
            if target != module:
                yield target


def expanded(text):
    """The paths of `a::{b, c::{d, e}}`."""
    head, brace, rest = text.partition("{")
    path = [part for part in head.split("::") if part]
    if not brace:
        return [path]
    parts, depth, begin = [], 0, 0
    for index, character in enumerate(rest):
        if character in "{}":
            depth += 1 if character == "{" else -1
        if (character == "," and depth == 0) or depth < 0:
            parts.append(rest[begin:index].strip())
            begin = index + 1
        if depth < 0:
            break
    inner = [expanded(part.split(" as ")[0].strip()) for part in parts if part]
    return [path + [name for name in tail if name != "self"] for tails in inner for tail in tails]


REEXPORTS = {}


def resolved(path, modules):
    """The module that has what `path` names: its own module, or the one that it is re-exported from."""
    depth = 0
    while depth < len(path) and path[: depth + 1] in modules:
        depth += 1
    module = path[:depth]
    if depth < len(path) and module in modules:
        return reexports(module, modules).get(path[depth], module)
    return module


def reexports(module, modules):
    """Where the names that a module re-exports (`pub use a::{B, C}`) come from."""
    key = modules[module]
    if key not in REEXPORTS:
        REEXPORTS[key] = {}
        for match in re.finditer(r"^(?:pub(?:\([\w ]+\))? )?use ([^;]+);", code_of(key), re.MULTILINE):
            for path in expanded(re.sub(r"^self::", "", match[1])):
                if path and (*module, path[0]) in modules:
                    REEXPORTS[key][path[-1]] = resolved((*module, *path), modules)
    return REEXPORTS[key]


def components(graph):
    """Sets of nodes that reach each other."""
    reach = {node: reachable(node, graph) for node in graph}
    circular = {node for node in graph if node in reach[node]}
    return {
        frozenset(other for other in circular if other in reach[node] and node in reach[other]) for node in circular
    }


def reachable(node, graph):
    seen, left = set(), list(graph.get(node, ()))
    while left:
        following = left.pop()
        if following not in seen:
            seen.add(following)
            left.extend(graph.get(following, ()))
    return seen


if __name__ == "__main__":
    main(sys.argv[1:])
