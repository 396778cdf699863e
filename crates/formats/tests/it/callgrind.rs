//! Callgrind: the samples, what Valgrind writes beyond them, round trips.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::common::{events, flat, nasty, read, written};
use profile::{Body, FlatTable, Metric, Mode, Profile, WallUnit};

const XDEBUG: &[u8] = include_bytes!("../golden/cachegrind.out.tiny-xdebug");
const NAMES: &[u8] = include_bytes!("../golden/callgrind.out.tiny-names");
const SUBPOSITIONS: &[u8] = include_bytes!("../golden/callgrind.out.tiny-names-subpos");
const PLAIN: &[u8] = include_bytes!("../golden/callgrind.out.tiny-plain");
const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");

fn text(input: Vec<u8>) -> String {
    String::from_utf8(input).unwrap()
}

#[test]
fn every_way_to_write_it_is_the_same_profile() {
    let expected = flat(&read(SERIALIZED));
    for file in [XDEBUG, NAMES, SUBPOSITIONS, PLAIN] {
        let profile = read(file);
        assert_eq!(flat(&profile), expected);
        assert!(profile.metrics.memory && !profile.metrics.cpu);
    }
    assert_eq!(read(NAMES), read(PLAIN));
    // Subpositions are differences of lines.
    assert_eq!(read(NAMES), read(SUBPOSITIONS));
}

