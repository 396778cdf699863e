//! The native file: what was written reads back the same; what was not is
//! refused, without a panic and without the memory that it claims to need.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod strategies;

use profile::native::events::{EventsOptions, FullEvent, RawInstant, WallEvent, What};
use profile::native::events::{EventsReader, EventsWriter};
use profile::native::{self, Error, Limits};
use profile::{
    Activation, Body, Cost, Edge, EdgeTable, Event, EventKind, Events, Instant, LeftOut, Meta,
    Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder, Span, SpanKind, Spans, SpansBuilder,
    Symbol, SymbolId, TreeBuilder, WallUnit,
};
use proptest::prelude::*;
use strategies::{any_profile, events_profile};

fn written(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    native::write(profile, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<Profile, Error> {
    native::read(bytes, &Limits::default())
}

fn spans() -> Spans {
    let mut builder = SpansBuilder::new(Spans::MOST);
    let select = builder.text(b"SELECT * FROM t WHERE id = ?");
    let page = builder.text(b"http://example.org/\xFF\0");
    for (kind, text, start, rows) in [
        (SpanKind::Sql, Some(select), 1_000, Some(3)),
        (SpanKind::Http, Some(page), 900, None),
        (SpanKind::Other(77), None, 70_000, Some(0)),
    ] {
        builder.push(Span {
            kind,
            text,
            symbol: SymbolId(3),
            caller: SymbolId(1),
            start,
            duration: 2_500,
            rows,
        });
    }
    builder.leave_out(LeftOut {
        count: 4,
        duration: 9_000,
    });
    builder.finish()
}

/// A small profile of each body, with something in every place.
fn examples() -> Vec<(&'static str, Profile)> {
    let mut meta = Meta {
        title: Some("GET /hello".to_owned()),
        started_unix_us: Some(1_700_000_000_000_000),
        host: Some("web7".to_owned()),
        process: Some(4711),
        sapi: Some("fpm-fcgi".to_owned()),
        php_version: Some("8.4.1".to_owned()),
        creator: Some("xhprof 0.1.0".to_owned()),
        mode: Mode::Traced,
        interval_ns: Some(100_000),
        is_truncated: false,
        is_estimated: true,
        tags: Vec::new(),
    };
    meta.set_tag("status", "200");
    meta.set_tag("", "ünïcode\0\n");
    let in_file = |name: &[u8], file: &[u8], line| Symbol {
        file: Some(file.into()),
        line,
        ..Symbol::new(name)
    };
    let symbols = vec![
        Symbol::new(Symbol::MAIN),
        in_file(b"Cache::get", b"/srv/Cache.php", 12),
        in_file(b"Cache::set\xFF\0", b"/srv/Cache.php", 70_000),
        Symbol {
            internal: true,
            ..Symbol::new(&b"strlen"[..])
        },
        in_file(b"", b"", 0),
    ];
    let base = Profile {
        symbols,
        body: Body::Edges(EdgeTable::default()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        meta,
        spans: spans(),
    };
    let with = |body, metrics| Profile {
        body,
        metrics,
        ..base.clone()
    };
    let cost = |calls, wall, cpu, memory, peak| Cost {
        calls,
        wall,
        cpu,
        memory,
        peak,
    };
    let at = |symbol, level| Activation {
        symbol: SymbolId(symbol),
        level,
    };
    let edges = EdgeTable {
        root: cost(1, 5_000_000, 3_000_000, 4_096, 8_192),
        edges: vec![
            Edge {
                caller: at(1, 0),
                callee: at(1, 1),
                cost: cost(2, 900, 800, -512, 0),
            },
            Edge {
                caller: at(0, 0),
                callee: at(1, 0),
                cost: cost(3, 4_000_000, u64::MAX, i64::MIN, 1),
            },
        ],
    };
    let mut tree = TreeBuilder::new();
    let get = tree.child(NodeId::ROOT, SymbolId(1));
    let again = tree.child(get, SymbolId(1));
    let length = tree.child(again, SymbolId(3));
    let set = tree.child(NodeId::ROOT, SymbolId(2));
    for (node, own) in [
        (NodeId::ROOT, cost(1, 900_000, 700_000, 64, 0)),
        (get, cost(2, 1_000_000, 1, -64, 4_096)),
        (again, cost(1, 2_000, 2_000, 0, 0)),
        (length, cost(70_000, 150, 0, 0, 0)),
        (set, cost(1, 3_000_000_000, 20, 16, 32)),
    ] {
        *tree.cost(node) += own;
    }
    let mut samples = SamplesBuilder::default();
    let one = samples.push(NodeId::ROOT, SymbolId(1));
    let two = samples.push(one, SymbolId(3));
    for (at, weight, stack) in [(100, 1, two), (200, 3, one), (250, 1, NodeId::ROOT)] {
        samples.add(Sample { at, weight, stack });
    }
    let sampled = Metrics {
        calls: false,
        wall_unit: WallUnit::Samples,
        ..Metrics::default()
    };
    let event = |wall, memory, kind| Event {
        at: Instant {
            wall,
            cpu: wall / 2,
            memory,
            peak: memory.max(100),
        },
        kind,
    };
    let events = Events {
        events: vec![
            event(100, 0, EventKind::Enter(SymbolId(1))),
            event(250, 640, EventKind::Enter(SymbolId(3))),
            event(350, -640, EventKind::Leave),
            event(400, -640, EventKind::Enter(SymbolId(3))),
            event(9_000_000, 0, EventKind::Leave),
            event(9_000_010, 0, EventKind::Switch(3)),
            event(9_000_020, 0, EventKind::Enter(SymbolId(2))),
            event(9_000_400, 0, EventKind::Switch(0)),
            event(9_000_500, 0, EventKind::Leave),
            event(9_000_500, 0, EventKind::Leave),
        ],
        end: Instant {
            wall: 9_100_000,
            cpu: 4_600_000,
            memory: 8,
            peak: 640,
        },
    };
    vec![
        ("edges", with(Body::Edges(edges), base.metrics)),
        (
            "tree",
            with(Body::Tree(tree.finish_self_costs()), base.metrics),
        ),
        ("samples", with(Body::Samples(samples.finish()), sampled)),
        ("events", with(Body::Events(events), base.metrics)),
        ("empty", Profile::empty()),
    ]
}

/// What version 1.0 wrote. Never to be changed: later versions have to read it.
const VERSION_1_0: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("native/v1.0-edges.xhp")),
    ("tree", include_bytes!("native/v1.0-tree.xhp")),
    ("samples", include_bytes!("native/v1.0-samples.xhp")),
    ("events", include_bytes!("native/v1.0-events.xhp")),
    ("empty", include_bytes!("native/v1.0-empty.xhp")),
];

/// What version 1.1 wrote.
const VERSION_1_1: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("native/v1.1-edges.xhp")),
    ("tree", include_bytes!("native/v1.1-tree.xhp")),
    ("samples", include_bytes!("native/v1.1-samples.xhp")),
    ("events", include_bytes!("native/v1.1-events.xhp")),
    ("empty", include_bytes!("native/v1.1-empty.xhp")),
];

