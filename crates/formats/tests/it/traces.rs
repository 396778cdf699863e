//! Chrome traces, V8 CPU profiles, Firefox Profiler, OTLP, perf: files of their
//! own programs' forms, and round trips.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::amount;
use crate::programs::{nasty, table, tiny_events, tiny_tree, written, written_with};
use formats::ReadError;
use formats::chrome_trace::CHROME_TRACE;
use formats::cpuprofile::CPUPROFILE;
use formats::firefox::FIREFOX;
use formats::otlp::OTLP;
use profile::{Body, FlatTable, Metric, Profile, WallUnit};

const TRACE: &[u8] = include_bytes!("../golden/tiny.trace.json");
const CPUPROFILE_FILE: &[u8] = include_bytes!("../golden/tiny.cpuprofile");
const PERF: &[u8] = include_bytes!("../golden/tiny.perf.txt");
const OTLP_FILE: &[u8] = include_bytes!("../golden/tiny.otlp.pb");
const FIREFOX_FILE: &[u8] = include_bytes!("../golden/tiny.firefox-v55.json");

fn read(bytes: &[u8]) -> Profile {
    formats::read(bytes).unwrap()
}

fn error(text: &str) -> String {
    formats::read(text.as_bytes()).unwrap_err().to_string()
}

/// Name, own and inclusive wall time of each function that took any.
fn times(profile: &Profile) -> Vec<(String, i64, u64)> {
    let rows = table(profile).into_iter().filter(|row| row.3 > 0);
    rows.map(|(name, _, own, all)| (name, own, all)).collect()
}

/// Name and own wall time of each function.
fn own(text: &str) -> Vec<(String, i64)> {
    let rows = table(&read(text.as_bytes())).into_iter();
    rows.map(|(name, _, own, _)| (name, own)).collect()
}

fn is(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter()
        .map(|&(name, own)| (name.to_owned(), own))
        .collect()
}

#[test]
fn a_trace_of_whole_calls_in_any_order_is_the_programs_profile() {
    let profile = read(TRACE);
    assert!(matches!(profile.body, Body::Events(_)));
    assert_eq!(table(&profile), table(&tiny_tree()));
    assert_eq!(profile.meta.not_read, ["2 async events"]);
    assert_eq!(profile.meta.process, Some(7));
}

#[test]
fn the_programs_own_profiles_are_read() {
    let expected = times(&tiny_tree());
    for file in [CPUPROFILE_FILE, FIREFOX_FILE, OTLP_FILE] {
        assert_eq!(times(&read(file)), expected);
    }
    let cpuprofile = read(CPUPROFILE_FILE);
    let main = &cpuprofile.symbols[0];
    assert_eq!(main.file.as_deref(), Some(b"/app/index.php".as_slice()));
    // What is written has the calls, too.
    assert_eq!(
        table(&read(&written(&OTLP, &tiny_tree()))),
        table(&tiny_tree())
    );
}

#[test]
fn perf_is_read_with_its_command_and_its_units() {
    let profile = read(PERF);
    assert_eq!(profile.metrics.wall_unit, WallUnit::Nanoseconds);
    assert_eq!(profile.meta.host.as_deref(), Some("tiny"));
    assert_eq!(profile.meta.creator.as_deref(), Some("perf 6.1.187"));
    let mut expected = times(&tiny_tree());
    for row in &mut expected {
        if row.0 == "main()" {
            row.0 = "main".to_owned();
        }
    }
    let mut found = times(&profile);
    found.retain(|row| row.0 != "main()" && row.0 != "php");
    expected.sort();
    assert_eq!(found, expected);

    let counted = "a b 1/2 [000] 1.5:  7 cycles:u: \n\t 12 f+0x1 (inlined)\n\t  a.c:7\n\t 13 [unknown] (/lib/x.so)\n\n\
                   a b 1/2 [000] 1.6:  1 page-faults: \n\t 12 g (/bin/y)\n\n\
                   cc 3/3 [001] 1.7:  5 cycles:u:  ff h+0x2 ([kernel.kallsyms])\n";
    let profile = read(counted.as_bytes());
    assert_eq!(profile.meta.counts.as_deref(), Some("cycles:u"));
    assert_eq!(profile.meta.not_read, ["1 samples of page-faults"]);
    assert_eq!(profile.metrics.wall_unit, WallUnit::Samples);
    assert_eq!(
        own(counted),
        is(&[
            ("[x.so]", 0),
            ("a b", 0),
            ("cc", 0),
            ("f", 7),
            ("h", 5),
            ("main()", 0)
        ])
    );
    assert!(error("a 1/2 1.5: 7 cycles: \n\t1 f (/x)\nwhat\n").contains("line 3"));
}

