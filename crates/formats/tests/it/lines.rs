//! Lines of samples, in the formats that have a place for them.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeMap;

use formats::WriteOptions;
use profile::{
    Body, Budget, CallLine, CalledTree, Cost, LinedId, Node, NodeId, Profile, Sample,
    SamplesBuilder, Symbol, SymbolId,
};

/// `main()` calls `total` and includes a page; `total` calls `price` and sorts.
fn profile() -> Profile {
    let in_file = |name: &str, line| Symbol {
        file: Some(b"/srv/Cart.php"[..].into()),
        line,
        ..Symbol::new(name.as_bytes())
    };
    let symbols = vec![
        Symbol::new(Symbol::MAIN),
        in_file("Cart::total", 8),
        in_file("Cart::price", 19),
        Symbol {
            internal: true,
            ..Symbol::new(&b"usort"[..])
        },
    ];
    let mut builder = SamplesBuilder::default();
    let total = builder.push(NodeId::ROOT, SymbolId(1));
    let price = builder.push(total, SymbolId(2));
    let usort = builder.push(total, SymbolId(3));
    let index = builder.line_file(b"/srv/index.php");
    let mut at = 0;
    for (lines, stack, weight) in [
        (&[5][..], NodeId::ROOT, 10_000),
        (&[6, 11], total, 20_000),
        (&[6, 12, 21], price, 40_000),
        (&[6, 12, 25], price, 80_000),
        (&[6, 14, 0], usort, 160_000),
        (&[7, 11], total, 320_000),
    ] {
        let stacks = [NodeId::ROOT, total, stack];
        let mut lined = LinedId::UNKNOWN;
        for ((depth, line), stack) in lines.iter().enumerate().zip(stacks) {
            let file = if depth == 0 { index } else { None };
            lined = builder.line(lined, stack, file, *line);
        }
        builder.add(Sample {
            lined,
            ..Sample::new(at, weight, stack)
        });
        at += weight;
    }
    let samples = builder.finish();
    Profile {
        lines: samples.lines(&symbols, &Budget::unlimited()),
        symbols,
        body: Body::Samples(samples),
        metrics: profile::Metrics {
            calls: false,
            ..profile::Metrics::default()
        },
        ..Profile::empty()
    }
}

/// Own cost, that of callees, and that of functions without lines, by file and line.
fn costs(profile: &Profile) -> BTreeMap<(String, u32), [i64; 3]> {
    let mut costs: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for line in &profile.lines.list {
        let file = profile.lines.file(line.file).unwrap_or(b"?");
        let key = (String::from_utf8_lossy(file).into_owned(), line.line);
        let sum = costs.entry(key).or_default();
        for (sum, cost) in sum.iter_mut().zip([line.own, line.callees, line.builtin]) {
            *sum += cost.wall;
        }
    }
    costs.retain(|_, cost| *cost != [0; 3]);
    costs
}

fn again(id: &str) -> Profile {
    let format = formats::by_id(id).unwrap();
    let mut file = Vec::new();
    formats::write(format, &profile(), &WriteOptions::default(), &mut file).unwrap();
    formats::read(file.as_slice()).unwrap()
}

#[test]
fn formats_with_lines_keep_those_of_samples() {
    let expected = costs(&profile());
    assert_eq!(
        expected[&("/srv/Cart.php".to_owned(), 14)],
        [0, 160_000, 160_000]
    );
    for id in [
        "native",
        "pprof",
        "otlp-profiles-1-11",
        "firefox",
        "speedscope",
    ] {
        assert_eq!(costs(&again(id)), expected, "{id}");
    }
}

#[test]
fn formats_of_samples_are_read_as_samples_with_lines() {
    for id in ["native", "firefox", "speedscope"] {
        let Body::Samples(samples) = again(id).body else {
            panic!("{id}: not samples")
        };
        let lines = samples.samples.iter().map(|sample| {
            let frames = samples.lined.frames(sample.lined);
            frames.map(|(_, frame)| frame.line).collect::<Vec<_>>()
        });
        let lines: Vec<_> = lines.collect();
        let expected: [&[u32]; 6] = [
            &[5],
            &[11, 6],
            &[21, 12, 6],
            &[25, 12, 6],
            &[0, 14, 6],
            &[11, 7],
        ];
        assert_eq!(lines, expected, "{id}");
    }
}