#[test]
fn files_of_earlier_versions_are_read() {
    for files in [VERSION_1_0, VERSION_1_1] {
        for ((name, mut profile), (of, bytes)) in examples().into_iter().zip(files) {
            // There were none before 1.2.
            profile.spans = Spans::default();
            assert_eq!(name, of);
            assert_eq!(read(bytes).unwrap(), profile, "{name}");
        }
    }
}

/// What version 1.2 writes, and later versions have to read.
const VERSION_1_2: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("native/v1.2-edges.xhp")),
    ("tree", include_bytes!("native/v1.2-tree.xhp")),
    ("samples", include_bytes!("native/v1.2-samples.xhp")),
    ("events", include_bytes!("native/v1.2-events.xhp")),
    ("empty", include_bytes!("native/v1.2-empty.xhp")),
];

/// Until the format gets a new version, it writes what it always wrote.
#[test]
fn files_are_read_and_written_as_version_1_2_wrote_them() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    for ((name, profile), (_, bytes)) in examples().into_iter().zip(VERSION_1_2) {
        let now = written(&profile);
        if update {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native");
            std::fs::write(format!("{folder}/v1.2-{name}.xhp"), now).unwrap();
        } else {
            assert!(now == bytes, "{name}");
            assert_eq!(read(bytes).unwrap(), profile, "{name}");
        }
    }
}

