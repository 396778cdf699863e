#!/usr/bin/env python3
"""Reads a Firefox Profiler file of version 55 and checks what the viewer relies on;
prints the stacks of wall time for totals.py."""

import json
import sys

TABLES = {
    "funcTable": "name isJS relevantForJS resource fileName lineNumber columnNumber",
    "frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column",
    "stackTable": "frame prefix",
    "samples": "stack time weight",
    "markers": "data name startTime endTime phase category",
    "resourceTable": "lib name host type",
    "nativeSymbols": "libIndex address name functionSize",
}


def check(thread, categories):
    for name, columns in TABLES.items():
        for column in columns.split():
            assert len(thread[name][column]) == thread[name]["length"], (name, column)
    strings = len(thread["stringArray"])
    functions, frames, stacks = (thread[it] for it in ("funcTable", "frameTable", "stackTable"))
    assert all(0 <= it < strings for it in functions["name"])
    assert all(it is None or 0 <= it < strings for it in functions["fileName"])
    assert all(0 <= it < functions["length"] for it in frames["func"])
    assert all(0 <= it < categories for it in frames["category"])
    assert all(0 <= it < frames["length"] for it in stacks["frame"])
    # A parent comes before its children.
    assert all(p is None or 0 <= p < at for at, p in enumerate(stacks["prefix"]))
    samples = thread["samples"]
    assert all(0 <= it < stacks["length"] for it in samples["stack"])
    assert samples["time"] == sorted(samples["time"])
    assert isinstance(thread["pid"], str)


def main(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    meta = profile["meta"]
    assert meta["preprocessedProfileVersion"] == 55 and meta["version"] == 24
    assert any(it["color"] == "grey" for it in meta["categories"])
    for thread in profile["threads"]:
        check(thread, len(meta["categories"]))
    types = [it["samples"]["weightType"] for it in profile["threads"]]
    # Wall time; CPU time and memory if they were measured.
    assert types in (["tracing-ms", "tracing-ms", "bytes"], ["tracing-ms", "bytes"]), types
    [wall, *_] = profile["threads"]
    stacks, samples = wall["stackTable"], wall["samples"]
    for stack, weight in zip(samples["stack"], samples["weight"]):
        names = []
        while stack is not None:
            function = wall["frameTable"]["func"][stacks["frame"][stack]]
            names.append(wall["stringArray"][wall["funcTable"]["name"][function]])
            stack = stacks["prefix"][stack]
        print(json.dumps({"stack": names[::-1], "wall": round(weight * 1e6)}))


if __name__ == "__main__":
    main(sys.argv[1])
