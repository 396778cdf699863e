//! Hostile input for line formats: read or refused, and every profile that is
//! read can be written in any format.

use crate::amount::{amount, cases};
use crate::common::{events, flat, nasty, read, written};
use formats::{ReadError, WriteError, WriteOptions};
use profile::{Body, NodeId, Profile, Symbol, SymbolId, TreeBuilder};
use proptest::prelude::*;

const FILES: [&[u8]; 10] = [
    include_bytes!("../golden/cachegrind.out.tiny-xdebug"),
    include_bytes!("../golden/callgrind.out.tiny-names"),
    include_bytes!("../golden/callgrind.out.tiny-names-subpos"),
    include_bytes!("../golden/callgrind.out.tiny-plain"),
    include_bytes!("../golden/tiny.bf"),
    include_bytes!("../golden/calls.computer.xt"),
    include_bytes!("../golden/calls.human.xt"),
    include_bytes!("../golden/fatal.computer.xt"),
    include_bytes!("../golden/tiny-sampled.speedscope.json"),
    include_bytes!("../golden/tiny-evented.speedscope.json"),
];

/// Writes it in every format: none may panic, whatever the profile is.
fn write_everywhere(profile: &Profile) {
    for format in formats::FORMATS {
        let outcome = formats::write(format, profile, &WriteOptions::default(), &mut Vec::new());
        match outcome {
            Ok(())
            | Err(
                WriteError::NeedsStacks { .. }
                | WriteError::NeedsTime { .. }
                | WriteError::NotWritable { .. }
                | WriteError::TooManySamples { .. }
                | WriteError::TooLong { .. },
            ) => {}
            Err(error) => panic!("{}: {error}", format.id),
        }
    }
}

#[test]
fn a_file_cut_anywhere_does_no_harm() {
    for file in FILES {
        read(file);
        for end in (0..file.len()).step_by(amount(7, 1)) {
            // Lines say nothing of how many there are to be; JSON does.
            match formats::read(&file[..end]) {
                Ok(profile) => {
                    assert_ne!(file[0], b'{', "{end}");
                    if end % 16 == 0 {
                        write_everywhere(&profile);
                    }
                }
                Err(ReadError::Io(error)) => panic!("{end}: {error}"),
                Err(_) => {}
            }
        }
    }
}

#[test]
fn ids_and_counts_beyond_the_input_cost_no_memory() {
    let file = "# callgrind format\nevents: Ir\nfl=(4294967295) a\nfn=(18446744073709551615) f\n\
                1 18446744073709551615\ncfn=(99999999999999999999999) g\n\
                calls=18446744073709551615 1\n+99999999999999999999 1\n-5 7\n* 1\n";
    let profile = read(file.as_bytes());
    write_everywhere(&profile);
    let file = "file-format: BlackfireProbe\ncost-dimensions: wt\n\nmain()//1 1\n\
                main()==>f@4294967295//9223372036854775807 9223372036854775807\n";
    write_everywhere(&read(file.as_bytes()));
    let file = r#"{"shared":{"frames":[{"name":"f","line":1e300}]},"profiles":[
        {"type":"sampled","unit":"seconds","endValue":1e308,"samples":[[0]],"weights":[1e308]}]}"#;
    write_everywhere(&read(file.as_bytes()));
}

#[test]
fn calls_that_cost_more_than_a_number_can_hold_do_no_harm() {
    let call = "calls=1 1\n1 9223372036854775807\n";
    let file = format!(
        "# callgrind format\nevents: Ir\nfn=a\ncfn=b\n{call}fn=c\ncfn=b\n{call}fn=b\ncfn=d\n{call}"
    );
    write_everywhere(&read(file.as_bytes()));
}

#[test]
fn nesting_without_end_does_not_overflow_the_stack() {
    let open = r#"{"type":"O","frame":0,"at":0}"#;
    let opens = vec![open; 100_000].join(",");
    let file = format!(
        r#"{{"shared":{{"frames":[{{"name":"f"}}]}},"profiles":[
        {{"type":"evented","unit":"nanoseconds","events":[{opens}]}}]}}"#
    );
    let profile = read(file.as_bytes());
    let table = profile::FlatTable::new(&profile);
    assert_eq!(table.rows.last().unwrap().inclusive.calls, 100_000);
    written("speedscope-evented", &profile);
    written("callgrind-xdebug", &profile);
    let nested = format!("{{\"shared\":{{\"frames\":{}", "[".repeat(200_000));
    assert!(formats::read(nested.as_bytes()).is_err());
}

