//! Values below zero in files of others: differences of two profiles, and what
//! clocks made of a time. Each file has `main()` 5, `a` -20 and `a;b` 40.
#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use formats::{WriteOptions, read};
use profile::{Cost, FlatTable, Node, NodeId, Profile, Symbol, SymbolId, Tree};

/// Each function's inclusive and own wall time, in units of `unit`.
fn rows(file: &[u8], unit: i64) -> Vec<(String, i64, i64)> {
    let profile = read(file).unwrap();
    let table = FlatTable::new(&profile);
    let mut rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            let name = String::from_utf8_lossy(profile.name(row.symbol)).into_owned();
            let inclusive = i64::try_from(row.inclusive.wall).unwrap();
            (name, inclusive / unit, row.own.wall / unit)
        })
        .collect();
    rows.sort();
    rows
}

fn is(name: &str, inclusive: i64, own: i64) -> (String, i64, i64) {
    (name.to_owned(), inclusive, own)
}

fn expected() -> [(String, i64, i64); 3] {
    [is("a", 20, -20), is("b", 40, 40), is("main()", 25, 5)]
}

#[test]
fn collapsed_stacks() {
    assert_eq!(
        rows(b"main() 5\nmain();a -20\nmain();a;b 40\n", 1),
        expected()
    );
}

#[test]
fn speedscope() {
    let file = br#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{"frames":[{"name":"main()"},{"name":"a"},{"name":"b"}]},"profiles":[
        {"type":"sampled","name":"t","unit":"nanoseconds","startValue":0,"endValue":25,
        "samples":[[0],[0,1],[0,1,2]],"weights":[5,-20,40]}]}"#;
    assert_eq!(rows(file, 1), expected());
}

#[test]
fn perfview() {
    let file = r#"<StackWindow><StackSource><Frames Count="3"><Frame ID="0">main()</Frame>
            <Frame ID="1">a</Frame><Frame ID="2">b</Frame></Frames><Stacks Count="3">
            <Stack ID="0" CallerID="-1" FrameID="0"/><Stack ID="1" CallerID="0" FrameID="1"/>
            <Stack ID="2" CallerID="1" FrameID="2"/></Stacks><Samples Count="3">
            <Sample ID="0" Time="0" StackID="0" Metric="5"/>
            <Sample ID="1" Time="1" StackID="1" Metric="-20"/>
            <Sample ID="2" Time="2" StackID="2" Metric="40"/></Samples></StackSource>
            </StackWindow>"#;
    assert_eq!(rows(file.as_bytes(), 1_000_000), expected());
}

#[test]
fn callgrind() {
    // The record of the call to `a` has the inclusive cost of the file.
    let edges = b"# callgrind format\nevents: Ir\n\nfn=main()\n1 5\ncfn=a\ncalls=1 1\n1 20\n\n\
        fn=a\n1 -20\ncfn=b\ncalls=1 1\n1 40\n\nfn=b\n1 40\n";
    assert_eq!(rows(edges, 1), expected());
    let tree = b"version: 1\ncreator: xdebug 3.4.0 (PHP 8.4.0)\ncmd: t.php\npart: 1\n\
        positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) t.php\nfn=(1) b\n1 40 0\n\n\
        fl=(1)\nfn=(2) a\n1 -20 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n1 40 0\n\n\
        fl=(1)\nfn=(3) {main}\n\nsummary: 25 0\n\n1 5 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n1 20 0\n\n";
    assert_eq!(rows(tree, 10), expected());
}

#[test]
fn arrays_of_xhprof_and_blackfire() {
    // Entries are inclusive: one below zero is zero, and its caller lacks it.
    let expected = [is("a", 25, 25), is("b", 0, 0), is("main()", 30, 5)];
    let json = br#"{"main()==>a":{"ct":1,"wt":25},"a==>b":{"ct":1,"wt":-20},
        "main()":{"ct":1,"wt":30}}"#;
    assert_eq!(rows(json, 1_000), expected);
    let blackfire = b"file-format: BlackfireProbe\ncost-dimensions: wt\n\n\
        main()//1 30\nmain()==>a//1 25\na==>b//1 -20\n";
    assert_eq!(rows(blackfire, 1_000), expected);
}

/// A node of a tree.
fn node(parent: u32, symbol: u32, wall: u64) -> Node {
    Node {
        parent: NodeId(parent),
        symbol: SymbolId(symbol),
        cost: Cost {
            calls: 1,
            wall,
            ..Cost::default()
        },
    }
}

#[test]
fn formats_that_write_values_below_zero_read_them_again() {
    let mut profile = Profile::empty();
    profile.symbols = [Symbol::MAIN, b"a", b"b"].map(Symbol::new).into();
    profile.body = profile::Body::Tree(Tree {
        nodes: vec![node(0, 0, 25), node(0, 1, 20), node(1, 2, 40)],
    });
    for id in ["pprof", "otlp-profiles-1-11"] {
        let format = formats::by_id(id).unwrap();
        let mut file = Vec::new();
        formats::write(format, &profile, &WriteOptions::default(), &mut file).unwrap();
        assert_eq!(rows(&file, 1), expected(), "{id}");
    }
}

#[test]
fn firefox() {
    let mut profile = Profile::empty();
    profile.symbols = [Symbol::MAIN, b"a", b"b"].map(Symbol::new).into();
    profile.body = profile::Body::Tree(Tree {
        nodes: vec![
            node(0, 0, 65_000_000),
            node(0, 1, 60_000_000),
            node(1, 2, 40_000_000),
        ],
    });
    let format = formats::by_id("firefox").unwrap();
    let mut file = Vec::new();
    formats::write(format, &profile, &WriteOptions::default(), &mut file).unwrap();
    let mut file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    // Milliseconds.
    let weights = file.pointer_mut("/threads/0/samples/weight").unwrap();
    assert_eq!(*weights, serde_json::json!([5, 20, 40]));
    *weights = serde_json::json!([5, -20, 40]);
    assert_eq!(rows(file.to_string().as_bytes(), 1_000_000), expected());
}