#[test]
fn spans_beyond_the_limit_or_of_what_is_not_there_are_refused() {
    let bytes = written(&examples().remove(1).1);
    let limits = Limits {
        spans: 2,
        ..Limits::default()
    };
    let error = native::read(bytes.as_slice(), &limits).unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { what: "spans", .. }),
        "{error}"
    );
    // No texts, one span, and something of it that is not there.
    for (span, reason) in [
        ([1, 1, 0, 0, 0, 0, 0], "no text has this number"),
        ([1, 0, 1, 0, 0, 0, 0], "no symbol has this number"),
        ([1, 0, 0, 9, 0, 0, 0], "no symbol has this number"),
    ] {
        let payload = [&[0, 1][..], &span, &[0, 0]].concat();
        let head = [b'E', 1];
        let edges = [0, 1, 0, 0];
        let file = assembled(&[
            (b'P', &head),
            (b'S', MAIN),
            (b'E', &edges),
            (b'X', &payload),
            (b'Z', b""),
        ]);
        let error = read(&file).unwrap_err();
        assert!(
            matches!(&error, Error::Broken { reason: found, .. } if *found == reason),
            "{error}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for (name, profile) in examples() {
        if name == "events" {
            continue;
        }
        let whole = written(&profile);
        for end in 0..whole.len() {
            let error = read(&whole[..end]).unwrap_err();
            assert!(
                matches!(error, Error::Truncated { .. }),
                "{name} {end}: {error}"
            );
        }
    }
}

#[test]
fn events_cut_anywhere_are_those_before_and_say_so() {
    let profile = examples().remove(3).1;
    let Body::Events(all) = &profile.body else {
        panic!("not events");
    };
    // Several blocks: symbols as they are first needed.
    let mut whole = Vec::new();
    let options = EventsOptions::NANOSECONDS;
    let mut writer =
        EventsWriter::begin(&options, RawInstant::default(), &profile.meta, &mut whole);
    let mut spans = Spans::default();
    for (chunk, events) in all.events.chunks(2).enumerate() {
        let needed = if writer.symbols_written() == 0 { 4 } else { 5 };
        writer.symbols(
            &profile.symbols[writer.symbols_written()..needed],
            &mut whole,
        );
        writer.events(events, &mut whole);
        spans.texts.clone_from(&profile.spans.texts);
        spans.list.extend(profile.spans.list.get(chunk));
        writer.spans(&spans, &mut whole);
    }
    writer.spans(&profile.spans, &mut whole);
    let before_end = whole.len();
    let end = RawInstant {
        wall: all.end.wall,
        cpu: all.end.cpu,
        memory: all.end.memory,
        peak: all.end.peak,
    };
    writer.end(end, None, &mut whole);
    assert_eq!(read(&whole).unwrap(), profile);
    let (mut refused, mut most) = (0, 0);
    for length in 0..whole.len() {
        match read(&whole[..length]) {
            Err(Error::Truncated { .. }) => refused += 1,
            Err(error) => panic!("{length}: {error}"),
            Ok(cut) => {
                assert!(cut.meta.is_truncated);
                assert!(profile.spans.list.starts_with(&cut.spans.list), "{length}");
                let Body::Events(events) = cut.body else {
                    panic!("{length}");
                };
                assert!(all.events.starts_with(&events.events), "{length}");
                assert!(events.events.len() >= most, "{length}");
                assert!(length < before_end || events.events.len() == all.events.len());
                most = events.events.len();
                let last = events.events.last().map(|it| it.at).unwrap_or_default();
                assert!(events.end == last || events.end == all.end);
            }
        }
    }
    // Only what ends before main() is named is of no use at all.
    assert!((10..400).contains(&refused), "{refused}");
    assert_eq!(most, all.events.len());
}

#[test]
fn every_changed_byte_is_noticed() {
    for (name, profile) in examples() {
        let whole = written(&profile);
        for place in 0..whole.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = whole.clone();
                changed[place] ^= change;
                match read(&changed) {
                    Err(_) => {}
                    // A length that became larger is a file that was cut.
                    Ok(read) => assert!(read.meta.is_truncated, "{name} {place}"),
                }
            }
        }
    }
}

#[test]
fn sections_that_moved_or_came_twice_are_noticed() {
    let whole = written(&examples().remove(1).1);
    let sections = sections(&whole);
    let file = |order: &[usize]| {
        let mut file = whole[..10].to_vec();
        for &section in order {
            file.extend_from_slice(&whole[sections[section].clone()]);
        }
        file
    };
    let all: Vec<usize> = (0..sections.len()).collect();
    read(&file(&all)).unwrap();
    for first in 1..sections.len() {
        let without: Vec<_> = all.iter().copied().filter(|&it| it != first).collect();
        assert!(read(&file(&without)).is_err(), "{first}");
        let mut twice = all.clone();
        twice.insert(first, first);
        assert!(read(&file(&twice)).is_err(), "{first}");
    }
    let mut swapped = all;
    swapped.swap(1, 2);
    assert!(matches!(read(&file(&swapped)), Err(Error::Checksum { .. })));
}

