//! Traces that Xdebug 3.2 wrote of `golden/calls.php`, and of programs that
//! ended early or switched it on late; only their folder was renamed.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeMap;

use crate::common::read;
use profile::{Body, FlatTable, Profile};

const COMPUTER: &[u8] = include_bytes!("../golden/calls.computer.xt");
const HUMAN: &[u8] = include_bytes!("../golden/calls.human.xt");
const CACHEGRIND: &[u8] = include_bytes!("../golden/cachegrind.out.calls");
const FATAL_COMPUTER: &[u8] = include_bytes!("../golden/fatal.computer.xt");
const FATAL_HUMAN: &[u8] = include_bytes!("../golden/fatal.human.xt");
const BEGUN: &[u8] = include_bytes!("../golden/begun.computer.xt");

fn calls(profile: &Profile) -> BTreeMap<String, u64> {
    let rows = FlatTable::new(profile).rows.into_iter();
    let name = |symbol| String::from_utf8_lossy(profile.name(symbol)).into_owned();
    rows.map(|row| (name(row.symbol), row.inclusive.calls))
        .collect()
}

/// Each path and its own and inclusive microseconds, in the order of calls.
fn paths(profile: &Profile) -> Vec<(String, u64, u64)> {
    let tree = profile.tree().unwrap();
    let paths = (0..).zip(&tree.nodes).map(|(number, node)| {
        let path = tree.path(profile::NodeId(number)).into_iter();
        let names = path.map(|symbol| String::from_utf8_lossy(profile.name(symbol)).into_owned());
        let names: Vec<_> = names.collect();
        (names.join(";"), node.cost.calls, node.cost.wall / 1000)
    });
    paths.collect()
}

#[test]
fn both_formats_and_cachegrind_have_the_same_calls() {
    let cachegrind = calls(&read(CACHEGRIND));
    assert_eq!(calls(&read(COMPUTER)), cachegrind);
    assert_eq!(calls(&read(HUMAN)), cachegrind);
    assert_eq!(cachegrind["App\\fib"], 10);
    assert_eq!(cachegrind["App\\Cache::get"], 3);
    assert_eq!(cachegrind["include::/app/inc.php"], 1);
}

#[test]
fn times_are_those_between_the_lines() {
    let profile = read(COMPUTER);
    let paths = paths(&profile);
    let of = |path: &str| {
        let found = paths.iter().find(|row| row.0 == path);
        found.map(|row| (row.1, row.2))
    };
    // From `{main}` at 271 µs to its end at 1265 µs.
    assert_eq!(of("main()"), Some((1, 994)));
    assert_eq!(of("main();App\\run;App\\thrower"), Some((1, 31)));
    assert_eq!(
        of("main();App\\run;App\\Cache::__destruct;usleep"),
        Some((1, 157))
    );
    assert_eq!(of("main();App\\run;App\\fib"), Some((1, 23)));
    let usleep = profile
        .symbols
        .iter()
        .find(|symbol| *symbol.name == *b"usleep");
    assert!(usleep.unwrap().internal);
    assert!(!profile.meta.is_truncated);
    assert_eq!(profile.meta.creator.as_deref(), Some("xdebug 3.2.0"));
}

#[test]
fn a_fiber_is_called_by_what_started_it_and_runs_when_it_is_resumed() {
    let paths = paths(&read(COMPUTER));
    let start = "main();App\\run;Fiber::start";
    let closure = format!("{start};App\\{{closure:/app/t.php:16-16}}");
    let find = |path: &str| paths.iter().find(|row| row.0 == path).map(|row| row.1);
    assert_eq!(find(start), Some(1));
    assert_eq!(find(&closure), Some(1));
    assert_eq!(find(&format!("{closure};Fiber::suspend")), Some(1));
    assert_eq!(find(&format!("{closure};usleep")), Some(1));
    assert_eq!(find(&format!("{closure};App\\fib")), Some(1));
    // The time in between belongs to the program itself.
    assert_eq!(find("main();App\\run;strlen"), Some(4));
    assert_eq!(find("main();App\\run;Fiber::resume"), Some(1));
    let whole: u64 = read(COMPUTER)
        .tree()
        .unwrap()
        .self_costs()
        .iter()
        .map(|own| own.wall.unsigned_abs())
        .sum();
    assert_eq!(whole, 994_000);
}

#[test]
fn a_program_that_ended_early_is_read_up_to_there() {
    for file in [FATAL_COMPUTER, FATAL_HUMAN] {
        let profile = read(file);
        let Body::Events(_) = &profile.body else {
            panic!("no events");
        };
        let calls = calls(&profile);
        assert_eq!(calls["deep"], 4);
        assert_eq!(calls["{closure:/app/e.php:6-6}"], 1);
        assert_eq!(calls["eval"], 1);
    }
    let cut = HUMAN.len() / 2;
    assert!(read(&HUMAN[..cut]).meta.is_truncated);
}

#[test]
fn a_trace_begun_inside_a_function_has_its_calls_only() {
    assert_eq!(
        paths(&read(BEGUN)),
        [
            ("main()".to_owned(), 1, 44),
            ("main();g".to_owned(), 2, 21),
            ("main();register_shutdown_function".to_owned(), 1, 13),
            ("main();xdebug_stop_trace".to_owned(), 1, 2),
        ]
    );
}

#[test]
fn a_trace_of_millions_of_calls_becomes_a_tree() {
    let mut file = String::from("Version: 3.2.0\nFile format: 4\nTRACE START [x]\n");
    let line = |number: u64| {
        format!(
            "2\t{number}\t0\t{}\t5\tf\t1\t\t/a\t1\t0\n2\t{number}\t1\t{}\t5\n",
            number,
            number + 1
        )
    };
    for number in 1..=600_000 {
        file.push_str(&line(number));
    }
    file.push_str("TRACE END   [x]\n");
    let profile = read(file.as_bytes());
    let Body::Tree(tree) = &profile.body else {
        panic!("no tree");
    };
    assert_eq!(tree.nodes[1].cost.calls, 600_000);
    assert_eq!(tree.root_cost().wall, 600_000_000_000_000);
}

#[test]
fn broken_lines_are_refused_with_their_number() {
    let head = "Version: 3.2.0\nFile format: 4\nTRACE START [x]\n";
    for (lines, reason) in [
        (
            "1\t0\t0\tx\t5\t{main}\n",
            "the time is not a number of seconds",
        ),
        (
            "1\t0\t0\t0.1\t-5\t{main}\n",
            "the memory is not a number of bytes",
        ),
        ("x\t0\t0\t0.1\t5\t{main}\n", "the level is not a number"),
        ("1\t0\t7\t0.1\t5\n", "neither an entry nor an exit"),
        (
            "1\t0\t0\t0.1\t5\tf\n1\t0\t0\t0.1\t5\tg\n",
            "a call's number is not above the one before",
        ),
        (
            "TRACE END [x]\nVersion: 3.2.0\n",
            "another trace begins here: split the file",
        ),
    ] {
        let more = "1\t9\t1\t0.2\t5\n";
        let error = formats::read(format!("{head}{lines}{more}").as_bytes()).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("broken Xdebug trace, line "), "{error}");
        assert!(error.ends_with(reason), "{error}");
    }
    let error = formats::read(&b"Version: 3\nFile format: 4\n"[..]).unwrap_err();
    assert!(
        error.to_string().ends_with("before the trace begins"),
        "{error}"
    );
}