#[test]
fn nasty_profiles_are_written_everywhere() {
    for profile in [nasty(), events(), Profile::empty()] {
        write_everywhere(&profile);
    }
}

/// Calls by caller (a node made before) and symbol, with self time in tens of
/// nanoseconds.
fn trees() -> impl Strategy<Value = Profile> {
    let node = (any::<prop::sample::Index>(), 1_u32..6, 0_u64..50, 1_u64..4);
    prop::collection::vec(node, 0..40).prop_map(|list| {
        let mut builder = TreeBuilder::new();
        let mut nodes = vec![NodeId::ROOT];
        builder.cost(NodeId::ROOT).calls = 1;
        for (parent, symbol, wall, calls) in list {
            let node = builder.child(nodes[parent.index(nodes.len())], SymbolId(symbol));
            let cost = builder.cost(node);
            cost.calls += calls;
            cost.wall += wall * 10;
            nodes.push(node);
        }
        let names = (1..6).map(|number| Symbol::new(format!("f{number}").into_bytes()));
        Profile {
            symbols: std::iter::once(Symbol::new(Symbol::MAIN))
                .chain(names)
                .collect(),
            body: Body::Tree(builder.finish_self_costs()),
            ..Profile::empty()
        }
    })
}

fn own(profile: &Profile) -> Vec<(String, u64, i64)> {
    let rows = flat(profile).into_iter();
    rows.map(|(name, calls, _, own)| (name, calls, own))
        .collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn calls_and_self_costs_survive_every_dialect(profile in trees()) {
        for id in ["callgrind", "callgrind-plain", "callgrind-subpositions", "callgrind-xdebug", "speedscope-evented"] {
            let back = read(&written(id, &profile));
            let calls = id != "speedscope-evented";
            let rows = |profile: &Profile| -> Vec<_> {
                let rows = own(profile).into_iter();
                rows.map(|(name, count, own)| (name, if calls { count } else { 0 }, own)).collect()
            };
            prop_assert_eq!(rows(&back), rows(&profile), "{}", id);
        }
        // Xdebug's dialect has the inclusive costs of recursion right as well.
        prop_assert_eq!(flat(&read(&written("callgrind-xdebug", &profile))), flat(&profile));
    }

    #[test]
    fn a_changed_byte_does_no_harm(
        file in prop::sample::select(FILES.to_vec()),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut file = file.to_vec();
        let place = place.index(file.len());
        file[place] = byte;
        if let Ok(profile) = formats::read(file.as_slice()) {
            write_everywhere(&profile);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in any::<Vec<u8>>(), head in prop::sample::select(vec![
        "# callgrind format\n", "# callgrind format\nevents: Ir\nfn=f\n", "version: 1\ncreator: xdebug\nevents: Time\n",
        "file-format: BlackfireProbe\n", "file-format: BlackfireProbe\ncost-dimensions: wt\n\nmain()//1 1\n",
        "{\"shared\":{\"frames\":[", "{\"shared\":{\"frames\":[]},\"profiles\":[{\"samples\":[",
    ])) {
        let input = [head.as_bytes(), &bytes].concat();
        if let Ok(profile) = formats::read(input.as_slice()) {
            write_everywhere(&profile);
        }
    }

    /// Lines made of the tokens of the grammar.
    #[test]
    fn shuffled_lines_do_no_harm(lines in prop::collection::vec(prop::sample::select(vec![
        "fn=(1) f", "fn=(1)", "fn=(2) {main}", "fn=(2)", "cfn=(1)", "cfn=(2)", "cfn=g", "calls=1 0 0",
        "calls=2 0 0", "1 5 5", "* 3", "+1 2 1", "-1", "fl=(1) a", "cfl=(1)", "", "summary: 1 1",
        "==== NEW PROFILING FILE", "ob=o", "jump=1 2", "creator: xdebug 2", "positions: instr line", "events: Ir Dr",
    ]), 0..60)) {
        let file = format!("version: 1\ncreator: xdebug 3\nevents: Time_(10ns) Memory_(bytes)\nfl=(1) a\nfn=(1) f\n1 1 1\nfn=(2) {{main}}\n1 1 1\n{}\n", lines.join("\n"));
        if let Ok(profile) = formats::read(file.as_bytes()) {
            let table = profile::FlatTable::new(&profile);
            let own: i64 = table.rows.iter().map(|row| row.own.wall).sum();
            prop_assert_eq!(own, i64::try_from(table.total.wall).unwrap());
            write_everywhere(&profile);
        }
    }
}
