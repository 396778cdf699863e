#!/usr/bin/env python3
"""check.py PHP EXTENSION PROGRAM: compares two readers of native files: read_xhp.py and the program.

read_xhp.py was made from docs/format.md alone. The extension, or the program, writes files with every kind of body. read_xhp.py and
`xhprof report --json` read them. All numbers must be the same, and both must refuse the same files. The fixtures of all versions are compared
with their expected contents; a Rust test does the same with the program's reader.

check.py --update: writes the expected contents of the fixtures.
"""

import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
FIXTURES = ROOT / "crates/profile/tests/native"
READER = [sys.executable, str(pathlib.Path(__file__).with_name("read_xhp.py"))]
failed = 0


def check(is_so, what):
    global failed
    if not is_so:
        failed += 1
        print(f"FAILED: {what}")


def read(path, *options):
    """The contents of a file as the reader sees them; none if it refuses the file."""
    done = subprocess.run([*READER, str(path), *options], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode in (0, 3) else None


def fixtures(update):
    count = 0
    for path in sorted(FIXTURES.glob("*.xhp")):
        contents = read(path)
        expected = path.with_suffix(".json")
        check(contents is not None, f"{path.name} is refused")
        if update:
            expected.write_text(json.dumps(contents, indent=1, ensure_ascii=False) + "\n")
        check(
            contents == json.loads(expected.read_text()), f"{path.name} has something else in it than {expected.name}"
        )
        count += 1
    check(count >= 20, "there are too few fixtures")
    print(f"{count} fixtures")


COMMON = r"""
function leaf($n = 1) { return array_sum([$n]); }
function fib($n) { return $n < 2 ? leaf() : fib($n - 1) + fib($n - 2); }
class Thing { function __call($name, $arguments) { return leaf(); } static function of() { return new self; } }
"""
PROGRAMS = {
    "calls": COMMON
    + "fib(11); Thing::of()->any(); for ($i = 0; $i < 9000; $i++) { leaf($i); } usleep(2000); $x = str_repeat('x', 300000); leaf();",
    "fibers": COMMON
    + r"""
function nested() { leaf(); Fiber::suspend(); fib(4); }
function task($n) { while ($n--) { $f = new Fiber('nested'); $f->start(); leaf(); Fiber::suspend(); $f->resume(); } }
function starts($n) { $f = new Fiber('task'); $f->start($n); return $f; }
for ($round = 0; $round < 100; $round++) {
    $fibers = array_map('starts', [3, 2, 1]);
    while ($fibers = array_filter($fibers, fn ($f) => !$f->isTerminated())) { foreach ($fibers as $f) { leaf(); $f->resume(); } }
}
$left = starts(2);
""",
    "names": "$f = []; for ($i = 0; $i < 40; $i++) { $f[] = eval('return function ($x) { return strrev($x); };'); }"
    " for ($i = 0; $i < 9000; $i++) { $f[$i % 40]('x'); } eval('function naïve() { return strlen(\"x\"); }'); naïve();",
    # Each leaf has many paths.
    "wide": COMMON
    + r"""
function a($d) { grow($d); strrev('x'); }
function b($d) { grow($d); abs(-1); }
function grow($d) { if ($d === 0) { leaf(); return; } a($d - 1); b($d - 1); }
grow(DEPTH);
""",
    "sql": COMMON
    + "$db = new PDO('sqlite::memory:'); for ($i = 0; $i < 300; $i++) { $db->query(\"SELECT $i AS x\"); $db->exec('CREATE TABLE t' . $i . ' (a)'); fib(3); }",
    "many": COMMON + "for ($i = 0; $i < 60000; $i++) { leaf($i); }",
    "slow": COMMON + "for ($end = microtime(true) + .25; microtime(true) < $end;) { fib(8); } usleep(60000);",
}
# Mode, program and further settings, by the name of the case.
CASES = {
    "edges": ("edges", "calls"),
    "edges of fibers": ("edges", "fibers"),
    "tree": ("tree", "calls"),
    "tree of fibers": ("tree", "fibers"),
    "tree, large": ("tree", "wide"),
    "tree, full": ("tree", "wide", "xhprof.max_nodes=500"),
    "tree, deep": ("tree", "wide", "xhprof.max_depth=7"),
    "tree, wall only": ("tree", "calls", "xhprof.flags="),
    "tree, tagged": ("tree", "calls", "xhprof.capture=PATH"),
    "samples": ("sample", "slow", "xhprof.sampling_interval=1000"),
    "samples of CPU time": ("sample", "slow", "xhprof.sampling_interval=1000", "xhprof.sampling_clock=cpu"),
    "tree with lines": ("tree", "calls", "xhprof.flags=cpu memory lines"),
    "tree with lines, of fibers": ("tree", "fibers", "xhprof.flags=lines"),
    "tree with lines, same names": ("tree", "names", "xhprof.flags=lines"),
    "events": ("events", "calls"),
    "events with lines": ("events", "calls", "xhprof.flags=cpu memory lines"),
    "events with lines, of fibers": ("events", "fibers", "xhprof.flags=lines"),
    "events with lines, same names": ("events", "names", "xhprof.flags=lines"),
    "events, wall only": ("events", "calls", "xhprof.flags="),
    "events, CPU time": ("events", "calls", "xhprof.flags=cpu"),
    "events, by the kernel's clock": ("events", "calls", "xhprof.clock=monotonic"),
    "events of fibers": ("events", "fibers"),
    "events, same names": ("events", "names"),
    "events, many paths": ("events", "wide"),
    "events, full": ("events", "many", "xhprof.max_events_size=64K"),
}
SPANS = {
    "spans beside a tree": ("tree", "sql", "xhprof.collect_additional_info=1"),
    "spans beside events": ("events", "sql", "xhprof.collect_additional_info=1"),
}

# Those that are also read cut and damaged. A Rust test cuts its files everywhere.
CUT = {"events", "events with lines, of fibers", "spans beside events"}


class Machine:
    def __init__(self, php, extension, program, folder):
        self.php, self.extension, self.program, self.folder = php, extension, program, folder

    def files(self, code, *settings, killed=False):
        """The files that a program writes into the directory."""
        for old in glob.glob(f"{self.folder}/*.xhp*"):
            os.unlink(old)
        script = f"{self.folder}/script.php"
        pathlib.Path(script).write_text("<?php\n" + code.replace("DEPTH", "10"))
        extensions = ["pdo", "pdo_sqlite"] if "PDO" in code else []
        options = [f"extension={name}" for name in extensions if name not in self.builtin()]
        options += [
            f"extension={self.extension}",
            "xhprof.auto_enable=1",
            f"xhprof.output_dir={self.folder}",
            *settings,
        ]
        command = [self.php, "-n", *(part for option in options for part in ("-d", option)), script]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PHP_INI_SCAN_DIR": ""}
        )
        check(killed or done.returncode == 0, f"{settings}: {done.stdout}{done.stderr}")
        return sorted(glob.glob(f"{self.folder}/*.xhp*"))

    def builtin(self):
        done = subprocess.run([self.php, "-n", "-m"], capture_output=True, text=True, check=True)
        return done.stdout.lower().split()

    def report(self, path, *options):
        command = [self.program, "report", path, "--json", "--limit", "0", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def convert(self, path, *options):
        """The same profile, written by the program."""
        copy = f"{self.folder}/copy.xhp"
        done = subprocess.run(
            [self.program, "convert", path, "-o", copy, *options], capture_output=True, text=True, check=False
        )
        check(done.returncode == 0, f"convert {path}: {done.stderr}")
        return copy


UNITS = {"wall": ("wall_ns", "samples"), "cpu": ("cpu_ns",), "memory": ("memory_bytes",), "peak": ("peak_bytes",)}


def costs(shown):
    """A cost of the report, by our names."""
    named = {ours: shown[theirs] for ours, all_of in UNITS.items() for theirs in all_of if theirs in shown}
    return tuple(sorted(named.items()))


def measured(profile):
    known = ["wall"] + ["cpu"] * profile["measured"]["cpu"] + ["memory", "peak"] * profile["measured"]["memory"]
    return lambda cost: tuple(sorted((name, cost[name]) for name in known))


def text(name):
    return name if isinstance(name, str) else bytes.fromhex(name["hex"]).decode("utf-8", "replace")


def paths_of(profile):
    """All paths, with calls, inclusive and self costs."""
    names = [text(symbol["name"]) for symbol in profile["symbols"]]
    cost, paths, all_paths = measured(profile), [], []
    for node in profile["nodes"]:
        above = paths[node["parent"]] if paths else ()
        paths.append((*above, names[node["symbol"]]))
        calls = node["calls"] if profile["measured"]["calls"] else None
        all_paths.append((paths[-1], calls, cost(node), cost(node["self"])))
    return sorted(all_paths, key=repr)


def reported_paths(report):
    paths, all_paths = [], []
    for node in report["tree"]:
        del paths[node["depth"] :]
        paths.append(node["name"])
        inclusive = node["inclusive"]
        all_paths.append((tuple(paths), inclusive.get("calls"), costs(inclusive), costs(node["self"])))
    return sorted(all_paths, key=repr)


def functions_of(profile):
    """Calls and self costs of every function of a profile of edges."""
    names = [text(symbol["name"]) for symbol in profile["symbols"]]
    calls, own = {names[0]: profile["root"]["calls"]}, {names[0]: dict(profile["root"])}
    for edge in profile["edges"]:
        caller, callee = names[edge["caller"][0]], names[edge["callee"][0]]
        calls[callee] = calls.get(callee, 0) + edge["calls"]
        for name, sign in ((callee, 1), (caller, -1)):
            row = own.setdefault(name, {})
            for metric in UNITS:
                row[metric] = row.get(metric, 0) + sign * edge[metric]
    cost = measured(profile)
    return sorted((name, calls[name], cost(own[name])) for name in own)


def compare(machine, path, case):
    profile, shape = read(path, "--tree"), "edges" if "edges" in case else "tree"
    check(profile is not None, f"{case}: read_xhp.py refuses it")
    if profile is None:
        return None
    if shape == "edges":
        report = machine.report(path)
        rows = sorted((row["name"], row["inclusive"]["calls"], costs(row["self"])) for row in report["functions"])
        check(rows == functions_of(profile), f"{case}: other functions than the program has")
    else:
        report = machine.report(path, "--tree", "--min", "0")
        ours, theirs = paths_of(profile), reported_paths(report)
        check(len(ours) == len(theirs), f"{case}: {len(ours)} paths, {len(theirs)} as the program reads it")
        for one, other in zip(ours, theirs):
            if one != other:
                check(False, f"{case}: {one}, {other} as the program reads it")
                break
    check(report["truncated"] == bool(profile["meta"].get("is_truncated")), f"{case}: truncated, or not")
    return profile


def calls_from_lines(profile):
    """How often each line calls each function."""
    names = [text(symbol["name"]) for symbol in profile["symbols"]]
    lines = [(file, line, names[symbol]) for file, line, symbol, *_ in profile["costs_of_lines"]]
    return sorted((*lines[line], names[symbol], cost[0]) for line, symbol, cost in profile["calls_from_lines"])


def shapes(machine):
    lines = {}
    for case, (mode, program, *settings) in {**CASES, **SPANS}.items():
        if case in SPANS and not {"pdo", "pdo_sqlite"} <= set(machine.builtin()) and not has_sqlite(machine):
            print(f"{case}: pdo_sqlite is not installed, so not run")
            continue
        files = machine.files(PROGRAMS[program], f"xhprof.mode={mode}", *settings)
        check(len(files) == 1 and files[0].endswith(".xhp"), f"{case}: {files}")
        for path in files[:1]:
            profile = compare(machine, path, case)
            check(profile["is_whole"], f"{case}: is not whole")
            check(dict(profile["meta"]["tags"]).get("exit_status") == "0", f"{case}: how it ended")
            check(("full" in case or "deep" in case) == bool(profile["meta"].get("is_truncated")), f"{case}: a limit")
            if case in SPANS:
                check(len(profile["spans"]) == 600, f"{case}: {len(profile['spans'])} spans")
                sums = {}
                for span in profile["spans"]:
                    sums.setdefault(span["text"], []).append(span["duration"])
                check(sorted(map(len, sums.values()))[-1] == 300, f"{case}: equal statements have one text")
            exact = read(path)
            copy = machine.convert(path)
            again = read(copy)
            check({**again, "version": 0} == {**exact, "version": 0}, f"{case}: another profile, written again")
            if program == "wide" and mode == "tree":
                check(all(node["self"]["cpu"] >= 0 for node in profile["nodes"]), f"{case}: CPU time below zero")
            if "lines" in case:
                counts = calls_from_lines(exact)
                check(len(counts) > 3, f"{case}: {counts}")
                check(lines.setdefault(program, counts) == counts, f"{case}: other lines than in another mode")
            if case in CUT:
                cut(machine, path, case)
    print(f"{len(CASES) + len(SPANS)} shapes")


def has_sqlite(machine):
    command = [
        machine.php,
        "-n",
        "-d",
        "extension=pdo",
        "-d",
        "extension=pdo_sqlite",
        "-r",
        "exit(class_exists('PDO') ? 0 : 1);",
    ]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def cut(machine, path, case):
    """Truncated and damaged files: both readers read the same, or both refuse."""
    data = pathlib.Path(path).read_bytes()
    part = f"{machine.folder}/part.xhp"
    for place in (5, 10, 14, 40, 200, len(data) // 3, len(data) // 2, len(data) - 60, len(data) - 10, len(data) - 1):
        pathlib.Path(part).write_bytes(data[:place])
        profile, report = read(part, "--tree"), machine.report(part, "--tree", "--min", "0")
        check((profile is None) == (report is None), f"{case}: cut at {place}, one refuses what the other reads")
        if profile and report:
            check(
                not profile["is_whole"] and report["truncated"], f"{case}: cut at {place}, and not marked as truncated"
            )
            check(paths_of(profile) == reported_paths(report), f"{case}: cut at {place}, other paths")
        damaged = bytearray(data)
        damaged[place] ^= 0x41
        pathlib.Path(part).write_bytes(damaged)
        check(read(part) is None and machine.report(part) is None, f"{case}: damaged at {place}, and read")
    os.unlink(part)


def killed(machine):
    code = PROGRAMS["calls"] + " for ($i = 0; $i < 20000; $i++) { leaf(); } exec('kill -9 ' . getmypid()); sleep(60);"
    files = machine.files(code, "xhprof.mode=events", killed=True)
    check(len(files) == 1 and files[0].endswith(".xhp.partial"), f"killed: {files}")
    for path in files[:1]:
        compare(machine, path, "killed")
        profile = read(path)
        check(not profile["is_whole"] and profile["meta"]["is_truncated"], "killed: it is whole")
        check(len(profile["events"]) % 8192 == 0 and len(profile["events"]) > 40000, "killed: not whole blocks")
        tags = dict(profile["meta"]["tags"])
        check(not {"exit_status", "failed"} & set(tags), f"killed: it says how it ended: {tags}")
        check("peak_memory" not in profile["meta"], "killed: it has a peak that is none")
    print("a killed process")


def never_below_zero(machine):
    """A large tree, whose tables grow during the recording, and a program that loses its CPU again and again."""
    large = PROGRAMS["wide"].replace("DEPTH", "15")
    waiting = PROGRAMS["wide"] + " for ($i = 0; $i < 2000; $i++) { usleep(1); fib(3); }"
    for code, least in ((large, 200_000), (waiting, 5_000)):
        for path in machine.files(code, "xhprof.mode=tree", "memory_limit=-1"):
            nodes = read(path)["nodes"]
            check(len(nodes) > least, f"a tree of {len(nodes)} nodes only")
            below = [node["self"] for node in nodes if node["self"]["cpu"] < 0 or node["self"]["wall"] < 0]
            check(not below, f"{len(below)} nodes below zero: {below[:3]}")
            pprof = f"{machine.folder}/profile.pb.gz"
            subprocess.run([machine.program, "convert", path, "-o", pprof], check=True)
            check(machine.report(pprof) is not None, "our pprof is refused")
            os.unlink(pprof)
    print("no cost below zero")


def main(arguments):
    if arguments == ["--update"]:
        fixtures(update=True)
        return
    php, extension, program = arguments
    fixtures(update=False)
    with tempfile.TemporaryDirectory(prefix="xhprof-native-") as folder:
        machine = Machine(php, os.path.abspath(extension), os.path.abspath(program), folder)
        shapes(machine)
        killed(machine)
        never_below_zero(machine)


main(sys.argv[1:])
sys.exit(failed > 0)
