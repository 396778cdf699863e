//! Later versions read the files of earlier ones, and earlier readers skip
//! additions.

use profile::native::Error;
use profile::{Body, LinedId, LinedStacks, Lines, Profile, Spans};

use super::assembled::{MAIN, assembled};
use super::examples::{called_events_example, called_example, examples, lined_example};
use super::{read, written};

/// What version 1.0 wrote. Never to be changed: later versions have to read it.
const VERSION_1_0: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("../../native/v1.0-edges.xhp")),
    ("tree", include_bytes!("../../native/v1.0-tree.xhp")),
    ("samples", include_bytes!("../../native/v1.0-samples.xhp")),
    ("events", include_bytes!("../../native/v1.0-events.xhp")),
    ("empty", include_bytes!("../../native/v1.0-empty.xhp")),
];

/// What version 1.1 wrote.
const VERSION_1_1: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("../../native/v1.1-edges.xhp")),
    ("tree", include_bytes!("../../native/v1.1-tree.xhp")),
    ("samples", include_bytes!("../../native/v1.1-samples.xhp")),
    ("events", include_bytes!("../../native/v1.1-events.xhp")),
    ("empty", include_bytes!("../../native/v1.1-empty.xhp")),
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

/// What version 1.2 wrote.
const VERSION_1_2: [(&str, &[u8]); 5] = [
    ("edges", include_bytes!("../../native/v1.2-edges.xhp")),
    ("tree", include_bytes!("../../native/v1.2-tree.xhp")),
    ("samples", include_bytes!("../../native/v1.2-samples.xhp")),
    ("events", include_bytes!("../../native/v1.2-events.xhp")),
    ("empty", include_bytes!("../../native/v1.2-empty.xhp")),
];

#[test]
fn files_of_version_1_2_are_read() {
    for ((name, profile), (_, bytes)) in examples().into_iter().zip(VERSION_1_2) {
        assert_eq!(read(bytes).unwrap(), profile, "{name}");
    }
}

/// Files without lines are written as version 1.3 wrote them: the files `v1.3-*`,
/// which later versions have to read.
#[test]
fn files_are_read_and_written_as_version_1_3_wrote_them() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native");
    for (name, profile) in examples() {
        let now = written(&profile);
        let path = format!("{folder}/v1.3-{name}.xhp");
        if update {
            std::fs::write(path, now).unwrap();
        } else {
            let bytes = std::fs::read(path).unwrap();
            assert!(now == bytes, "{name}");
            assert_eq!(read(&bytes).unwrap(), profile, "{name}");
        }
    }
}

/// Lines came with version 1.4. Without that section the file has the same samples, which is
/// what earlier readers see.
#[test]
fn files_with_lines_are_read_and_written_as_version_1_4_wrote_them() {
    let profile = lined_example();
    let now = written(&profile);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native/v1.4-lines.xhp");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert!(now == bytes);
    assert_eq!(bytes[9], 4);
    assert_eq!(read(&bytes).unwrap(), profile);
    let without = without_section(&bytes, b'N');
    let Body::Samples(samples) = read(&without).unwrap().body else {
        panic!("not samples");
    };
    let Body::Samples(mut expected) = profile.body else {
        panic!("not samples");
    };
    expected.lined = LinedStacks::default();
    for sample in &mut expected.samples {
        sample.lined = LinedId::UNKNOWN;
    }
    assert_eq!(samples, expected);
}

/// Lines of calls came with version 1.5. Without that section the file has the same calls.
#[test]
fn files_with_lines_of_calls_are_read_and_written_as_version_1_5_wrote_them() {
    check_costs_of_lines(called_example(), 5, "lines");
}

/// Those of call events came with version 1.6.
#[test]
fn files_with_lines_of_events_are_read_and_written_as_version_1_6_wrote_them() {
    check_costs_of_lines(called_events_example(), 6, "costs");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native/v1.6-lines.xhp");
    let bytes = std::fs::read(path).unwrap();
    let mut profile = read(&bytes).unwrap();
    assert!(!profile.lines.calls.is_empty());
    // Written again, it has what they cost.
    assert_eq!(read(&written(&profile)).unwrap(), profile);
    profile.lines = Lines::default();
    assert_eq!(read(&without_section(&bytes, b'G')).unwrap(), profile);
}

fn check_costs_of_lines(mut profile: Profile, minor: u8, name: &str) {
    let now = written(&profile);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native");
    let path = format!("{folder}/v1.{minor}-{name}.xhp");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert!(now == bytes);
    assert_eq!(bytes[9], minor);
    assert_eq!(read(&bytes).unwrap(), profile);
    profile.lines = Lines::default();
    assert_eq!(read(&without_section(&bytes, b'B')).unwrap(), profile);
}

/// The file with all sections of a kind left out.
fn without_section(file: &[u8], kind: u8) -> Vec<u8> {
    let mut sections = Vec::new();
    let mut rest = &file[10..];
    while let [of, a, b, c, d, more @ ..] = rest {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        if *of != kind {
            sections.push((*of, &more[..length]));
        }
        rest = &more[length + 4..];
    }
    assembled(&sections)
}

/// Until 2026 the extension could leave calls untimed, and wrote how sure the
/// estimates of their times were in a section of their own. That section is
/// skipped; the times themselves are with the calls.
#[test]
fn estimates_of_version_1_3_are_skipped() {
    let files: [&[u8]; 2] = [
        include_bytes!("../../native/v1.3-adaptive-edges.xhp"),
        include_bytes!("../../native/v1.3-adaptive-tree.xhp"),
    ];
    for ((name, exact), bytes) in examples().into_iter().zip(files) {
        assert!(
            bytes
                .windows(5)
                .any(|head| head[0] == b'U' && head[2..] == [0; 3])
        );
        assert_eq!(read(bytes).unwrap(), exact, "{name}");
    }
}

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
        .map(|edge| (edge.cost.calls, edge.cost.wall))
        .collect();
    assert_eq!(costs, [(1, 1_300), (2, 300)]);
    assert!(profile.symbols[1].internal);
    let hex: Vec<_> = file.iter().map(|byte| format!("{byte:02x}")).collect();
    let documentation = include_str!("../../../../../docs/format.md");
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
