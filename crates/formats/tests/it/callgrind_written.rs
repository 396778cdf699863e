//! Callgrind as it is written: what a reader of it adds up, and round trips.

use crate::callgrind::{SERIALIZED, XDEBUG, text};
use crate::common::{events, flat, nasty, read, written};
use profile::{Body, FlatTable, Metric, Profile, WallUnit};

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
fn cpu_time_beside_counted_samples_keeps_its_unit() {
    let profile = read(include_bytes!("../golden/go-cpu.pb.gz"));
    let file = written("callgrind", &profile);
    let total = FlatTable::new(&profile).total;
    let back = FlatTable::new(&read(&file)).total;
    assert!(total.cpu > 0);
    assert_eq!((back.wall, back.cpu), (total.wall, total.cpu));
}
