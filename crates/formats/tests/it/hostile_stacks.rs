//! Hostile input for stack formats.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::{amount, cases};
use std::io::Read;

use crate::programs::{nasty, table, tiny_tree, written};
use formats::chrome_trace::CHROME_TRACE;
use formats::collapsed::COLLAPSED;
use formats::cpuprofile::CPUPROFILE;
use formats::firefox::FIREFOX;
use formats::nytprof::NYTPROF;
use formats::otlp::OTLP;
use formats::perfview::{PERFVIEW, PERFVIEW_IDS, PERFVIEW_JSON, PERFVIEW_TEXT};
use formats::pprof::PPROF;
use formats::{Format, ReadError};
use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder};
use proptest::prelude::*;

const COLLAPSED_FILE: &[u8] = include_bytes!("../golden/tiny.collapsedstack.txt");
const IDS: &[u8] = include_bytes!("../golden/tiny-ids.perfView.xml");
const IDS_ZIP: &[u8] = include_bytes!("../golden/tiny-ids.perfView.xml.zip");
const TEXT: &[u8] = include_bytes!("../golden/tiny-simple.perfView.xml");
const JSON: &[u8] = include_bytes!("../golden/tiny.perfView.json");
const NYTPROF_FILE: &[u8] = include_bytes!("../golden/tiny.nytprof.out");
const PPROF_FILE: &[u8] = include_bytes!("../golden/tiny.pb.gz");