#[test]
fn xdebug_tells_whole_stacks() {
    let profile = read(XDEBUG);
    let Body::Tree(tree) = &profile.body else {
        panic!("not a tree");
    };
    let path = |name: &str| {
        let at = profile
            .symbols
            .iter()
            .position(|symbol| *symbol.name == *name.as_bytes());
        let node = (0..)
            .zip(&tree.nodes)
            .filter(|(_, node)| Some(node.symbol.index()) == at);
        node.map(|(number, node)| {
            let path = tree.path(profile::NodeId(number));
            let path = path
                .iter()
                .map(|symbol| String::from_utf8_lossy(profile.name(*symbol)));
            (
                path.collect::<Vec<_>>().join(";"),
                node.cost.calls,
                node.cost.wall,
            )
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(path("bar"), [("main();foo;bar".to_owned(), 6, 60_000)]);
    assert_eq!(
        path("strlen"),
        [
            ("main();fact;fact;fact;strlen".to_owned(), 1, 1_000),
            ("main();strlen".to_owned(), 1, 2_000),
        ]
    );
    let strlen = profile
        .symbols
        .iter()
        .find(|symbol| *symbol.name == *b"strlen")
        .unwrap();
    assert!(strlen.internal);
    assert_eq!(profile.meta.php_version.as_deref(), Some("8.2.35"));
    assert_eq!(profile.meta.title.as_deref(), Some("/app/index.php"));
    assert_eq!(profile.meta.mode, Mode::Traced);
    assert!(!profile.meta.is_truncated);
}

#[test]
fn a_file_of_ours_that_was_cut_off_says_so() {
    let file = written("callgrind", &read(SERIALIZED));
    assert!(!read(&file).meta.is_truncated);
    let end = text(file.clone()).rfind("\nfn=").unwrap();
    assert!(read(&file[..end]).meta.is_truncated);
}

#[test]
fn a_file_xdebug_could_not_end_says_so() {
    let main = text(XDEBUG.to_vec()).find("fl=(3)\nfn=(8) {main}");
    let end = main.unwrap();
    let profile = read(&XDEBUG[..end]);
    assert!(profile.meta.is_truncated);
    // All but the self cost of main().
    assert_eq!(FlatTable::new(&profile).total.wall, 163_000);
}

#[test]
fn methods_and_closures_are_named_as_xhprof_has_them() {
    let block = |number: u32, name: &str| format!("fl=(2) /a.php\nfn=({number}) {name}\n3 1 0\n\n");
    let names = [
        "App\\A->m",
        "{closure:/a->b.php:3-4}",
        "App\\A->{closure:/a.php:3-4}",
        "include::/p->q.php",
        "php::strlen",
        "class@anonymous/a.php:3$0->m",
    ];
    let blocks: String = (1..)
        .zip(names)
        .map(|(number, name)| block(number, name))
        .collect();
    let file =
        format!("version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.1)\n\nevents: Time_(10ns)\n\n{blocks}");
    let profile = read(file.replace(" 0\n", "\n").as_bytes());
    let names: Vec<_> = profile
        .symbols
        .iter()
        .map(|symbol| text(symbol.name.to_vec()))
        .collect();
    assert_eq!(
        names,
        [
            "main()",
            "App\\A::m",
            "{closure:/a->b.php:3-4}",
            "App\\A::{closure:/a.php:3-4}",
            "include::/p->q.php",
            // Not in php:internal, so it is a user's namespace.
            "php::strlen",
            "class@anonymous/a.php:3$0::m",
        ]
    );
}

#[test]
fn runs_appended_to_one_file_are_added_up() {
    let twice = [XDEBUG, b"==== NEW PROFILING FILE ====\n", XDEBUG].concat();
    let double =
        |(name, calls, all, own): (String, u64, u64, i64)| (name, calls * 2, all * 2, own * 2);
    let expected: Vec<_> = flat(&read(XDEBUG)).into_iter().map(double).collect();
    assert_eq!(flat(&read(&twice)), expected);
}

#[test]
fn blocks_that_do_not_fit_are_edges() {
    let file = text(XDEBUG.to_vec());
    // Without one call of bar() its caller's records have no blocks.
    let file = file.replacen("\nfl=(2)\nfn=(1)\n3 1000 32\n", "", 1);
    let profile = read(file.as_bytes());
    let Body::Edges(table) = &profile.body else {
        panic!("not edges");
    };
    assert_eq!(table.root.wall, 263_000);
    let rows = flat(&profile);
    let fact = rows.iter().find(|row| row.0 == "fact").unwrap();
    assert_eq!((fact.1, fact.2), (3, 13_000));
}

/// As Valgrind writes: two positions, objects, jumps, inlined files, cycles.
const VALGRIND: &str = "# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 77
cmd:  ./a.out
part: 1


desc: I1 cache: none
desc: Trigger: Program termination

positions: instr line
events: Ir Dr Dw
summary: 1060 0 0


ob=(1) /usr/lib/libc.so.6
fl=(1) ???
fn=(1) (below main)
0x1000 0 10
cob=(2) /home/a.out
cfi=(2) /home/a.c
cfn=(2) main
calls=1 0x2000 5
+3 0 1050 3 4

ob=(2)
fl=(2)
fn=(2)
0x2000 5 20
+4 +1 30 1
fi=(3) /home/a.h
+4 9 50
fe=(2)
jcnd=1/2 +8 +2
* *
cfn=(3) a
calls=2 +4 +7
* 6 950

fn=(3)
0x3000 20 100
cfn=(4) b
calls=3 0x3100 30
+2 +1 850

fn=(4)
0x3100 30 300
cfn=(3)
calls=1 0x3000 20
+2 31 0
cob=(1)
cfi=(1)
cfn=(5) memcpy
calls=2 0x5000 0
* * 550

ob=(1)
fl=(1)
fn=(5)
0x5000 0 550

totals: 1060 4 4
";

#[test]
fn a_callee_without_a_file_is_in_the_file_of_the_inlined_lines_that_call_it() {
    // As `valgrind --tool=callgrind --compress-strings=no` writes it.
    let profile = read(
        b"version: 1
creator: callgrind-3.19.0
positions: line
events: Ir

fl=a.c
fn=main
1 10
fi=b.h
2 5
cfn=helper
calls=1 7
2 100
fe=a.c
3 5

fl=b.h
fn=helper
7 100

totals: 120
",
    );
    let is = |name: &str, calls, all, own| (name.to_owned(), calls, all, own);
    assert_eq!(
        flat(&profile),
        [
            is("helper", 1, 100, 100),
            is("main", 1, 120, 20),
            is("main()", 1, 120, 0),
        ]
    );
}

#[test]
fn valgrinds_dialect_keeps_totals_and_self_costs() {
    let profile = read(VALGRIND.as_bytes());
    assert_eq!(profile.metrics.wall_unit, WallUnit::Samples);
    assert_eq!(profile.meta.counts.as_deref(), Some("Ir"));
    assert_eq!(profile.meta.process, Some(77));
    let is = |name: &str, calls, all, own| (name.to_owned(), calls, all, own);
    assert_eq!(
        flat(&profile),
        [
            is("(below main)", 1, 1_060, 10),
            // The root that the reader adds to a file without one.
            is("a", 3, 950, 100),
            is("b", 3, 850, 300),
            is("main", 1, 1_050, 100),
            is("main()", 1, 1_060, 0),
            is("memcpy", 2, 550, 550),
        ]
    );
    let memcpy = profile
        .symbols
        .iter()
        .find(|symbol| *symbol.name == *b"memcpy")
        .unwrap();
    assert_eq!(memcpy.file.as_deref(), Some(&b"/usr/lib/libc.so.6"[..]));
}

#[test]
fn cachegrind_is_a_flat_profile() {
    let file = "desc: I1 cache: x\ncmd: ls\nevents: Ir I1mr\nfl=a.c\nfn=f\n1 10 1\n2 20\n\
                fn=g\n7 5 0\nsummary: 35 1\n";
    let profile = read(file.as_bytes());
    assert!(!profile.metrics.calls);
    let table = FlatTable::new(&profile);
    assert_eq!(table.total.wall, 35);
    let own: Vec<_> = table.rows.iter().map(|row| row.own.wall).collect();
    assert_eq!(own, [0, 30, 5]);
}

#[test]
fn broken_lines_are_refused_with_their_number() {
    let head = "# callgrind format\nevents: Ir\n";
    for (lines, reason) in [
        ("fn=f\n1 x\n", "line 4: a cost is not a number"),
        ("1 1\n", "line 3: a cost without a function"),
        ("fn=(7)\n", "line 3: the function's number is not defined"),
        ("fl=(7)\n", "line 3: the file's number is not defined"),
        ("fn=f\ncalls=1 1\n", "line 4: calls without a function"),
        (
            "fn=f\ncfn=g\ncalls=x 1\n",
            "line 5: the number of calls is not a number",
        ),
        (
            "fn=f\ncfn=g\ncalls=1 1\n",
            "line 5: the input ends before the cost of a call",
        ),
        (
            "fn=f\ncfn=g\ncalls=1 1\ncalls=1 1\n",
            "line 6: calls without a cost",
        ),
        ("hello\n", "line 3: neither a cost nor a name nor a header"),
        ("events:\n", "line 3: no events"),
    ] {
        let error = formats::read(format!("{head}{lines}").as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("broken Callgrind, {reason}"));
    }
}

fn to_tens(profile: &Profile) -> Vec<(String, u64, i64)> {
    // A function without a name and one named `???` are the same in a line.
    let name = |name: String| {
        let name = name.replace(['\n', '\r', '\0'], " ");
        let name = name.trim().to_owned();
        let is_empty = name.is_empty();
        if is_empty { "???".to_owned() } else { name }
    };
    let rows = flat(profile).into_iter();
    let mut rows: Vec<_> = rows
        .map(|(symbol, calls, _, own)| (name(symbol).replace("( 5)", "(5)"), calls, own))
        .collect();
    rows.sort();
    rows
}

#[test]
fn nasty_names_survive_as_far_as_a_line_can_hold_them() {
    for id in ["callgrind", "callgrind-plain", "callgrind-subpositions"] {
        let profile = nasty();
        let file = written(id, &profile);
        let back = read(&file);
        assert_eq!(written(id, &profile), file, "{id}: not deterministic");
        // Writing and reading it again gives the same rows.
        let again = read(&written(id, &back));
        assert_eq!(to_tens(&again), to_tens(&back), "{id}");
        let names = |rows: Vec<(String, u64, i64)>| {
            let rows = rows.into_iter();
            rows.map(|(name, calls, _)| (name, calls))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(to_tens(&back)), names(to_tens(&profile)), "{id}");
    }
}

/// What `tests/tools` hands to other tools.
#[test]
fn the_nasty_file_is_the_nasty_tree() {
    let file = include_bytes!("../golden/nasty.cachegrind");
    let now = written("callgrind-xdebug", &nasty());
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        std::fs::write(format!("{folder}/nasty.cachegrind"), &now).unwrap();
    }
    assert!(now == file, "nasty.cachegrind is not what is written");
}

/// The cost that enters a function is its self cost plus the cost that leaves
/// it, in the integers of the file.
#[test]
fn self_costs_are_rounded_once_and_add_up() {
    for profile in [nasty(), events(), read(XDEBUG), read(SERIALIZED)] {
        for id in [
            "callgrind",
            "callgrind-plain",
            "callgrind-subpositions",
            "callgrind-xdebug",
        ] {
            let file = written(id, &profile);
            let mut balance: std::collections::BTreeMap<String, i64> = [].into();
            let (mut name, mut callee, mut total) = (String::new(), None, 0);
            let mut names = std::collections::HashMap::new();
            let file = String::from_utf8_lossy(&file).into_owned();
            let mut named = |rest: &str| {
                let Some((id, name)) = rest.split_once(") ") else {
                    return names.get(rest).cloned().unwrap_or(rest.to_owned());
                };
                names.insert(format!("{id})"), name.to_owned());
                name.to_owned()
            };
            for line in file
                .lines()
                .skip_while(|line| !line.starts_with("events:"))
                .skip(1)
            {
                if let Some(rest) = line.strip_prefix("fn=") {
                    name = named(rest);
                } else if let Some(rest) = line.strip_prefix("cfn=") {
                    callee = Some(named(rest));
                } else if line
                    .starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first))
                {
                    let wall: i64 = line.split(' ').nth(1).unwrap().parse().unwrap();
                    match callee.take() {
                        Some(callee) => {
                            *balance.entry(callee).or_default() -= wall;
                            *balance.entry(name.clone()).or_default() += wall;
                        }
                        None => {
                            *balance.entry(name.clone()).or_default() += wall;
                            total += wall;
                        }
                    }
                }
            }
            let root = if id == "callgrind-xdebug" {
                "{main}"
            } else {
                "main()"
            };
            assert_eq!(balance.remove(root), Some(total), "{id}");
            assert!(balance.values().all(|sum| *sum == 0), "{id}: {balance:?}");
        }
    }
}

