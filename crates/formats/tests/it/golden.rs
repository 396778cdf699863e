//! One tiny program's profile, in every format.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use formats::WriteOptions;
use profile::{Body, FlatTable, Profile};

const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");
const SERIALIZED_LATER: &[u8] = include_bytes!("../golden/0002.tiny.xhprof");
const SAMPLED: &[u8] = include_bytes!("../golden/0003.tinysampled.xhprof");
const JSON: &[u8] = include_bytes!("../golden/tiny.xhprof.json");
const XHGUI: &[u8] = include_bytes!("../golden/tiny.xhgui.jsonl");

fn profile(input: &[u8]) -> Profile {
    formats::read(input).unwrap()
}

#[test]
fn the_table_is_that_of_the_program() {
    let profile = profile(SERIALIZED);
    let table = FlatTable::new(&profile);
    let rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            let name = str::from_utf8(profile.name(row.symbol)).unwrap();
            let (inclusive, own) = (row.inclusive, row.own);
            (
                name,
                inclusive.calls,
                inclusive.wall / 1000,
                own.wall / 1000,
                own.memory,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("main()", 1, 263, 100, 1000),
            ("foo", 2, 100, 40, 128),
            ("bar", 6, 60, 60, 192),
            // Three levels of one function, counted once.
            ("fact", 3, 13, 12, 48),
            ("strlen", 2, 3, 3, 0),
            ("App\\Mühle\\Café::größe", 1, 37, 30, 2048),
            ("App\\Mühle\\{closure}", 1, 7, 7, -512),
            // `@1` is no level here: no name without it exists.
            ("weird name; with \"quotes\" <&> @1", 1, 11, 11, 128),
        ]
    );
    assert_eq!(profile.calls(), 17);
    assert!(profile.metrics.cpu && profile.metrics.memory);
}

#[test]
fn serialized_files_are_written_byte_for_byte() {
    for file in [SERIALIZED, SERIALIZED_LATER] {
        let mut written = Vec::new();
        formats::write(
            &formats::xhprof::XHPROF,
            &profile(file),
            &WriteOptions::default(),
            &mut written,
        )
        .unwrap();
        assert_eq!(String::from_utf8(written).unwrap().as_bytes(), file);
    }
}

#[test]
fn json_holds_the_same_profile() {
    assert_eq!(profile(JSON), profile(SERIALIZED));
    let mut written = Vec::new();
    formats::write(
        &formats::xhprof_json::XHPROF_JSON,
        &profile(SERIALIZED),
        &WriteOptions::default(),
        &mut written,
    )
    .unwrap();
    assert_eq!(profile(&written), profile(SERIALIZED));
    let indented: String = str::from_utf8(JSON)
        .unwrap()
        .lines()
        .map(str::trim)
        .collect();
    let dense = indented.replace("\": ", "\":");
    assert_eq!(str::from_utf8(&written).unwrap().trim_end(), dense);
}

#[test]
fn an_xhgui_line_says_what_was_profiled() {
    let xhgui = profile(XHGUI);
    assert_eq!(xhgui.meta.title.as_deref(), Some("/index.php?a=1"));
    assert_eq!(xhgui.meta.started_unix_us, Some(1_700_000_000_000_000));
    assert_eq!(xhgui.body, profile(SERIALIZED).body);
}

#[test]
fn samples_are_stacks_with_times() {
    let profile = profile(SAMPLED);
    let Body::Samples(samples) = &profile.body else {
        panic!("not sampled");
    };
    assert_eq!(profile.meta.started_unix_us, Some(1_700_000_000_000_000));
    let times: Vec<_> = samples.samples.iter().map(|sample| sample.at).collect();
    assert_eq!(times, [0, 100_000_000, 200_000_000]);
    let table = FlatTable::new(&profile);
    let functions: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            let name = profile.name(row.symbol);
            (
                str::from_utf8(name).unwrap(),
                row.inclusive.wall,
                row.own.wall,
            )
        })
        .collect();
    assert_eq!(
        functions,
        [
            ("main()", 3, 1),
            ("foo", 1, 0),
            ("bar", 1, 1),
            ("fact", 1, 0),
            ("strlen", 1, 1)
        ]
    );
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut texts = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        // What is refused without the mark stays refused, such as pictures and comparisons.
        if let (true, Ok(expected)) = (str::from_utf8(&bytes).is_ok(), formats::read(&bytes[..])) {
            assert_eq!(profile(&[b"\xef\xbb\xbf", &bytes[..]].concat()), expected);
            texts += 1;
        }
    }
    assert!(texts > 15, "{texts}");
}