#[test]
fn traces_come_back_with_calls_costs_and_times() {
    for profile in [tiny_events(), tiny_tree()] {
        let back = read(&written(&CHROME_TRACE, &profile));
        assert_eq!(table(&back), table(&profile));
        assert_eq!(back.metrics, profile.metrics);
        assert_eq!(back.meta.started_unix_us, profile.meta.started_unix_us);
        let totals = |profile: &Profile| profile.tree().unwrap().root_cost();
        assert_eq!(totals(&back), totals(&profile));
        for symbol in &profile.symbols {
            assert!(back.symbols.contains(symbol), "{symbol:?}");
        }
    }
    let events = tiny_events();
    let (Body::Events(one), Body::Events(other)) =
        (&events.body, &read(&written(&CHROME_TRACE, &events)).body)
    else {
        panic!("no events");
    };
    let at = |events: &profile::Events| {
        events
            .events
            .iter()
            .map(|event| event.at)
            .collect::<Vec<_>>()
    };
    assert_eq!(at(one), at(other));
    assert_eq!(one.end, other.end);
}

#[test]
fn samples_stay_samples() {
    let sampled = read(include_bytes!("../golden/0003.tinysampled.xhprof"));
    let formats: [&formats::Format; 3] = [&CHROME_TRACE, &CPUPROFILE, &FIREFOX];
    for format in formats {
        let back = read(&written(format, &sampled));
        assert!(matches!(back.body, Body::Samples(_)), "{}", format.id);
        assert_eq!(back.metrics.wall_unit, WallUnit::Samples, "{}", format.id);
        assert_eq!(times(&back), times(&sampled), "{}", format.id);
    }
}

#[test]
fn a_cpuprofile_holds_one_cost_in_microseconds() {
    let profile = nasty();
    for metric in [Metric::Wall, Metric::Cpu] {
        let options = formats::WriteOptions {
            metric,
            ..formats::WriteOptions::default()
        };
        let back = read(&written_with(&CPUPROFILE, &profile, &options));
        let total = FlatTable::new(&profile).total;
        let expected = if metric == Metric::Wall {
            total.wall
        } else {
            total.cpu
        };
        let found = FlatTable::new(&back).total.wall;
        assert!(found.abs_diff(expected) <= 500, "{found} {expected}");
    }
    let options = formats::WriteOptions {
        metric: Metric::Memory,
        ..formats::WriteOptions::default()
    };
    let outcome = formats::write(&CPUPROFILE, &profile, &options, &mut Vec::new());
    assert_eq!(
        outcome.unwrap_err().to_string(),
        "V8 CPU profile has no place for memory costs"
    );
    assert_eq!(
        times(&read(&written(&CPUPROFILE, &tiny_tree()))),
        times(&tiny_tree())
    );
}

