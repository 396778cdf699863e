#!/usr/bin/env python3
"""Lists the Rust packages that are linked into our packages, from Cargo.lock.

usage: crates.py cyclonedx|licenses VERSION PACKAGE…

`cyclonedx` prints an SBOM as CycloneDX 1.5, `licenses` the texts of the licenses.
Packages that only build scripts, macros and tests use are left out. Output depends on
Cargo.lock and the sources of the packages only.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

kind, version, *roots = sys.argv[1:]
metadata = json.loads(
    subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
checksums = {
    (name, number): checksum
    for name, number, checksum in re.findall(
        r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"', Path("Cargo.lock").read_text()
    )
}


def linked(package):
    """The packages that `package` links, except procedural macros."""
    for dependency in nodes[package]["deps"]:
        kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
        macro = any("proc-macro" in target["kind"] for target in packages[dependency["pkg"]]["targets"])
        if None in kinds and not macro:
            yield dependency["pkg"]


wanted = [package for package in packages if packages[package]["name"] in roots]
found = set(wanted)
while wanted:
    for dependency in linked(wanted.pop()):
        if dependency not in found:
            found.add(dependency)
            wanted.append(dependency)
foreign = sorted(
    (packages[package] for package in found if packages[package]["source"]),
    key=lambda package: (package["name"], package["version"]),
)


def license_of(package):
    # Before SPDX expressions, a slash was "or".
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "")


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


if kind == "cyclonedx":
    component = {"type": "application", "bom-ref": "xhprof", "name": "xhprof", "version": version}
    components = [
        {
            "type": "library",
            "bom-ref": reference(package),
            "name": package["name"],
            "version": package["version"],
            "purl": reference(package),
            "hashes": [{"alg": "SHA-256", "content": checksums[package["name"], package["version"]]}],
            "licenses": [{"expression": license_of(package)}],
        }
        for package in foreign
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component},
        "components": components,
        "dependencies": [
            {
                "ref": reference(package),
                "dependsOn": sorted(
                    reference(packages[other]) for other in linked(package["id"]) if packages[other]["source"]
                ),
            }
            for package in foreign
        ],
    }
    print(json.dumps(document, indent=1))
else:
    texts = {}
    for package in foreign:
        print(f"{package['name']} {package['version']}: {license_of(package)}")
        for file in sorted(Path(package["manifest_path"]).parent.glob("*")):
            if re.match(r"(LICEN[SC]E|COPYING|NOTICE|UNLICENSE)", file.name, re.IGNORECASE) and file.is_file():
                text = file.read_text(errors="replace").strip()
                texts.setdefault(text, []).append(f"{package['name']} {package['version']}: {file.name}")
    for text, files in texts.items():
        print("\n" + "=" * 72)
        print("\n".join(files))
        print("\n" + text)
