//! Hostile input: refused, without a panic and without allocating the memory
//! that it claims.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::cases;
use std::io::Write;

use formats::{ReadError, WriteOptions};
use profile::Body;
use proptest::prelude::*;

const SERIALIZED: &[u8] = include_bytes!("../golden/0001.tiny.xhprof");
const SAMPLED: &[u8] = include_bytes!("../golden/0003.tinysampled.xhprof");
const JSON: &[u8] = include_bytes!("../golden/tiny.xhprof.json");
const XHGUI: &[u8] = include_bytes!("../golden/tiny.xhgui.jsonl");

fn packed(bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for whole in [
        SERIALIZED,
        SAMPLED,
        JSON.trim_ascii_end(),
        XHGUI.trim_ascii_end(),
    ] {
        formats::read(whole).unwrap();
        for end in 0..whole.len() {
            assert!(formats::read(&whole[..end]).is_err(), "{end}");
        }
    }
    let packed = packed(SERIALIZED);
    formats::read(packed.as_slice()).unwrap();
    for end in 0..packed.len() {
        assert!(formats::read(&packed[..end]).is_err(), "{end}");
    }
}

#[test]
fn counts_beyond_the_input_are_refused() {
    for input in [
        "a:1000000000:{s:6:\"main()\";a:1:{s:2:\"wt\";i:1;}}",
        "a:1:{s:6:\"main()\";a:4294967295:{s:2:\"wt\";i:1;}}",
        "a:1:{s:9999999999:\"main()\";a:1:{s:2:\"wt\";i:1;}}",
    ] {
        assert!(
            matches!(formats::read(input.as_bytes()), Err(ReadError::Rows(_))),
            "{input}"
        );
    }
}

#[test]
fn nesting_without_end_does_not_overflow_the_stack() {
    let serialized = "a:1:{i:0;".repeat(200_000);
    assert!(formats::read(serialized.as_bytes()).is_err());
    let entry = format!("{{\"main()\":{{\"wt\":{}", "[".repeat(200_000));
    assert!(formats::read(entry.as_bytes()).is_err());
    let stray = format!("{{\"main()==>\":{}", "{\"a\":".repeat(200_000));
    assert!(formats::read(stray.as_bytes()).is_err());
}

#[test]
fn numbers_that_fit_nowhere_do_not_wrap() {
    let input = r#"{"a==>a@4294967295":{"ct":9e99,"wt":9223372036854775807},
        "main()==>a":{"ct":1,"wt":1e300,"mu":-1e300},"main()":{"ct":1,"wt":18446744073709551615}}"#;
    let profile = formats::read(input.as_bytes()).unwrap();
    assert!(profile.calls() >= i64::MAX.cast_unsigned());
    let table = profile::FlatTable::new(&profile);
    assert_eq!(table.rows.len(), 2);
    let mut written = Vec::new();
    formats::write(
        &formats::xhprof::XHPROF,
        &profile,
        &WriteOptions::default(),
        &mut written,
    )
    .unwrap();
    assert!(formats::read(written.as_slice()).is_ok());
}

#[test]
fn what_is_no_profile_is_unknown() {
    for input in ["hello\n", "<?php", "\u{7f}ELF", "a;b;c\n"] {
        assert!(
            matches!(formats::read(input.as_bytes()), Err(ReadError::Unknown)),
            "{input}"
        );
    }
    assert!(matches!(formats::read(&b""[..]), Err(ReadError::Empty)));
}

proptest! {
    #![proptest_config(cases(256))]

    /// One byte of a good file changed: it is read or refused, without a panic. What is
    /// read can be written and read again.
    #[test]
    fn a_changed_byte_does_no_harm(
        file in prop::sample::select(vec![SERIALIZED, SAMPLED, JSON, XHGUI]),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut file = file.to_vec();
        let place = place.index(file.len());
        file[place] = byte;
        if let Ok(profile) = formats::read(file.as_slice())
            && matches!(profile.body, Body::Edges(_))
        {
            let mut written = Vec::new();
            formats::write(&formats::xhprof::XHPROF, &profile, &WriteOptions::default(), &mut written).unwrap();
            prop_assert!(formats::read(written.as_slice()).is_ok());
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in any::<Vec<u8>>(), head in prop::sample::select(vec![
        "", "a:1:{", "a:2:{s:6:\"main()\";", "{\"main()\":", "[", "\u{1f}", "{\"profile\":{\"main()\":{",
    ])) {
        let input = [head.as_bytes(), &bytes].concat();
        // A few are profiles by chance; what matters is that none panics.
        let _ = formats::read(input.as_slice());
        let _ = formats::read(packed(&input).as_slice());
    }

    /// Names of any bytes survive the serialized form.
    #[test]
    fn names_of_any_bytes_survive(name in prop::collection::vec(any::<u8>(), 1..40)) {
        let mut name = name;
        profile::make_name_safe(&mut name);
        prop_assume!(name != b"main()");
        let mut profile = profile::Profile::empty();
        profile.symbols.push(profile::Symbol::new(name));
        profile.body = Body::Edges(profile::EdgeTable {
            root: profile::Cost { wall: 5_000, ..profile::Cost::default() },
            edges: vec![profile::Edge {
                caller: profile::EdgeTable::ROOT,
                callee: profile::Activation { symbol: profile::SymbolId(1), level: 0 },
                cost: profile::Cost { calls: 2, wall: 3_000, ..profile::Cost::default() },
            }],
        });
        let mut written = Vec::new();
        formats::write(&formats::xhprof::XHPROF, &profile, &WriteOptions::default(), &mut written).unwrap();
        let read = formats::read(written.as_slice()).unwrap();
        prop_assert_eq!(read, profile);
    }
}