#[test]
fn all_forms_of_a_cpuprofile_are_read() {
    let frame = |name: &str, line: i32| {
        format!(
            r#""callFrame":{{"functionName":"{name}","url":"file:///a.js","lineNumber":{line}}}"#
        )
    };
    // Parents in place of children, a sample out of order, two functions of one
    // name.
    let parents = format!(
        r#"{{"samples":[2,3,4,2],"timeDeltas":[10,5,-3,8],"startTime":100,"endTime":130,"nodes":[
        {{"id":1,"callFrame":{{"functionName":"(root)","url":"","lineNumber":-1}}}},
        {{"id":3,"parent":2,{}}},{{"id":2,"parent":1,{}}},{{"id":4,"parent":2,{}}}]}}"#,
        frame("f", 8),
        frame("", 1),
        frame("f", 9)
    );
    assert_eq!(
        own(&parents),
        is(&[
            ("(anonymous) [/a.js:2]", 12_000),
            ("f", 5_000),
            ("f [/a.js:10]", 3_000),
            ("main()", 0)
        ])
    );
    // Only how often each was on top.
    let hits = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"hitCount":0,"children":[2]},
        {"id":2,"callFrame":{"functionName":"(idle)"},"hitCount":7}]}"#;
    assert_eq!(own(hits), is(&[("(idle)", 7), ("main()", 0)]));
    // V8's older form: nested, in seconds, samples with the time of day.
    let old = r#"{"typeId":"CPU","head":{"functionName":"(root)","id":1,"hitCount":0,"children":[
        {"functionName":"g","url":"/b.js","lineNumber":3,"id":2,"hitCount":2,"children":[]}]},
        "startTime":5,"endTime":5.002,"samples":[1,2],"timestamps":[5000000,5000500]}"#;
    assert_eq!(own(old), is(&[("g", 1_500_000), ("main()", 500_000)]));
    for (broken, reason) in [
        (
            r#"{"nodes":[{"id":1,"callFrame":{},"children":[1]}]}"#,
            "calls itself",
        ),
        (
            r#"{"nodes":[{"id":1,"callFrame":{},"parent":9}]}"#,
            "there is no node 9",
        ),
        (
            r#"{"nodes":[{"id":1,"callFrame":{}},{"id":1}]}"#,
            "node 1 occurs twice",
        ),
        (
            r#"{"nodes":[{"id":1,"hitCount":1}],"samples":[1],"timeDeltas":[]}"#,
            "",
        ),
        (
            r#"{"nodes":[{"id":1,"hitCount":1}],"samples":[1],"timeDeltas":[1,2]}"#,
            "not as many",
        ),
    ] {
        if !reason.is_empty() {
            let error = error(broken);
            assert!(
                error.contains(reason) && error.starts_with("broken V8 CPU profile"),
                "{error}"
            );
        }
    }
}

#[test]
fn all_forms_of_a_trace_are_read() {
    // Several threads and processes, out of order, with fractions and a call
    // that does not end.
    let threads = r#"[
        {"ph":"M","name":"process_name","pid":1,"args":{"name":"php"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
        {"ph":"B","name":"f","pid":1,"tid":2,"ts":10.5},
        {"ph":"E","pid":1,"tid":2,"ts":"20.75"},
        {"ph":"B","name":"f","pid":1,"tid":2,"ts":0},{"ph":"E","name":"f","pid":1,"tid":2,"ts":1},
        {"ph":"X","name":"g","pid":"3","tid":"x","ts":5,"dur":2.5},
        {"ph":"X","name":"h","pid":"3","tid":"x","ts":6,"dur":1},
        {"ph":"E","name":"q","pid":"3","tid":"x","ts":6},
        {"ph":"B","name":"i","pid":"3","tid":"x","ts":20},
        {"ph":"C","name":"n","ts":1,"args":{"v":1}},{"ph":"i","name":"n","ts":1},{"ph":"Q","args":[]},null"#;
    let profile = read(threads.as_bytes());
    assert!(profile.meta.is_truncated);
    assert_eq!(
        profile.meta.not_read,
        [
            "1 counters",
            "1 instant events",
            "1 other events",
            "1 exits without an entry"
        ]
    );
    assert_eq!(
        own(threads),
        is(&[
            ("[php 1, worker 2]", 0),
            ("[process 3, thread x]", 0),
            ("f", 11_250),
            ("g", 1_500),
            ("h", 1_000),
            ("i", 750),
            ("main()", 0)
        ])
    );
    // CPU time, in events that come before what they are of.
    let cpu = r#"{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":9,"tts":100,"tdur":4},],
        "displayTimeUnit":"ns"}"#;
    let profile = read(cpu.as_bytes());
    assert!(profile.metrics.cpu);
    assert_eq!(FlatTable::new(&profile).total.cpu, 4_000);
    let none = error(r#"{"traceEvents":[{"ph":"i","ts":1}]}"#);
    assert!(none.contains("no event has a duration"), "{none}");
}

#[test]
fn all_versions_of_firefox_are_read() {
    // 60 and later: shared tables, sources, offsets in place of prefixes, and
    // times as steps.
    let shared = r#"{"meta":{"preprocessedProfileVersion":70,"interval":1,"startTime":0,"product":"x"},
        "threads":[{"name":"A","pid":"1","tid":5,"samples":{"stack":[1,null,1],"timeDeltas":[3,1,1],"weight":null,"weightType":"samples","length":3}},
                   {"name":"B","pid":"2","tid":6,"processName":"p","samples":{"stack":[0],"time":[1]}}],
        "shared":{"stringArray":["(root)","f","a.js"],"sources":{"filename":[2],"length":1},
        "funcTable":{"name":[0,1],"source":[null,0],"lineNumber":[null,7]},"frameTable":{"func":[0,1]},
        "stackTable":{"frame":[0,1],"prefixOffset":[0,1]}}}"#;
    assert_eq!(
        own(shared),
        is(&[
            ("[process 1, A 5]", 1),
            ("[p 2, B 6]", 1),
            ("f", 2),
            ("main()", 0)
        ])
        .into_iter()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>()
    );
    let raw = r#"{"meta":{"version":24,"processType":0,"stackwalk":1,"interval":1},"libs":[],
        "threads":[{"name":"G","samples":{"schema":{"stack":0},"data":[[0]]}}]}"#;
    assert!(matches!(
        formats::read(raw.as_bytes()),
        Err(ReadError::Refused { .. })
    ));
    assert!(error(raw).starts_with("a raw Gecko profile is not read here: open it on"));
    let circle = r#"{"meta":{"preprocessedProfileVersion":55},"threads":[{"samples":{"stack":[0]},
        "stringArray":["f"],"funcTable":{"name":[0]},"frameTable":{"func":[0]},
        "stackTable":{"frame":[0],"prefix":[0]}}]}"#;
    assert!(error(circle).contains("stack 0 comes before the one below it"));
}

