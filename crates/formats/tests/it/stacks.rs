//! The formats made of stacks, on a program whose every call is known, against
//! the golden files and against themselves.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::programs::{nasty, nasty_names, table, tiny_events, tiny_tree, written, written_with};
use formats::chrome_trace::CHROME_TRACE;
use formats::collapsed::COLLAPSED;
use formats::cpuprofile::CPUPROFILE;
use formats::firefox::FIREFOX;
use formats::nytprof::{NYTPROF, NYTPROF_CALLS};
use formats::otlp::OTLP;
use formats::perfview::{PERFVIEW, PERFVIEW_IDS, PERFVIEW_JSON, PERFVIEW_TEXT};
use formats::pprof::PPROF;
use formats::{Format, WriteError, WriteOptions};
use profile::{Body, Cost, Metric, NodeId, Profile, SymbolId, Tree, WallUnit};
use serde_json::Value;

const COLLAPSED_FILE: &str = include_str!("../golden/tiny.collapsedstack.txt");
const DIFF: &[u8] = include_bytes!("../golden/tiny-diff.collapsed.txt");
const SLOW: &[u8] = include_bytes!("../golden/tiny-slow.collapsedstack.txt");
const IDS: &str = include_str!("../golden/tiny-ids.perfView.xml");
const IDS_ZIP: &[u8] = include_bytes!("../golden/tiny-ids.perfView.xml.zip");
const TEXT: &str = include_str!("../golden/tiny-simple.perfView.xml");
const JSON: &str = include_str!("../golden/tiny.perfView.json");
const JSON_ZIP: &[u8] = include_bytes!("../golden/tiny.perfView.json.zip");
const NYTPROF_FILE: &[u8] = include_bytes!("../golden/tiny.nytprof.out");
const PPROF_FILE: &[u8] = include_bytes!("../golden/tiny.pb.gz");
const FIREFOX_FILE: &str = include_str!("../golden/tiny.firefox-v55.json");

/// Those that can be read again and keep times to the nanosecond.
const READABLE: [&Format; 10] = [
    &COLLAPSED,
    &CHROME_TRACE,
    &FIREFOX,
    &OTLP,
    &PERFVIEW,
    &PERFVIEW_IDS,
    &PERFVIEW_TEXT,
    &PERFVIEW_JSON,
    &NYTPROF,
    &PPROF,
];