fn unpacked(gzip: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(gzip)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

#[test]
fn a_file_cut_anywhere_is_refused_or_says_that_it_is_cut() {
    let cases = [
        IDS,
        IDS_ZIP,
        TEXT,
        JSON,
        PPROF_FILE,
        NYTPROF_FILE,
        COLLAPSED_FILE,
    ];
    let packed = written(&NYTPROF, &tiny_tree());
    for (number, whole) in cases.into_iter().chain([packed.as_slice()]).enumerate() {
        let all = formats::read(whole).unwrap();
        let whole = whole.trim_ascii_end();
        for end in (0..whole.len()).step_by(amount(7, 1)) {
            match formats::read(&whole[..end]) {
                Err(_) => {}
                // A cut line is still a line.
                Ok(_) if number == 6 => {}
                // Checksums and directories may come after all that matters.
                Ok(cut) => assert!(cut.meta.is_truncated || cut == all, "{number}: {end}"),
            }
        }
    }
}

#[test]
fn numbers_that_claim_too_much_take_no_memory() {
    let name = |length: &[u8]| {
        [
            b"NYTProf 5 0\n:nv_size=8\n<\x01".as_slice(),
            &[0; 16],
            b"'",
            length,
            b"ab",
        ]
        .concat()
    };
    for input in [
        // A name of 4 GiB, and one of a million bytes that are not there.
        name(&[0xFF, 0xFF, 0xFF, 0xFF, 0xF0]),
        name(&[0xC0 | 0xF, 0, 0]),
        // A field of 2^60 bytes.
        b"\x0a\x04\x08\x01\x10\x02\x12\xff\xff\xff\xff\xff\xff\xff\xff\x0f".to_vec(),
    ] {
        assert!(formats::read(input.as_slice()).is_err());
    }
}

#[test]
fn stacks_that_lead_nowhere_or_in_circles_are_refused() {
    let source = |stacks: &str| {
        let xml = format!(
            "<StackSource><Frames Count=\"1\"><Frame ID=\"0\" /></Frames>{stacks}\
             <Samples><Sample StackID=\"0\"/></Samples></StackSource>"
        );
        formats::read(xml.as_bytes()).map_err(|error| error.to_string())
    };
    let stack = |id: u32, caller: i64, frame: u32| {
        format!("<Stack ID=\"{id}\" CallerID=\"{caller}\" FrameID=\"{frame}\"/>")
    };
    assert!(source(&stack(0, -1, 0)).is_ok());
    // Callers may come later.
    assert!(source(&[stack(0, 1, 0), stack(1, -1, 0)].concat()).is_ok());
    for (stacks, reason) in [
        (String::new(), "there is no stack 0"),
        (stack(0, 0, 0), "stack 0 calls itself"),
        ([stack(0, 1, 0), stack(1, 0, 0)].concat(), "calls itself"),
        (stack(0, 7, 0), "there is no stack 7"),
        (stack(0, -1, 5), "there is no frame 5"),
        (
            [stack(0, -1, 0), stack(0, -1, 0)].concat(),
            "stack 0 occurs twice",
        ),
        (stack(0, -2, 0), "`-2` is not an ID"),
    ] {
        let error = source(&stacks).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn xml_that_perfview_would_read_otherwise_is_refused() {
    let sample = |inner: &str| {
        let xml = format!(
            "<StackWindow><StackSource><Samples>{inner}</Samples></StackSource></StackWindow>"
        );
        formats::read(xml.as_bytes())
    };
    assert!(sample("<Sample>a\nmain()</Sample>").is_ok());
    let names =
        sample("<Sample Time=\"1\">  a &lt;&#65;&#x42;&apos;\n\nmain()\n</Sample>").unwrap();
    let names: Vec<_> = names
        .symbols
        .iter()
        .map(|symbol| String::from_utf8_lossy(&symbol.name))
        .collect();
    assert_eq!(names, ["main()", "(unknown)", "a <AB'"]);
    for inner in [
        "<Sample><![CDATA[a]]></Sample>",
        "<Sample>a<b/></Sample>",
        "<Sample>&bomb;</Sample>",
        "<Sample></Sample>",
        "<Sample Time=\"x\">a</Sample>",
        "<Sample>a",
    ] {
        assert!(sample(inner).is_err(), "{inner}");
    }
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bbb\">]><StackSource/>";
    assert!(formats::read(bomb.as_bytes()).is_err());
}

#[test]
fn json_that_is_not_samples_is_refused_with_its_line() {
    for input in [
        "{\"StackSource\":1}",
        "{\"StackSource\":{}}",
        "{\"StackSource\":{\"Samples\":[{\"Stack\":[]}]}}",
        "{\"StackSource\":{\"Samples\":[{\"Stack\":[\"a\"],\"Time\":null,\"Metric\":\"x\"}]}}",
        "{\"StackSource\":{\"Samples\":[{\"Stack\":[\"a\"]}]}} x",
    ] {
        let outcome = formats::read(input.as_bytes());
        assert!(matches!(outcome, Err(ReadError::Line { .. })), "{input}");
    }
    let strings = "{\"StackSource\":{\"x\":{\"y\":[1]},\"Samples\":[{\"Time\":\"1.5\",\"Metric\":\"2\",\"z\":0,\"Stack\":[\"a\"]}]}}";
    let profile = formats::read(strings.as_bytes()).unwrap();
    assert_eq!(profile.tree().unwrap().root_cost().wall, 2_000_000);
}

#[test]
fn depth_without_end_does_not_overflow_the_stack() {
    let collapsed = format!("{} 1\n", "a;".repeat(100_000).trim_end_matches(';'));
    let mut profile = formats::read(collapsed.as_bytes()).unwrap();
    assert_eq!(profile.tree().unwrap().nodes.len(), 100_001);
    // NYTProf holds samples as times.
    profile.meta.interval_ns = Some(1_000_000);
    // Written again, where a format does not need the square of the depth.
    for format in [&COLLAPSED as &Format, &PERFVIEW_IDS, &PPROF, &NYTPROF] {
        let again = formats::read(written(format, &profile).as_slice()).unwrap();
        assert_eq!(again.tree().unwrap().nodes.len(), 100_001, "{}", format.id);
    }
    let open = "<StackSource>".repeat(100_000);
    assert!(formats::read(open.as_bytes()).is_err());
    let json = format!("{{\"StackSource\":{}", "{\"a\":".repeat(100_000));
    assert!(formats::read(json.as_bytes()).is_err());
}

fn samples() -> Vec<Vec<u8>> {
    let packed = written(&NYTPROF, &nasty());
    let all = [COLLAPSED_FILE, IDS, IDS_ZIP, TEXT, JSON, NYTPROF_FILE];
    let all = all.iter().map(|bytes| bytes.to_vec());
    all.chain([
        packed,
        unpacked(PPROF_FILE),
        unpacked(&written(&PPROF, &nasty())),
        include_bytes!("../golden/tiny.trace.json").to_vec(),
        include_bytes!("../golden/tiny.cpuprofile").to_vec(),
        include_bytes!("../golden/tiny.perf.txt").to_vec(),
        include_bytes!("../golden/tiny.firefox-v55.json").to_vec(),
        include_bytes!("../golden/tiny.otlp.pb").to_vec(),
        written(&CHROME_TRACE, &tiny_tree()),
        written(&CPUPROFILE, &tiny_tree()),
        written(&FIREFOX, &tiny_tree()),
    ])
    .collect()
}

proptest! {
    #![proptest_config(cases(256))]

    /// Some bytes of a good file changed: read or refused, never a panic. What
    /// is read can be written in every format.
    #[test]
    fn changed_bytes_do_no_harm(
        file in prop::sample::select(samples()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut file = file;
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Ok(profile) = formats::read(file.as_slice()) {
            for format in formats::FORMATS {
                let mut out = Vec::new();
                let _ = formats::write(format, &profile, &formats::WriteOptions::default(), &mut out);
            }
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in any::<Vec<u8>>(), head in prop::sample::select(vec![
        b"NYTProf 5 0\n".as_slice(), b"NYTProf 5 0\n:ticks_per_sec=1\n<\x01", b"<StackSource><Samples><Sample>",
        b"<?xml version='1.0'?><StackSource><Frames>", b"{\"StackSource\":{\"Samples\":[", b"main();a ",
        b"\x0a\x04\x08\x01\x10\x02\x12\x03\x0a\x01\x01", b"PK\x03\x04", b"\n", b"x 1\n",
        b"[{\"ph\":\"B\"},", b"{\"traceEvents\":[", b"{\"nodes\":[{\"id\":1,\"callFrame\":{", b"a 1 [0] 1.5: 1 e:\n\t1 f (x)\n",
        b"{\"meta\":{\"preprocessedProfileVersion\":55},\"threads\":[", b"\x0a\x04\x12\x02\x12\x00\x12",
    ])) {
        let _ = formats::read([head, &bytes].concat().as_slice());
    }

    /// Any tree comes back from any format that can be read, as far as its
    /// names let it.
    #[test]
    fn any_tree_comes_back(nodes in prop::collection::vec((any::<prop::sample::Index>(), 0..12_u32, 0..10_000_000_u64, 1..4_u64), 0..60)) {
        let mut builder = TreeBuilder::new();
        let mut places = vec![NodeId::ROOT];
        builder.cost(NodeId::ROOT).calls = 1;
        for (parent, symbol, wall, calls) in nodes {
            let parent = places[parent.index(places.len())];
            let node = builder.child(parent, SymbolId(symbol));
            *builder.cost(node) += Cost { calls, wall, ..Cost::default() };
            places.push(node);
        }
        let mut profile = Profile::empty();
        let names = (1..12).map(|number| Symbol::new(format!("C::f{number}").into_bytes()));
        profile.symbols.extend(names);
        profile.body = Body::Tree(builder.finish_self_costs());
        let expected = table(&profile);
        for format in [&COLLAPSED as &Format, &PERFVIEW, &PERFVIEW_TEXT, &PERFVIEW_JSON, &NYTPROF, &PPROF, &CHROME_TRACE, &FIREFOX, &OTLP] {
            let bytes = written(format, &profile);
            if bytes.is_empty() {
                continue;
            }
            let read = table(&formats::read(bytes.as_slice()).unwrap());
            let keeps_calls = ["nytprof", "pprof", "chrome-trace", "otlp-profiles-1-11"].contains(&format.id);
            let mut expected = expected.clone();
            if !keeps_calls {
                for row in &mut expected {
                    row.1 = 0;
                }
                // Functions without a self time are not in the file.
                expected.retain(|row| row.3 > 0);
            }
            let mut read = read;
            if !keeps_calls {
                read.retain(|row| row.3 > 0);
            }
            prop_assert_eq!(read, expected, "{}", format.id);
        }
    }
}
