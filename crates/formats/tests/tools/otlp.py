#!/usr/bin/env python3
"""Reads an OTLP profile with PyPI's opentelemetry-proto, checks the rules of
profiles.proto, and prints its stacks for totals.py."""

import json
import sys

from opentelemetry.proto.profiles.v1development.profiles_pb2 import ProfilesData

KEYS = {"calls": "calls", "wall": "wall", "cpu": "cpu", "memory": "memory"}
TABLES = "mapping location function link string attribute stack"


def main(path):
    with open(path, "rb") as file:
        data = ProfilesData.FromString(file.read())
    tables = data.dictionary
    for name in TABLES.split():
        table = list(getattr(tables, f"{name}_table"))
        assert table, f"{name}: no entry 0"
        first = table[0]
        zero = "" if name == "string" else type(first)()
        if name == "link":
            assert first.trace_id == bytes(16) and first.span_id == bytes(8)
        else:
            assert first == zero, name
        seen = [it if isinstance(it, str) else it.SerializeToString(deterministic=True) for it in table]
        assert len(set(seen)) == len(seen), f"{name}: an entry twice"
        # Fields of another release would be unknown fields here.
    string = tables.string_table
    [resource] = data.resource_profiles
    assert any(it.key == "service.name" for it in resource.resource.attributes)
    [scope] = resource.scope_profiles
    stacks, ids = {}, set()
    for profile in scope.profiles:
        kind = string[profile.sample_type.type_strindex]
        assert len(profile.profile_id) == 16 and any(profile.profile_id)
        ids.add(profile.profile_id)
        for sample in profile.samples:
            assert sample.stack_index > 0 and len(sample.values) == 1
            line = stacks.setdefault(sample.stack_index, {})
            if kind in KEYS:
                line[KEYS[kind]] = sample.values[0]
    assert len(ids) == len(scope.profiles)
    assert len(stacks) == len(tables.stack_table) - 1, "a stack that no sample has"
    for index, line in stacks.items():
        names = []
        for location in tables.stack_table[index].location_indices:
            assert location > 0
            [place] = tables.location_table[location].lines
            names.append(string[tables.function_table[place.function_index].name_strindex])
        print(json.dumps({"stack": names[::-1], **line}))


if __name__ == "__main__":
    main(sys.argv[1])