fn read(bytes: &[u8]) -> Profile {
    formats::read(bytes).unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Every path with its own wall time, calls left out.
fn paths(profile: &Profile) -> Vec<(Vec<String>, i64)> {
    let tree = profile.tree().unwrap();
    let own = tree.self_costs();
    let mut paths: Vec<_> = (0..)
        .zip(&own)
        .filter(|(_, own)| own.wall != 0)
        .map(|(number, own)| {
            let path = tree.path(NodeId(number));
            let name =
                |&symbol: &SymbolId| String::from_utf8_lossy(profile.name(symbol)).into_owned();
            (path.iter().map(name).collect(), own.wall)
        })
        .collect();
    paths.sort();
    paths
}

#[test]
fn collapsed_stacks_are_the_golden_ones_in_nanoseconds() {
    let golden: String = COLLAPSED_FILE
        .lines()
        .map(|line| format!("{line}000\n"))
        .collect();
    assert_eq!(text(written(&COLLAPSED, &tiny_tree())), golden);
    assert_eq!(text(written(&COLLAPSED, &tiny_events())), golden);
}

#[test]
fn collapsed_stacks_of_other_metrics_are_what_they_say() {
    let of = |metric| {
        let options = WriteOptions {
            metric,
            ..WriteOptions::default()
        };
        text(written_with(&COLLAPSED, &tiny_tree(), &options))
    };
    let calls = of(Metric::Calls);
    assert!(calls.contains("main();foo;bar 6\n"), "{calls}");
    assert!(calls.starts_with("main() 1\n"), "{calls}");
    let memory = of(Metric::Memory);
    assert!(memory.contains("Café::größe 2048\n"), "{memory}");
    // Below zero: no such line.
    assert!(!memory.contains("{closure}"), "{memory}");
}

#[test]
fn golden_collapsed_stacks_are_read_and_a_comparison_is_not() {
    let profile = read(COLLAPSED_FILE.as_bytes());
    assert_eq!(profile.metrics.wall_unit, WallUnit::Samples);
    assert!(!profile.metrics.calls);
    let mut ours = paths(&tiny_tree());
    for (path, own) in &mut ours {
        *own /= 1000;
        for name in path {
            *name = name.replace(';', ":");
        }
    }
    assert_eq!(paths(&profile), ours);
    assert_eq!(read(SLOW).tree().unwrap().root_cost().wall, 293);
    let error = formats::read(DIFF).unwrap_err().to_string();
    assert!(error.contains("comparison of two profiles"), "{error}");
}

/// A call whose callee costs more than itself: a clock that went back, or what
/// another program makes of two profiles.
#[test]
fn pprof_with_times_below_zero_is_read() {
    let mut profile = tiny_tree();
    let Body::Tree(tree) = &mut profile.body else {
        panic!("no tree");
    };
    let parent = tree.nodes.last().unwrap().parent;
    let calls = tree.nodes[parent.index()].cost.calls;
    tree.nodes[parent.index()].cost = Cost {
        calls,
        wall: 1_337,
        ..Cost::default()
    };
    let own: i64 = paths(&profile).iter().map(|(_, own)| *own).min().unwrap();
    assert!(own < 0, "{own}");
    let read = read(&written(&PPROF, &profile));
    assert_eq!(paths(&read), paths(&profile));
    let total = |profile: &Profile| profile.tree().unwrap().root_cost();
    assert_eq!(total(&read).wall, total(&profile).wall);
    assert_eq!(total(&read).cpu, total(&profile).cpu);
}

#[test]
fn perfview_files_are_the_golden_ones() {
    assert_eq!(text(written(&PERFVIEW_IDS, &tiny_events())), IDS);
    assert_eq!(text(written(&PERFVIEW_TEXT, &tiny_events())), TEXT);
    let ours: Value = serde_json::from_slice(&written(&PERFVIEW_JSON, &tiny_events())).unwrap();
    let golden: Value = serde_json::from_str(JSON).unwrap();
    assert_eq!(as_floats(ours), as_floats(golden));
}

/// All numbers as floats: 0 is 0.0.
fn as_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(list) => list.into_iter().map(as_floats).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, as_floats(value)))
            .collect(),
        value => value,
    }
}

#[test]
fn golden_perfview_files_are_one_profile_whatever_the_form() {
    let first = read(IDS.as_bytes());
    assert_eq!(paths(&first), paths(&tiny_tree()));
    let Body::Samples(samples) = &first.body else {
        panic!("no samples");
    };
    assert_eq!(samples.samples.len(), 17);
    assert_eq!(samples.samples.last().unwrap().at, 261_000);
    for other in [IDS_ZIP, TEXT.as_bytes(), JSON.as_bytes(), JSON_ZIP] {
        assert_eq!(paths(&read(other)), paths(&first));
    }
}

#[test]
fn golden_nytprof_is_read_with_calls_and_places() {
    let profile = read(NYTPROF_FILE);
    assert!(profile.metrics.calls && !profile.meta.is_truncated);
    assert_eq!(profile.meta.title.as_deref(), Some("/app/index.php"));
    let rows = table(&profile);
    let row = |name: &str| rows.iter().find(|row| row.0 == name).unwrap().clone();
    assert_eq!(row("foo"), ("foo".to_owned(), 2, 40_000, 100_000));
    assert_eq!(row("fact"), ("fact".to_owned(), 3, 12_000, 13_000));
    assert_eq!(row("strlen").1, 2);
    let weird = "weird?name??with?\"quotes\"?<&>?@1";
    assert_eq!(row(weird), (weird.to_owned(), 1, 11_000, 11_000));
    let fact = profile
        .symbols
        .iter()
        .find(|symbol| &*symbol.name == b"fact")
        .unwrap();
    assert_eq!(
        (fact.file.as_deref(), fact.line),
        (Some(b"/app/lib/math.php".as_slice()), 5)
    );
    let strlen = profile
        .symbols
        .iter()
        .find(|symbol| &*symbol.name == b"strlen")
        .unwrap();
    assert!(strlen.internal);
    // The time of day has only a quarter of a microsecond.
    let total = profile.tree().unwrap().root_cost().wall;
    assert!(total.abs_diff(263_000) < 300, "{total}");
}