/// Xdebug's files have the lines of calls. The own cost of a function is where it begins.
#[test]
fn xdebugs_cachegrind_has_the_lines_of_calls() {
    let found = costs(&again("callgrind-xdebug"));
    for (line, callees) in [(12, 120_000), (14, 160_000)] {
        let cost = found.get(&("/srv/Cart.php".to_owned(), line));
        assert_eq!(cost.map(|cost| cost[1]), Some(callees), "{line}");
    }
}

/// Callgrind has the own cost of each line, and the cost of each call at the line of the caller. Its time is in 10 ns.
#[test]
fn callgrind_has_the_lines_of_costs_and_of_calls() {
    for id in ["callgrind", "callgrind-plain", "callgrind-subpositions"] {
        let found = costs(&again(id));
        let of = |file: &str, line| found.get(&(file.to_owned(), line)).copied();
        assert_eq!(
            of("/srv/index.php", 5).map(|cost| cost[0]),
            Some(10_000),
            "{id}"
        );
        for (line, own, callees) in [
            (11, 340_000, 0),
            (12, 0, 120_000),
            (14, 0, 160_000),
            (21, 40_000, 0),
            (25, 80_000, 0),
        ] {
            let cost = of("/srv/Cart.php", line).map(|[own, callees, _]| (own, callees));
            assert_eq!(cost, Some((own, callees)), "{id} {line}");
        }
        for (line, callees) in [(6, 300_000), (7, 320_000)] {
            let cost = of("/srv/index.php", line).map(|cost| cost[1]);
            assert_eq!(cost, Some(callees), "{id} {line}");
        }
    }
}

/// `main()` calls `total` on two lines of its file, and that `price` on two of its own.
fn traced() -> Profile {
    let samples = profile();
    let cost = |calls, wall| Cost {
        calls,
        wall,
        ..Cost::default()
    };
    let node = |parent, symbol, calls, wall| Node {
        parent: NodeId(parent),
        symbol: SymbolId(symbol),
        cost: cost(calls, wall),
    };
    let at = |file, line| CallLine { file, line };
    let tree = CalledTree {
        nodes: vec![
            node(0, 0, 1, 9_000),
            node(0, 1, 1, 5_000),
            node(0, 1, 2, 3_000),
            node(1, 2, 7, 2_000),
            node(1, 2, 1, 1_000),
            node(2, 3, 4, 500),
        ],
        lines: vec![
            at(0, 0),
            at(1, 6),
            at(1, 7),
            at(0, 12),
            at(0, 13),
            at(0, 14),
        ],
    };
    let files = [b"/srv/index.php"[..].into()];
    Profile {
        lines: tree.costs_of_lines(&files, &samples.symbols, &Budget::unlimited()),
        body: Body::Tree(tree.tree()),
        symbols: samples.symbols,
        ..Profile::empty()
    }
}

#[test]
fn callgrind_has_the_calls_of_each_line() {
    let write = |id: &str| {
        let format = formats::by_id(id).unwrap();
        let mut out = Vec::new();
        formats::write(format, &traced(), &WriteOptions::default(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = write("callgrind");
    let (_, main) = text.split_once("fn=(1) main()\n").unwrap();
    for call in [
        "calls=1 8\n6 500\n",
        "calls=2 8\n7 300\n",
        "calls=7 19\n12 200\n",
        "calls=1 19\n13 100\n",
        "calls=4 1\n14 50\n",
    ] {
        assert!(main.contains(call), "{call}: {main}");
    }
    // Read again: the same calls on the same lines.
    let read = formats::read(text.as_bytes()).unwrap();
    let calls = read.lines.list.iter();
    let calls = calls.map(|line| (line.line, line.calls, line.callees.wall));
    let mut calls: Vec<_> = calls.filter(|(_, calls, _)| *calls > 0).collect();
    calls.sort_unstable();
    assert_eq!(
        calls,
        [
            (6, 1, 5_000),
            (7, 2, 3_000),
            (12, 7, 2_000),
            (13, 1, 1_000),
            (14, 4, 500)
        ]
    );
    // Xdebug's dialect has a block for each path, and the line where there is one.
    let text = write("callgrind-xdebug");
    assert!(text.contains("calls=4 0 0\n14 50 0\n"), "{text}");
}
