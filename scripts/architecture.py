#!/usr/bin/env python3
"""Compares ARCHITECTURE.md with the sources: folders, dependencies between crates, imports between modules.

- The code map has one line for each folder with source files, and no other line.
- A folder uses only those folders of its crate that its line names (`May use: a, b`).
- The solid arrows of its diagram are the dependencies between our crates in Cargo.toml.
- No two modules of one crate import each other, directly or through others. `known-circles.txt` lists the imports that
  still have to go.
- The everyday program has few packages behind it, and none of those that only a server needs.

Prints what differs and exits with 1.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KNOWN_CIRCLES = ROOT / "scripts" / "known-circles.txt"


def main():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    wrong = compare("folder", "the code map of ARCHITECTURE.md", mapped_folders(text), source_folders())
    wrong += compare("arrow", "the diagram of ARCHITECTURE.md", drawn_arrows(text), cargo_arrows())
    wrong += forbidden_uses(text)
    wrong += new_circles()
    wrong += heavy_packages()
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


def compare(what, where, written, real):
    """One line for each difference between what is written and what is real."""
    missing = [f"{where} lacks the {what} {name}" for name in sorted(real - written)]
    return missing + [f"{where} has the {what} {name}, which does not exist" for name in sorted(written - real)]


def mapped_folders(text):
    return set(re.findall(r"^- `((?:src|crates)[a-z0-9_/-]*)`: ", text, re.MULTILINE))


def source_folders():
    return {str(file.parent.relative_to(ROOT)) for top in crate_tops() for file in top.rglob("*.rs")}


def forbidden_uses(text):
    """Imports from a folder that the line of the importing folder does not name.

    A folder may always use its crate's top folder, the folders above it and those inside it.
    """
    wrong = set()
    for top in crate_tops():
        modules = modules_below(top)
        for module, file in modules.items():
            allowed = allowed_uses(text, str(file.parent.relative_to(ROOT)))
            for target in imports(code_of(file), module, modules):
                user, used = file.parent, modules[target].parent
                name = str(used.relative_to(top))
                if not (user.is_relative_to(used) or used.is_relative_to(user) or name in allowed or allowed == {"all"}):
                    place = file.relative_to(ROOT)
                    wrong.add(f"{place} uses `{name}`, which the line of its folder in ARCHITECTURE.md does not allow")
    return sorted(wrong)


def allowed_uses(text, folder):
    line = re.search(rf"^- `{folder}`: .*May use: (.*)$", text, re.MULTILINE)
    return {name.strip(" `") for name in line[1].split(",")} if line else set()


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


def new_circles():
    """Circles that remain without the arrows of `known-circles.txt`. Prints which of these no longer exist."""
    lines = [line for line in KNOWN_CIRCLES.read_text().splitlines() if line and line[0] != "#"]
    known = dict.fromkeys(lines)
    found = []
    for top in crate_tops():
        for folder, graph in import_graphs(top).items():
            kept = {}
            for module, targets in graph.items():
                for target in targets:
                    line = f"{folder}: {module} --> {target}"
                    if line in known:
                        known[line] = True
                    else:
                        kept.setdefault(module, set()).add(target)
            found += [f"modules import each other: {folder}: {' '.join(sorted(names))}" for names in components(kept)]
    for line in [line for line, exists in known.items() if not exists]:
        print(f"note: this import no longer exists, remove it from scripts/known-circles.txt: {line}")
    return sorted(found)


# 110 without `xhprof attach`, which needs `nix` (ptrace) and `object` (ELF).
MOST_PACKAGES = 112
OF_A_SERVER = {"rusqlite", "libsqlite3-sys", "rustls", "tokio", "rusty-s3", "zstd", "zstd-sys"}


def heavy_packages():
    """What a newcomer would compile before the first profile, and needs not."""
    command = ["cargo", "tree", "--offline", "--locked", "--package=xhprof-cli", "--edges=normal,build", "--prefix=none"]
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
    return {frozenset(other for other in circular if other in reach[node] and node in reach[other]) for node in circular}


def reachable(node, graph):
    seen, left = set(), list(graph.get(node, ()))
    while left:
        following = left.pop()
        if following not in seen:
            seen.add(following)
            left.extend(graph.get(following, ()))
    return seen


if __name__ == "__main__":
    main()