#[test]
fn xdebugs_html_trace_is_refused_by_name() {
    for tag in [
        "<table class='xdebug-trace' dir='ltr' border='1' cellspacing='0'>",
        // Xdebug 3.2 writes this.
        "<table style='hyphens: auto; -webkit-hyphens: auto; -ms-hyphens: auto;' \
         class='xdebug-trace' dir='ltr' border='1' cellspacing='0'>",
    ] {
        assert_eq!(
            error(&format!("{tag}\n\t<tr><th>#</th>")),
            "Xdebug's trace as HTML (xdebug.trace_format=2) is not read here: \
             record it with xdebug.trace_format=1"
        );
    }
    assert_eq!(
        error("<table style='a' class='x'><td class='xdebug-trace'>"),
        "not a profile in any known format"
    );
}

#[test]
fn what_is_mistaken_for_a_profile_is_refused_by_name() {
    let refused = |input: &[u8]| formats::read(input).unwrap_err().to_string();
    for (input, expected) in [
        (
            &b"\x28\xb5\x2f\xfd\x24\x34\x99"[..],
            "zstd is not read here: unpack it first with `zstd -d`",
        ),
        (
            b"BZh91AY&SY\x01\x02",
            "bzip2 is not read here: unpack it first with `bunzip2`",
        ),
        (
            b"\xfd7zXZ\0\0\x04",
            "xz is not read here: unpack it first with `unxz`",
        ),
        (
            b"<!DOCTYPE html>\n<html lang=\"en\">",
            "an HTML page is not read here: give the profile that it was made from",
        ),
        (
            b"<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>",
            "an SVG picture is not read here: give the profile that it was made from",
        ),
    ] {
        assert_eq!(refused(input), expected);
    }
}

#[test]
fn json_of_no_format_is_not_said_to_be_one() {
    for json in ["{\"a\":1}", "{\"nodes\":[]}", "[{\"a\":\"ph\"}]"] {
        let outcome = formats::read(json.as_bytes());
        assert!(
            matches!(outcome, Err(ReadError::UnknownJson { .. })),
            "{json}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_is_refused_or_says_that_it_is_cut() {
    for (number, whole) in [TRACE, CPUPROFILE_FILE, FIREFOX_FILE, OTLP_FILE, PERF]
        .into_iter()
        .enumerate()
    {
        let all = read(whole);
        let whole = whole.trim_ascii_end();
        for end in (0..whole.len()).step_by(amount(7, 1)) {
            if let Ok(cut) = formats::read(&whole[..end]) {
                let is_text = number == 4;
                assert!(
                    is_text || cut.meta.is_truncated || cut == all,
                    "{number}: {end}"
                );
            }
        }
    }
}