#[test]
fn xdebugs_dialect_keeps_the_tree() {
    let mut profile = nasty();
    profile.metrics.cpu = false;
    let back = read(&written("callgrind-xdebug", &profile));
    let (Body::Tree(tree), Body::Tree(before)) = (&back.body, &profile.body) else {
        panic!("not a tree");
    };
    let calls = |tree: &profile::Tree| {
        let calls = (0..)
            .zip(&tree.nodes)
            .map(|(number, node)| (tree.path(profile::NodeId(number)).len(), node.cost.calls));
        let mut calls: Vec<_> = calls.collect();
        calls.sort_unstable();
        calls
    };
    assert_eq!(calls(tree), calls(before));
    assert_eq!(back.meta.php_version, None);
    // A tree of whole units comes back as it was, but for the lines of calls,
    // which no writer has.
    let mut golden = read(XDEBUG);
    assert!(!std::mem::take(&mut golden.lines).is_empty());
    let again = read(&written("callgrind-xdebug", &golden));
    assert_eq!(flat(&again), flat(&golden));
    assert_eq!(again, golden);
}

/// The sample's calls, one after the other, are written as Xdebug wrote them:
/// all but the line numbers of calls, which are not recorded.
#[test]
fn events_are_written_as_xdebug_writes_them() {
    use profile::{Event, EventKind, Events, Instant, Metrics, Symbol, SymbolId};
    let symbol = |name: &str, file: &str, line| {
        let mut symbol = Symbol::new(name.as_bytes());
        symbol.internal = file == "php:internal";
        symbol.file = (!symbol.internal).then(|| file.as_bytes().into());
        symbol.line = line;
        symbol
    };
    let cafe = "/app/src/Mühle/Café.php";
    let symbols = vec![
        symbol("main()", "/app/index.php", 1),
        symbol("foo", "/app/index.php", 10),
        symbol("bar", "/app/lib/bar.php", 3),
        symbol("fact", "/app/lib/math.php", 5),
        symbol("strlen", "php:internal", 7),
        symbol("App\\Mühle\\Café::größe", cafe, 20),
        symbol("App\\Mühle\\{closure}", cafe, 22),
        symbol(
            "weird name; with \"quotes\" <&> @1",
            "/app/My Dir/x;y.php",
            7,
        ),
    ];
    let mut now = Instant {
        wall: 100_000,
        memory: 1_000,
        ..Instant::default()
    };
    let mut list = Vec::new();
    {
        let mut call = |symbol: u32, us: u64, bytes: i64| {
            list.push(Event {
                at: now,
                kind: EventKind::Enter(SymbolId(symbol)),
            });
            now.wall += us * 1_000;
            now.memory += bytes;
            (now, symbol)
        };
        // Each entry, and 0 for an exit.
        let script: &[(u32, u64, i64)] = &[
            (1, 20, 64),
            (2, 10, 32),
            (0, 0, 0),
            (2, 10, 32),
            (0, 0, 0),
            (2, 10, 32),
            (0, 0, 0),
            (0, 0, 0),
            (1, 20, 64),
            (2, 10, 32),
            (0, 0, 0),
            (2, 10, 32),
            (0, 0, 0),
            (2, 10, 32),
            (0, 0, 0),
            (0, 0, 0),
            (3, 5, 16),
            (3, 4, 16),
            (3, 3, 16),
            (4, 1, 0),
            (0, 0, 0),
            (0, 0, 0),
            (0, 0, 0),
            (0, 0, 0),
            (5, 30, 2048),
            (6, 7, -512),
            (0, 0, 0),
            (0, 0, 0),
            (7, 11, 128),
            (0, 0, 0),
            (4, 2, 0),
            (0, 0, 0),
        ];
        let mut at = Vec::new();
        for &(symbol, us, bytes) in script {
            at.push(call(symbol, us, bytes));
        }
        drop(at);
    }
    for event in &mut list {
        if event.kind == EventKind::Enter(SymbolId(0)) {
            event.kind = EventKind::Leave;
        }
    }
    let mut profile = Profile {
        symbols,
        body: Body::Events(Events {
            events: list,
            end: Instant {
                peak: 440_088,
                ..now
            },
        }),
        metrics: Metrics {
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    };
    profile.meta.title = Some("/app/index.php".to_owned());
    profile.meta.creator = Some("xdebug 3.2.0 (PHP 8.2.35)".to_owned());
    let without_lines = |file: &[u8]| -> String {
        let line = |line: &str| match line.split_once(' ') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                rest.to_owned() + "\n"
            }
            _ => line.to_owned() + "\n",
        };
        String::from_utf8_lossy(file).lines().map(line).collect()
    };
    let written = written("callgrind-xdebug", &profile);
    assert_eq!(without_lines(&written), without_lines(XDEBUG));
}

