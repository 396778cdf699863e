#!/usr/bin/env python3
"""check.py PROGRAM: what the program reads and prints fits docs/*.schema.json.

The output of `--json` by docs/report.schema.json, the budgets of the documents by docs/check.schema.json. Each schema must also refuse
what it does not describe. By Python's jsonschema: the one for Rust is 30 packages that no other test compiles.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[4]
FIXTURES = ROOT / "crates/cli/tests/cmd"
# File, options, and the key that the view has.
VIEWS = [
    ("views.in/tiny.xhp", [], "functions"),
    ("views.in/tiny.xhprof", ["--metric", "memory"], "functions"),
    ("report.in/sampled.xhprof", [], "functions"),
    ("report.in/xhgui.jsonl", [], "functions"),
    ("report.in/valgrind.callgrind", [], "functions"),
    ("views.in/tiny.xhp", ["--callers", "bar"], "callers"),
    ("views.in/tiny.xhp", ["--callees", "foo"], "callees"),
    ("views.in/tiny.xhp", ["--callees", "f*"], "matches"),
    ("annotate.in/run.xhp", ["--lines"], "lines"),
    ("report.in/valgrind.callgrind", ["--lines"], "lines"),
    ("views.in/tiny.xhp", ["--tree"], "tree"),
    ("views.in/tiny.xhp", ["--inverted"], "inverted"),
    ("views.in/tiny.xhp", ["--by", "package"], "functions"),
    ("spans.in/spans.xhp", ["--spans"], "spans"),
    ("spans.in/spans.xhp", [], "spans_left_out"),
    ("hints.in/import.json", [], "hints"),
    ("hints.in/import.json", ["--hints"], "hints"),
    ("views.in/tiny.xhp", ["--hints"], "hints"),
]
COMPARISONS = [
    ["diff.in/a0.json", "diff.in/b0.json"],
    ["diff.in/a0.json", "diff.in/a1.json", "--", "diff.in/b0.json"],
]
program = pathlib.Path(sys.argv[1]).resolve()
failed = 0


def check(is_so, what):
    global failed
    if not is_so:
        failed += 1
        print(f"FAILED: {what}")


def schema(name):
    content = json.loads((ROOT / "docs" / name).read_text())
    kind = jsonschema.validators.validator_for(content)
    kind.check_schema(content)
    return kind(content)


def fits(validator, value, what):
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
    check(not errors, f"{what}: {errors}\n{value}")


def printed(command, *arguments):
    """What the command prints as JSON, parsed. Files are those of the fixtures.

    Its status is not looked at: a pattern that several functions match prints these, and fails.
    """
    line = [program, command, "--json", *arguments]
    done = subprocess.run(line, cwd=FIXTURES, check=False, capture_output=True)
    return json.loads(done.stdout)


def documented_budgets():
    """The YAML of docs/ci.md and of the shop."""
    blocks = re.findall("```yaml\n(.*?)```", (ROOT / "docs/ci.md").read_text(), re.DOTALL)
    return [yaml.safe_load(text) for text in [*blocks, (ROOT / "examples/shop/xhprof.yaml").read_text()]]


def budgets():
    validator = schema("check.schema.json")
    files = documented_budgets()
    check(len(files) >= 4, f"only {len(files)} files of budgets")
    for value in files:
        fits(validator, value, "budgets")
    check(not validator.is_valid({"scenarios": [{"name": "a", "run": "b", "budget": []}]}), "an unknown key is refused")
    return len(files)


def reports(validator):
    for file, options, key in VIEWS:
        what = f"report {file} {options}"
        value = printed("report", *options, file)
        fits(validator, value, what)
        check((value["format"], value["version"]) == ("xhprof-report", 1), f"{what}: format and version")
        check(key in value, f"{what} has {key}")
    value = printed("annotate", "Cart::total", "--source", "annotate.in", "annotate.in/run.xhp")
    fits(validator, value, "annotate")
    check(value["has_source"] is True, "annotate has the source")


def comparisons(validator):
    for files in COMPARISONS:
        value = printed("diff", *files)
        fits(validator, value, f"diff {files}")
        check((value["format"], value["version"]) == ("xhprof-diff", 1), f"diff {files}: format and version")
        # No share of a sum that may be below zero.
        check(value["total"]["memory_bytes"]["relative"] is None, f"diff {files}: no share of memory")
        check(isinstance(value["total"]["wall_ns"]["relative"], float), f"diff {files}: a share of time")


def refused(validator):
    """Each change makes a value that the schema does not describe."""
    changes = [
        lambda value: value.update(version=2),
        lambda value: value["functions"][0]["inclusive"].update(wall_ns="1"),
        lambda value: value["functions"][0]["self"].update(wall_us=1),
        lambda value: value.update(unknown=1),
        lambda value: value["hints"][0].update(share=2),
        lambda value: value["hints"][0]["evidence"][0].update(unit="us"),
        lambda value: value["meta"].update(tags=1),
        lambda value: value.pop("title"),
    ]
    value = printed("report", "hints.in/import.json")
    for number, change in enumerate(changes):
        broken = copy.deepcopy(value)
        change(broken)
        check(not validator.is_valid(broken), f"change {number} is refused")
    return len(changes)


report = schema("report.schema.json")
reports(report)
comparisons(report)
print(
    f"{len(VIEWS) + len(COMPARISONS) + 1} outputs of --json and {budgets()} files of budgets by their schemas, {refused(report)} broken ones refused"
)
sys.exit(1 if failed else 0)