#[test]
fn golden_pprof_is_the_tiny_program() {
    let (profile, tiny) = (read(PPROF_FILE), tiny_tree());
    assert_eq!(table(&profile), table(&tiny));
    assert_eq!(profile.metrics, tiny.metrics);
    assert_eq!(profile.meta.title.as_deref(), Some("tiny golden"));
    assert_eq!(profile.meta.started_unix_us, tiny.meta.started_unix_us);
    for (ours, theirs) in tiny.symbols.iter().zip(&profile.symbols) {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn firefox_is_the_golden_file_and_a_thread_for_each_further_cost() {
    let options = WriteOptions {
        title: Some("tiny".to_owned()),
        ..WriteOptions::default()
    };
    let mut profile = tiny_events();
    profile.meta.creator = Some("golden 1.0".to_owned());
    let ours = written_with(&FIREFOX, &profile, &options);
    let mut ours: Value = serde_json::from_slice(&ours).unwrap();
    let mut golden: Value = serde_json::from_str(FIREFOX_FILE).unwrap();
    let threads = ours["threads"].as_array_mut().unwrap();
    assert_eq!(threads.len(), 3);
    let weights = &threads[2]["samples"];
    assert_eq!(weights["weightType"], "bytes");
    let sum: i64 = weights["weight"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_i64().unwrap())
        .sum();
    assert_eq!(sum, 3032);
    threads.truncate(1);
    // Ours has a thread for each cost, and says which.
    golden["threads"][0]["name"] = "wall time".into();
    golden["threads"][0]["tid"] = "wall time".into();
    assert_eq!(as_floats(ours), as_floats(golden));
}

#[test]
fn what_is_written_is_read_again() {
    for format in READABLE {
        for tiny in [tiny_tree(), tiny_events()] {
            let read = read(&written(format, &tiny));
            let expected: Vec<_> = paths(&tiny)
                .into_iter()
                .map(|(path, own)| {
                    let name = |name: String| match format.id {
                        "collapsed" => name.replace(';', ":"),
                        "nytprof" => name.replace([';', ' '], "?"),
                        _ => name,
                    };
                    (path.into_iter().map(name).collect::<Vec<_>>(), own)
                })
                .collect();
            assert_eq!(paths(&read), expected, "{}", format.id);
        }
    }
}

#[test]
fn pprof_holds_a_tree_whole() {
    for mut profile in [tiny_tree(), nasty()] {
        // What is no text, or no line, does not come back as it was.
        for symbol in &mut profile.symbols {
            let is_text = |bytes: &[u8]| {
                str::from_utf8(bytes).is_ok_and(|text| !text.contains(['\n', '\r', '\0']))
            };
            if !is_text(&symbol.name) || symbol.name.is_empty() {
                symbol.name = format!("replaced {}", symbol.name.escape_ascii())
                    .into_bytes()
                    .into();
            }
            if symbol
                .file
                .as_deref()
                .is_some_and(|file| !is_text(file) || file.is_empty())
            {
                symbol.file = None;
            }
        }
        profile.meta.title = profile.meta.title.map(|title| title.replace('\n', " "));
        let read = read(&written(&PPROF, &profile));
        assert_eq!(read.metrics, profile.metrics);
        assert_eq!(read.meta, profile.meta);
        assert_eq!(all_costs(&read), all_costs(&profile));
    }
}

#[test]
fn nytprof_holds_calls_and_times() {
    let profile = tiny_tree();
    let read = read(&written(&NYTPROF, &profile));
    assert!(read.metrics.calls);
    assert_eq!(read.meta.started_unix_us, profile.meta.started_unix_us);
    assert_eq!(read.meta.title.as_deref(), Some("/app/index.php"));
    let mut expected = table(&profile);
    expected.last_mut().unwrap().0 = "weird?name??with?\"quotes\"?<&>?@1".to_owned();
    expected.sort();
    assert_eq!(table(&read), expected);
    for symbol in read
        .symbols
        .iter()
        .filter(|symbol| !symbol.name.starts_with(b"weird"))
    {
        assert!(profile.symbols.contains(symbol), "{symbol:?}");
    }
}

/// Every path with all its costs.
fn all_costs(profile: &Profile) -> Vec<(Vec<Vec<u8>>, Cost)> {
    let tree = profile.tree().unwrap();
    let mut all: Vec<_> = (0..)
        .zip(&tree.nodes)
        .map(|(number, node)| {
            let path = tree.path(NodeId(number));
            let names = path.iter().map(|&symbol| profile.name(symbol).to_vec());
            (names.collect::<Vec<_>>(), node.cost)
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[test]
fn no_name_breaks_a_file_and_no_cost_is_lost() {
    let nasty = nasty();
    let total = nasty.tree().unwrap().root_cost().wall;
    let functions = nasty_names().len();
    for format in READABLE {
        let bytes = written(format, &nasty);
        let read = read(&bytes);
        assert_eq!(
            read.tree().unwrap().root_cost().wall,
            total,
            "{}",
            format.id
        );
        // A few come out alike, such as those that differ in a line end.
        assert!(read.symbols.len() > functions - 8, "{}", format.id);
        let again = written(format, &nasty);
        assert!(bytes == again, "{}: not the same bytes", format.id);
    }
}

#[test]
fn all_of_perfviews_forms_have_the_same_names() {
    let nasty = nasty();
    let first = paths(&read(&written(&PERFVIEW_IDS, &nasty)));
    for form in [PERFVIEW_TEXT, PERFVIEW_JSON, PERFVIEW] {
        assert_eq!(paths(&read(&written(&form, &nasty))), first);
    }
}

#[test]
fn perfview_says_what_its_metric_is() {
    for metric in Metric::ALL {
        let options = WriteOptions {
            metric,
            ..WriteOptions::default()
        };
        for form in [PERFVIEW_IDS, PERFVIEW_TEXT, PERFVIEW_JSON] {
            let read = read(&written_with(&form, &nasty(), &options));
            assert_eq!(read.meta.title.as_deref(), Some("GET /?a=<b>&c=\"d\" ;"));
            let (ours, theirs) = (
                nasty().tree().unwrap().root_cost(),
                read.tree().unwrap().root_cost(),
            );
            match metric {
                Metric::Wall => assert_eq!(theirs.wall, ours.wall),
                Metric::Cpu => assert_eq!(theirs.cpu, ours.cpu),
                Metric::Memory => assert_eq!(theirs.memory, ours.memory),
                Metric::Peak => assert_eq!(theirs.peak, ours.peak),
                Metric::Calls => assert_eq!(theirs.wall, nasty().calls()),
            }
        }
    }
}

#[test]
fn a_guess_says_so_in_every_format() {
    let mut profile = tiny_tree();
    profile.meta.is_estimated = true;
    let unpacked = |format: &Format| {
        let bytes = written(format, &profile);
        let whole = formats::gzip::looking_through(bytes.as_slice(), u64::MAX, |_, input| {
            let mut whole = Vec::new();
            input.read_to_end(&mut whole)?;
            Ok(whole)
        });
        whole.unwrap()
    };
    for format in READABLE
        .into_iter()
        .filter(|format| format.id != "collapsed")
    {
        let bytes = unpacked(format);
        let wanted = b"estimated from call graph";
        let says_so = bytes.windows(wanted.len()).any(|window| window == wanted);
        assert!(says_so, "{}", format.id);
        let read = read(&written(format, &profile));
        assert!(read.meta.is_estimated, "{}", format.id);
    }
}

#[test]
fn edges_alone_are_refused() {
    let mut profile = tiny_tree();
    profile.body = Body::Edges(profile.edges().into_owned());
    for format in READABLE
        .into_iter()
        .chain([&CPUPROFILE as &Format, &NYTPROF_CALLS])
    {
        let outcome = formats::write(format, &profile, &WriteOptions::default(), &mut Vec::new());
        assert!(
            matches!(outcome, Err(WriteError::NeedsStacks { .. })),
            "{}",
            format.id
        );
        let write = format.writes.unwrap().write;
        let outcome = write(&profile, &WriteOptions::default(), &mut Vec::new());
        assert!(
            matches!(outcome, Err(WriteError::NeedsStacks { .. })),
            "{}",
            format.id
        );
    }
}

#[test]
fn estimated_stacks_say_so_and_come_to_what_the_edges_do() {
    let mut profile = tiny_tree();
    profile.body = Body::Edges(profile.edges().into_owned());
    let options = WriteOptions {
        estimate: true,
        ..WriteOptions::default()
    };
    for format in formats::FORMATS {
        if !format.needs_stacks() {
            continue;
        }
        let mut file = Vec::new();
        formats::write(format, &profile, &options, &mut file).unwrap();
        let says_so = file
            .windows(25)
            .any(|part| part == b"estimated from call graph");
        // Lines of stacks have no place for a title.
        if matches!(format.id, "collapsed" | "nytprof-calls") {
            continue;
        }
        match formats::read(&file[..]) {
            Ok(read) => {
                assert!(read.meta.is_estimated, "{}", format.id);
                let wall = |profile: &Profile| profile::FlatTable::new(profile).total.wall;
                let close = wall(&read).abs_diff(wall(&profile)) < 1_000;
                assert!(close, "{}", format.id);
            }
            Err(_) => assert!(says_so, "{}", format.id),
        }
    }
}

#[test]
fn nytprof_has_no_place_for_memory() {
    let options = WriteOptions {
        metric: Metric::Memory,
        ..WriteOptions::default()
    };
    let outcome = formats::write(&NYTPROF, &tiny_tree(), &options, &mut Vec::new());
    assert_eq!(
        outcome.unwrap_err().to_string(),
        "NYTProf has no place for memory costs"
    );
}

#[test]
fn only_what_few_programs_can_open_has_a_warning() {
    for format in READABLE {
        let warns = format.warning.is_some();
        let expected = format.id == "otlp-profiles-1-11";
        assert_eq!(warns, expected, "{}", format.id);
    }
}

#[test]
fn calls_beyond_a_limit_are_left_to_the_table_of_callers() {
    let mut profile = tiny_tree();
    if let Body::Tree(Tree { nodes, .. }) = &mut profile.body {
        nodes[2].cost.calls = 3_000_000_000;
    }
    let bytes = written(&NYTPROF, &profile);
    assert!(bytes.len() < 10_000);
    let read = read(&bytes);
    assert!(!read.metrics.calls);
    assert_eq!(paths(&read).len(), paths(&profile).len());
}

#[test]
fn an_empty_profile_is_written_and_read_where_it_can_be() {
    let mut profile = Profile::empty();
    profile.body = Body::Tree(Tree::default());
    for format in READABLE {
        let bytes = written(format, &profile);
        match formats::read(bytes.as_slice()) {
            Ok(read) => assert_eq!(read.tree().unwrap().nodes.len(), 1, "{}", format.id),
            // Nothing in it to recognize.
            Err(error) => assert!(bytes.is_empty(), "{}: {error}", format.id),
        }
    }
}

/// What is in it a decoder that is not ours tells: tests/tools/otlp.py.
#[test]
fn otlp_is_the_same_bytes_each_time_and_says_that_it_is_alpha() {
    let bytes = written(&OTLP, &nasty());
    assert!(bytes == written(&OTLP, &nasty()));
    assert!(bytes != written(&OTLP, &tiny_tree()));
    assert!(OTLP.warning.is_some());
    let mut of_trace = tiny_tree();
    of_trace
        .meta
        .set_tag("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736");
    let ids = [
        0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47,
        0x36,
    ];
    let has = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|found| found == part);
    // A link has both ids.
    assert!(!has(&written(&OTLP, &of_trace), &ids));
    of_trace.meta.set_tag("span_id", "00f067aa0ba902b7");
    let link = [
        &[0x0a, 16],
        &ids[..],
        &[0x12, 8, 0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7],
    ]
    .concat();
    assert!(has(&written(&OTLP, &of_trace), &link));
    let mut profile = tiny_tree();
    profile.body = Body::Edges(profile.edges().into_owned());
    let outcome = formats::write(&OTLP, &profile, &WriteOptions::default(), &mut Vec::new());
    assert!(matches!(outcome, Err(WriteError::NeedsStacks { .. })));
}