/// Where each section is.
fn sections(file: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut sections = Vec::new();
    let mut at = 10;
    while at < file.len() {
        let length = file[at + 1..at + 5]
            .try_into()
            .map(u32::from_le_bytes)
            .unwrap();
        let end = at + 5 + length as usize + 4;
        sections.push(at..end);
        at = end;
    }
    sections
}

/// A section's kind and payload.
type Section<'a> = (u8, &'a [u8]);

/// A file of those sections, with right checksums, by a checksum of its own.
fn assembled(sections: &[Section<'_>]) -> Vec<u8> {
    fn crc(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
            }
        }
        !crc
    }
    let mut file = b"\x89XHP\r\n\x1A\n\x01\x00".to_vec();
    let mut summed = file.clone();
    for (kind, payload) in sections {
        let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
        let section = [&[*kind][..], &length, payload].concat();
        summed.extend_from_slice(&section);
        file.extend_from_slice(&section);
        file.extend_from_slice(&crc(&summed).to_le_bytes());
    }
    file
}

const MAIN: &[u8] = b"\x01\x00\x00\x00\x06main()";

/// The worked example of `docs/format.md`.
#[test]
fn the_example_of_the_documentation_is_right() {
    let file = assembled(&[
        (b'P', b"T\x01"),
        (b'S', b"\x02\x00\x00\x00\x06main()\x01\x00\x00\x06strlen"),
        (b'T', b"\x03\x02\x00\x00\x01\xD0\x0F\x01\x01\x02\xD8\x04"),
        (b'Z', b""),
    ]);
    let profile = read(&file).unwrap();
    let tree = profile.tree().unwrap();
    let costs: Vec<_> = tree
        .nodes
        .iter()
        .map(|it| (it.cost.calls, it.cost.wall))
        .collect();
    assert_eq!(costs, [(1, 1_300), (2, 300)]);
    assert!(profile.symbols[1].internal);
    let hex: Vec<_> = file.iter().map(|byte| format!("{byte:02x}")).collect();
    let documentation = include_str!("../../../docs/format.md");
    let dump = documentation.split("```hexdump").nth(1).unwrap();
    let dump = dump.split("```").next().unwrap();
    let documented: Vec<_> = dump
        .lines()
        .flat_map(|line| line.split("  ").next().unwrap().split_whitespace())
        .collect();
    assert_eq!(documented, hex);
}

#[test]
fn sections_not_known_yet_are_skipped() {
    let tree = b"\x03\x01\x00\x00\x01\x14";
    let file = assembled(&[
        (b'P', b"T\x01and more"),
        (b'?', b"anything"),
        (b'S', MAIN),
        (b'Q', b"not known yet"),
        (b'T', tree),
        (b'Z', b""),
    ]);
    let profile = read(&file).unwrap();
    assert_eq!(profile.tree().unwrap().root_cost().wall, 10);
}

#[test]
fn a_later_version_is_named_and_not_guessed_at() {
    let mut file = written(&Profile::empty());
    file[8] = 2;
    assert!(matches!(read(&file), Err(Error::Version { found: 2 })));
    assert!(matches!(read(b"a:0:{}....."), Err(Error::NotNative)));
}