#[test]
fn memory_given_back_is_zero_and_the_file_says_so() {
    let file = text(written("callgrind", &read(SERIALIZED)));
    assert!(file.contains("desc: Note: freed memory is written as 0\n"));
    let ends = "events: Time_(10ns) Cpu_(10ns) Memory_(bytes) PeakMemory_(bytes)\nsummary: 26300 21800 3544 2548\n\n";
    assert!(file.contains(ends), "{file}");
    assert!(file.ends_with("\ntotals: 26300 21800 3544 2548\n"));
}

#[test]
fn differences_of_lines_are_read_as_the_lines_they_are() {
    let profile = nasty();
    let (full, short) = (
        written("callgrind", &profile),
        written("callgrind-subpositions", &profile),
    );
    assert_ne!(full, short);
    assert_eq!(read(&full), read(&short));
}

#[test]
fn samples_are_counted_and_no_time() {
    let sampled = read(include_bytes!("../golden/0003.tinysampled.xhprof"));
    let file = text(written("callgrind", &sampled));
    assert!(file.contains("\nevents: Samples\nsummary: 3\n"), "{file}");
    let back = read(file.as_bytes());
    assert_eq!(back.metrics.wall_unit, WallUnit::Samples);
    assert_eq!(Metric::Wall.of(&back.edges().root), 3);
}

#[test]
fn gzip_is_seen_through() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(XDEBUG).unwrap();
    assert_eq!(read(&packed.finish().unwrap()), read(XDEBUG));
}

#[test]
fn cpu_time_beside_counted_samples_keeps_its_unit() {
    let profile = read(include_bytes!("../golden/go-cpu.pb.gz"));
    let file = written("callgrind", &profile);
    let total = FlatTable::new(&profile).total;
    let back = FlatTable::new(&read(&file)).total;
    assert!(total.cpu > 0);
    assert_eq!((back.wall, back.cpu), (total.wall, total.cpu));
}
