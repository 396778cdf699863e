//! Malformed files with correct checksums, and lengths without data.

use crate::amount::cases;
use profile::native::events::{EventsOptions, EventsWriter, RawEvent, RawInstant, What};
use profile::native::{self, Error, Limits};
use profile::{Budget, CallLine, Meta, Profile, Symbol, SymbolId};
use proptest::prelude::*;

use super::assembled::{MAIN, Section, assembled};
use super::examples::examples;
use super::{read, written};

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
            "a prediction without a callee",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'C', b"\x01\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "lines beside no stack",
            &[
                (b'P', b"K\x03"),
                (b'S', MAIN),
                (b'K', b"\x01\x00\x00"),
                (b'N', b"\x00\x01\x01\x02\x00\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "lines of another stack",
            &[
                (b'P', b"K\x03"),
                (b'S', b"\x02\x00\x00\x00\x06main()\x00\x00\x00\x01a"),
                (b'K', b"\x02\x00\x00\x01\x01"),
                (b'A', b"\x01\x00\x01\x02"),
                (b'N', b"\x00\x01\x01\x00\x02\x01\x02"),
                (b'Z', b""),
            ],
        ),
        (
            "lines of a sample that is not there",
            &[
                (b'P', b"K\x03"),
                (b'S', MAIN),
                (b'K', b"\x01\x00\x00"),
                (b'N', b"\x00\x01\x01\x00\x02\x01\x02"),
                (b'Z', b""),
            ],
        ),
        (
            "a line in a file that is not there",
            &[
                (b'P', b"K\x03"),
                (b'S', MAIN),
                (b'K', b"\x01\x00\x00"),
                (b'N', b"\x00\x01\x01\x01\x00\x02\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "a line below zero",
            &[
                (b'P', b"K\x03"),
                (b'S', MAIN),
                (b'K', b"\x01\x00\x00"),
                (b'N', b"\x00\x01\x01\x00\x01\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "a second profile",
            &[
                (b'P', b"T\x01"),
                (b'S', MAIN),
                (b'P', b"T\x01"),
                (b'T', root),
                (b'Z', b""),
            ],
        ),
        (
            "a second profile of events",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'P', b"C\x01\x02\x01\x01"),
                (b'L', b"\x00\x00\x00\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "an end with something in it",
            &[
                (b'P', b"T\x01"),
                (b'S', MAIN),
                (b'T', root),
                (b'Z', b"\x00"),
            ],
        ),
        (
            "events that end with something in it",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'L', b"\x00\x00\x00\x00"),
                (b'Z', b"\x00"),
            ],
        ),
        (
            "two last instants",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'L', b"\x00\x00\x00\x00"),
                (b'L', b"\x00\x00\x00\x00"),
                (b'Z', b""),
            ],
        ),
        (
            "events after the last instant",
            &[
                (b'P', b"C\x01\x02\x01\x01"),
                (b'S', MAIN),
                (b'L', b"\x00\x00\x00\x00"),
                (b'C', b"\x01\x80"),
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
fn lines_of_events_that_cannot_be_are_refused() {
    let call: &[u8] = b"\x01\x60\x01";
    let file = |lines: &[&[u8]]| {
        let mut sections: Vec<Section<'_>> = vec![(b'P', b"C\x01\x02\x01\x01"), (b'S', MAIN)];
        sections.extend(lines.iter().map(|lines| (b'G', *lines)));
        sections.extend([(b'C', call), (b'L', b"\x00\x00\x00\x00"), (b'Z', b"")]);
        assembled(&sections)
    };
    for right in [
        &b"\x00\x01\x00"[..],
        b"\x01\x01a\x01\x05\x01",
        b"\x01\x01a\x00",
    ] {
        let read = read(&file(&[right]));
        assert!(read.is_ok(), "{right:?}: {read:?}");
    }
    let cases: &[(&str, &[&[u8]])] = &[
        ("two for one section", &[b"\x00\x01\x00", b"\x00\x01\x00"]),
        ("two lines for one call", &[b"\x00\x02\x00\x00"]),
        ("more than can follow", &[b"\x00\xFF\xFF\xFF\xFF\x0F\x00"]),
        ("bytes that are left", &[b"\x00\x01\x00\x00"]),
        ("bytes behind files", &[b"\x00\x00\x00"]),
        ("a line below 0", &[b"\x00\x01\x02"]),
        (
            "a line of more than 32 bits",
            &[b"\x00\x01\x80\x80\x80\x80\x40"],
        ),
        ("a file that is not there", &[b"\x01\x01a\x01\x05\x02"]),
    ];
    for (what, lines) in cases {
        let read = read(&file(lines));
        assert!(
            matches!(read, Err(Error::Broken { .. })),
            "{what}: {read:?}"
        );
    }
}

#[test]
fn lines_of_events_take_no_memory_beyond_the_budget() {
    let mut bytes = Vec::new();
    let options = EventsOptions {
        has_lines: true,
        ..EventsOptions::NANOSECONDS
    };
    let start = RawInstant::default();
    let mut writer = EventsWriter::begin(&options, start, &Meta::default(), &mut bytes);
    writer.symbols(&[Symbol::new(Symbol::MAIN)], &mut bytes);
    // Paths that differ by their lines alone.
    for line in 1..100_000 {
        let at = CallLine { file: 0, line };
        let events = [What::enter_from(SymbolId(0), at), What::LEAVE];
        writer.events(&events.map(|what| RawEvent { what, at: start }), &mut bytes);
    }
    writer.end(start, None, &mut bytes);
    let limits = Limits::default();
    let read = |budget: &Budget| native::read_within(bytes.as_slice(), &limits, budget);
    let roomy = Budget::new(1 << 30);
    assert_eq!(read(&roomy).unwrap().calls(), 100_000);
    // What is only for a while is given back: the events and one tree are left.
    assert!(roomy.used() < 40 << 20, "{}", roomy.used());
    let mut refused = 0;
    for megabytes in (1..200).step_by(20) {
        match read(&Budget::new(megabytes << 20)) {
            Ok(profile) => assert_eq!(profile.calls(), 100_000),
            Err(Error::Memory(_)) => refused += 1,
            Err(error) => panic!("{megabytes}: {error}"),
        }
    }
    assert!((2..9).contains(&refused), "{refused}");
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

proptest! {
    #![proptest_config(cases(256))]

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