#[test]
fn files_that_only_look_right_are_refused() {
    let root = b"\x03\x01\x00\x00\x01\x14";
    let cases: &[(&str, &[Section<'_>])] = &[
        ("no first section", &[(b'S', MAIN), (b'Z', b"")]),
        ("an unknown body", &[(b'P', b"Q\x01"), (b'Z', b"")]),
        ("no nodes", &[(b'P', b"T\x01"), (b'S', MAIN), (b'Z', b"")]),
        ("no symbols", &[(b'P', b"T\x01"), (b'T', root), (b'Z', b"")]),
        (
            "a node before its parent",
            &[
                (b'P', b"T\x01"),
                (b'S', MAIN),
                (b'T', b"\x00\x02\x00\x00\x02\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "two children of one name",
            &[
                (b'P', b"T\x01"),
                (b'S', b"\x02\x00\x00\x00\x06main()\x00\x00\x00\x01a"),
                (b'T', b"\x00\x03\x00\x00\x01\x01\x02\x01"),
                (b'Z', b""),
            ],
        ),
        (
            "two symbols of one name",
            &[
                (b'P', b"T\x01"),
                (b'S', b"\x02\x00\x00\x00\x06main()\x00\x00\x06\x00"),
                (b'T', root),
                (b'Z', b""),
            ],
        ),
        (
            "bytes that mean nothing",
            &[
                (b'P', b"T\x01"),
                (b'S', MAIN),
                (b'T', b"\x03\x01\x00\x00\x01\x14\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "a path that was not there",
            &[
                (b'P', b"T\x01"),
                (b'S', b"\x01\x04\x00\x00\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "a guess with nobody to guess",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'C', b"\x01\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "events without an end",
            &[(b'P', b"C\x01\x02\x01\x01"), (b'S', MAIN), (b'Z', b"")],
        ),
    ];
    for (what, sections) in cases {
        let error = read(&assembled(sections)).unwrap_err();
        assert!(matches!(error, Error::Broken { .. }), "{what}: {error}");
    }
    let mut file = written(&Profile::empty());
    file.push(0);
    assert!(matches!(read(&file), Err(Error::Broken { .. })));
}

#[test]
fn claims_of_much_do_not_take_memory() {
    // 1 GiB in a section, of which nothing is there.
    let mut file = b"\x89XHP\r\n\x1A\n\x01\x00".to_vec();
    file.extend_from_slice(b"S\x00\x00\x00\x40");
    assert!(matches!(read(&file), Err(Error::Truncated { .. })));
    file[14] = 0x41;
    assert!(matches!(read(&file), Err(Error::TooLarge { .. })));
    for section in [b'S', b'T', b'K', b'A', b'E'] {
        let body = match section {
            b'K' | b'A' => b'K',
            b'E' => b'E',
            _ => b'T',
        };
        let head = [body, 1];
        let many = b"\x1F\xFF\xFF\xFF\xFF\xFF\x0F";
        let many = if matches!(section, b'E' | b'T') {
            &many[..]
        } else {
            &many[1..]
        };
        let file = assembled(&[(b'P', &head), (section, many)]);
        assert!(matches!(read(&file), Err(Error::Broken { .. })));
    }
    let limits = Limits {
        nodes: 4,
        ..Limits::default()
    };
    let tree = written(&examples().remove(1).1);
    let error = native::read(tree.as_slice(), &limits).unwrap_err();
    assert!(matches!(error, Error::TooLarge { what: "nodes", .. }));
}

#[test]
fn events_over_the_limit_become_a_tree() {
    let profile = examples().remove(3).1;
    let limits = Limits {
        events: 9,
        ..Limits::default()
    };
    let bytes = written(&profile);
    let tree = native::read(bytes.as_slice(), &limits).unwrap();
    assert!(matches!(tree.body, Body::Tree(_)));
    assert_eq!(tree.tree(), profile.tree());
    assert_eq!((tree.meta, tree.symbols), (profile.meta, profile.symbols));
}

#[test]
fn two_functions_of_one_name_are_one_symbol_of_the_profile() {
    let mut bytes = Vec::new();
    let options = EventsOptions::wall(1_000_000_000);
    let mut writer = EventsWriter::begin(
        &options,
        RawInstant::default(),
        &Meta::default(),
        &mut bytes,
    );
    let symbols = [b"main()", b"twice_", b"twice_"].map(|name| Symbol::new(&name[..]));
    writer.symbols(&symbols, &mut bytes);
    let event = |what, wall| WallEvent { what, wall };
    writer.events(
        &[
            event(What::enter(SymbolId(1)), 160),
            event(What::LEAVE, 320),
            event(What::enter(SymbolId(2)), 320),
            event(What::LEAVE, 640),
            // Never named: counts as main().
            event(What::enter(SymbolId(7)), 640),
        ],
        &mut bytes,
    );
    writer.end(
        RawInstant {
            wall: 1_600,
            ..RawInstant::default()
        },
        None,
        &mut bytes,
    );
    let profile = read(&bytes).unwrap();
    assert_eq!(profile.symbols.len(), 2);
    let tree = profile.tree().unwrap();
    let costs: Vec<_> = tree
        .nodes
        .iter()
        .map(|it| (it.cost.calls, it.cost.wall))
        .collect();
    assert_eq!(costs, [(1, 1_600), (2, 480), (1, 960)]);
}

proptest! {
    #[test]
    fn what_was_written_reads_back_the_same(profile in any_profile()) {
        let bytes = written(&profile);
        prop_assert_eq!(&read(&bytes).unwrap(), &profile);
        prop_assert_eq!(written(&profile), bytes);
    }

    /// However the events come in, and in steps of 16 ns, they are the same
    /// events at most a step early.
    #[test]
    fn raw_events_read_back_to_the_resolution(
        profile in events_profile(),
        chunk in 1_usize..20,
        hertz in 1_000_000_u64..5_000_000_000,
        origin in any::<u32>(),
    ) {
        let Body::Events(all) = &profile.body else { unreachable!() };
        let origin = RawInstant {
            wall: u64::from(origin),
            cpu: u64::from(origin) * 3,
            memory: i64::from(origin),
            peak: -i64::from(origin),
        };
        let raw = |at: Instant| RawInstant {
            wall: at.wall + origin.wall,
            cpu: at.cpu + origin.cpu,
            memory: at.memory.wrapping_add(origin.memory),
            peak: at.peak.wrapping_add(origin.peak),
        };
        let what = |kind| match kind {
            EventKind::Enter(symbol) => What::enter(symbol),
            EventKind::Leave => What::LEAVE,
            EventKind::Switch(fiber) => What::switch(fiber),
        };
        let events: Vec<_> = all.events.iter()
            .map(|event| FullEvent { what: what(event.kind), at: raw(event.at) })
            .collect();
        let options = EventsOptions {
            wall_hertz: hertz,
            cpu_hertz: hertz / 3,
            is_exact: false,
            ..EventsOptions::NANOSECONDS
        };
        let mut bytes = Vec::new();
        let mut writer = EventsWriter::begin(&options, origin, &Meta::default(), &mut bytes);
        writer.symbols(&profile.symbols, &mut bytes);
        for events in events.chunks(chunk) {
            writer.events(events, &mut bytes);
        }
        writer.end(raw(all.end), Some(&profile.meta), &mut bytes);
        let mut reader = EventsReader::new(bytes.as_slice(), &Limits::default()).unwrap();
        let (mut block, mut read) = (Vec::new(), Vec::new());
        while reader.next_block(&mut block).unwrap() {
            read.append(&mut block);
        }
        prop_assert_eq!(reader.meta(), &profile.meta);
        prop_assert_eq!(read.len(), all.events.len());
        let nanoseconds = |ticks: u64, hertz: u64| {
            u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(hertz)).unwrap()
        };
        // A step, and the rounding of its length.
        let is_near = |found: u64, ticks: u64, hertz: u64| {
            let exact = nanoseconds(ticks, hertz);
            let step = nanoseconds(1, hertz).max(16);
            found <= exact + exact / (1 << 30) + 1 && exact <= found + step + exact / (1 << 30) + 1
        };
        for (read, event) in read.iter().zip(&all.events) {
            prop_assert_eq!(read.kind, event.kind);
            prop_assert!(is_near(read.at.wall, event.at.wall, hertz), "{:?} {:?}", read, event);
            prop_assert!(is_near(read.at.cpu, event.at.cpu, hertz / 3), "{:?} {:?}", read, event);
            prop_assert_eq!((read.at.memory, read.at.peak), (event.at.memory, event.at.peak));
        }
    }

    #[test]
    fn random_sections_do_no_harm(
        body in prop::sample::select(vec![b'E', b'T', b'K', b'C']),
        sections in prop::collection::vec(
            (prop::sample::select(b"PMSETKACLZX".to_vec()), prop::collection::vec(any::<u8>(), 0..60)),
            0..6,
        ),
    ) {
        let head = [body, 0xFF, 0x0E, 1, 1];
        let mut all: Vec<Section<'_>> = vec![(b'P', &head), (b'S', MAIN)];
        all.extend(sections.iter().map(|(kind, payload)| (*kind, payload.as_slice())));
        all.push((b'Z', b""));
        if let Ok(profile) = read(&assembled(&all)) {
            prop_assert_eq!(read(&written(&profile)).unwrap(), profile);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in any::<Vec<u8>>()) {
        prop_assert!(read(&bytes).is_err());
        let file = [&b"\x89XHP\r\n\x1A\n\x01\x00"[..], &bytes].concat();
        prop_assert!(read(&file).is_err());
    }
}
