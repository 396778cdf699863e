#!/usr/bin/env python3
"""Reads a PerfView file as its guide says, and prints its stacks for totals.py.

It uses Python's XML, JSON and zip modules, not our reader. Costs are stored in 32
bits, as in PerfView, to check that they fit."""

import io
import json
import struct
import sys
import xml.etree.ElementTree as tree
import zipfile


def opened(path):
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            [name] = archive.namelist()
            return archive.read(name)
    with open(path, "rb") as file:
        return file.read()


def from_json(data):
    for sample in json.loads(data)["StackSource"]["Samples"]:
        assert all(len(name) <= 8192 for name in sample["Stack"])
        yield sample["Stack"], sample.get("Time", 0), sample.get("Metric", 1)


def from_xml(data):
    root = tree.parse(io.BytesIO(data)).getroot()
    source = root if root.tag == "StackSource" else root.find("StackSource")
    frames = {it.get("ID"): it.text for it in source.iterfind("Frames/Frame")}
    stacks = {it.get("ID"): it for it in source.iterfind("Stacks/Stack")}
    for table in ("Frames", "Stacks", "Samples"):
        found = source.find(table)
        if found is not None and found.get("Count"):
            assert int(found.get("Count")) == len(found), table
    for sample in source.iterfind("Samples/Sample"):
        names = []
        at = sample.get("StackID")
        if at is None:
            names = [line.strip() for line in sample.text.strip().split("\n")]
        while at not in (None, "-1"):
            names.append(frames[stacks[at].get("FrameID")])
            at = stacks[at].get("CallerID")
        yield names, float(sample.get("Time", 0)), float(sample.get("Metric", 1))


def main(path):
    data = opened(path)
    last = 0.0
    for names, time, metric in (from_json if data.lstrip()[:1] == b"{" else from_xml)(data):
        assert time >= last, "samples are in the order of time"
        last = time
        single = struct.unpack("f", struct.pack("f", metric))[0]
        assert abs(single - metric) <= 1e-7 * abs(metric)
        print(json.dumps({"stack": names[::-1], "wall": round(metric * 1e6)}))


if __name__ == "__main__":
    main(sys.argv[1])
