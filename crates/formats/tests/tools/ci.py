#!/usr/bin/env python3
"""ci.py PROGRAM PROFILE FOLDER: the reports of `xhprof check`, as programs of CI read them.

Checks a budget that is kept, one that is broken and one that cannot be decided, and compares what
sarif-tools and junitparser (PyPI) read with the exit code and the budgets.
"""

import json
import subprocess
import sys
from pathlib import Path

import junitparser
from sarif import loader

BUDGETS = ["edges >= 1", 'no_call("main()")', "edges <= 0", "wall <= base + noise"]
CONFIG = """scenarios:
  - name: a <scenario> & "its" name
    profiles: {profile}
    base: {profile}
    budgets:
{budgets}
"""


def main():
    program, profile, folder = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    budgets = "\n".join(f"      - '{budget}'" for budget in BUDGETS)
    (folder / "xhprof.yaml").write_text(CONFIG.format(profile=profile, budgets=budgets))
    command = [program, "check", "--sarif", "r.sarif", "--junit", "r.xml", "--gitlab", "r.json"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    expect("exit code", ended.returncode, 3, ended.stdout + ended.stderr)

    sarif = loader.load_sarif_file(str(folder / "r.sarif"))
    report = sarif.get_report()
    found = {level: report.get_issue_count_for_severity(level) for level in ("error", "warning", "note")}
    expect("results of SARIF", found, {"error": 1, "warning": 0, "note": 1})

    suites = junitparser.JUnitXml.fromfile(str(folder / "r.xml"))
    cases = [case for suite in suites for case in suite]
    expect("suites of JUnit", [suite.name for suite in suites], ['a <scenario> & "its" name'])
    expect("cases of JUnit", [case.name for case in cases], BUDGETS)
    expect("failures of JUnit", [suites.failures, suites.tests], [1, len(BUDGETS)])
    expect("kept in JUnit", [case.is_passed for case in cases][:3], [True, True, False])

    issues = json.loads((folder / "r.json").read_text())
    expect(
        "issues of GitLab",
        [set(issue) >= {"description", "fingerprint", "location"} for issue in issues],
        [True] * len(issues),
    )
    expect("issues are told apart", len({issue["fingerprint"] for issue in issues}), len(issues))
    print("7 numbers agree, sarif-tools and junitparser")


def expect(what, found, wanted, more=""):
    if found != wanted:
        sys.exit(f"{what}: {found}, and not {wanted}\n{more}")


main()
