//! Programs whose profiles are known exactly: the tiny one of the golden files,
//! and one with every name that has broken a file.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]
#![allow(dead_code, reason = "each test uses some of them")]

use profile::{
    Body, Cost, Event, EventKind, Events, FlatTable, Instant, Meta, Metrics, Mode, NodeId, Profile,
    Spans, Symbol, SymbolId, TreeBuilder,
};
use serde_json::Value;

/// The golden files' call tree: each node is one call, which first spends its
/// own costs and then makes its calls.
const TREE: &str = include_str!("../../golden/tree.json");

/// Where the tiny program's functions are.
const PLACES: [(&str, &str, u32); 8] = [
    ("main()", "/app/index.php", 1),
    ("foo", "/app/index.php", 10),
    ("bar", "/app/lib/bar.php", 3),
    ("fact", "/app/lib/math.php", 5),
    ("strlen", "", 0),
    ("App\\Mühle\\Café::größe", "/app/src/Mühle/Café.php", 20),
    ("App\\Mühle\\{closure}", "/app/src/Mühle/Café.php", 22),
    (
        "weird name; with \"quotes\" <&> @1",
        "/app/My Dir/x;y.php",
        7,
    ),
];

/// The tiny program, call by call.
pub(crate) fn tiny_events() -> Profile {
    let tree: Value = serde_json::from_str(TREE).unwrap();
    let mut events = Events::default();
    let mut now = Instant::default();
    add_call(&tree, &mut now, &mut events.events);
    events.end = now;
    Profile {
        symbols: PLACES
            .iter()
            .map(|&(name, file, line)| Symbol {
                name: name.as_bytes().into(),
                file: (!file.is_empty()).then(|| file.as_bytes().into()),
                line,
                internal: file.is_empty(),
            })
            .collect(),
        body: Body::Events(events),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        meta: Meta {
            started_unix_us: Some(1_700_000_000_000_000),
            mode: Mode::Traced,
            ..Meta::default()
        },
        spans: Spans::default(),
        lines: profile::Lines::default(),
    }
}

fn add_call(call: &Value, now: &mut Instant, events: &mut Vec<Event>) {
    let number = |name: &str| call[name].as_i64().unwrap();
    now.wall += number("wt").unsigned_abs() * 1000;
    now.cpu += number("cpu").unsigned_abs() * 1000;
    now.memory += number("mu");
    now.peak += number("pmu");
    for callee in call["ch"].as_array().unwrap() {
        let name = callee["name"].as_str().unwrap();
        let symbol = PLACES.iter().position(|place| place.0 == name).unwrap();
        let symbol = SymbolId(u32::try_from(symbol).unwrap());
        let mut push = |at, kind| events.push(Event { at, kind });
        push(*now, EventKind::Enter(symbol));
        add_call(callee, now, events);
        events.push(Event {
            at: *now,
            kind: EventKind::Leave,
        });
    }
}

/// The tiny program, path by path.
pub(crate) fn tiny_tree() -> Profile {
    let mut profile = tiny_events();
    profile.body = Body::Tree(profile.tree().unwrap().into_owned());
    profile
}

/// Names with every character that some format stumbles over.
pub(crate) fn nasty_names() -> Vec<Vec<u8>> {
    let text = [
        "a;b",
        "a b",
        "say \"hi\"",
        "it's",
        "<script>alert(1)</script>",
        "a && b",
        "C:\\temp\\new",
        "f@1",
        "f",
        "x:y:z",
        "::",
        "A::b",
        "{closure}",
        "(1)",
        "f(x)",
        "fn=(2) g",
        "calls=1 2",
        "50%",
        "#comment",
        " leading",
        "trailing ",
        "query 42",
        "query 4.2",
        "",
        "]]>",
        "&amp;",
        "größe",
        "日本語",
        "\u{1f418}",
        "x\u{feff}bom",
        "\u{fffe}",
        "tab\there",
        "\\u0041",
        "RUNTIME",
        "main::f",
        "kernel_[k]",
        "-1",
        "null",
        "class@anonymous\0/app/x.php:3$0",
        "line\nend",
        "cr\r\nlf",
        "bell\x07",
        "$var",
        "`cmd`",
        "[0]",
        "a=>b",
    ];
    let mut names: Vec<Vec<u8>> = text.iter().map(|name| name.as_bytes().to_vec()).collect();
    names.push(b"caf\xe9".to_vec());
    names.push(b"\xff\xfe\xfd".to_vec());
    names.push(b"cut \xe2\x82".to_vec());
    names.push("long ".repeat(3000).into_bytes());
    names
}

/// A program of hostile names, recursion, and calls that cost nothing or give
/// memory back.
pub(crate) fn nasty() -> Profile {
    let mut symbols = vec![Symbol::new(Symbol::MAIN)];
    for (index, name) in nasty_names().into_iter().enumerate() {
        let mut symbol = Symbol::new(name);
        match index % 4 {
            0 => symbol.internal = true,
            1 => symbol.file = Some((*b"").into()),
            2 => {
                symbol.file = Some((*b"/app/My \"Dir\"/<x>;\xff&y.php\n(1)").into());
                symbol.line = 7;
            }
            _ => {}
        }
        symbols.push(symbol);
    }
    let mut builder = TreeBuilder::new();
    let count = u32::try_from(symbols.len()).unwrap();
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut nodes = vec![NodeId::ROOT];
    builder.cost(NodeId::ROOT).calls = 1;
    builder.cost(NodeId::ROOT).wall = 1;
    for symbol in 1..count {
        // Each once below the root, so that all are there for sure.
        nodes.push(builder.child(NodeId::ROOT, SymbolId(symbol)));
    }
    for _ in 0..400 {
        let parent = nodes[usize::try_from(random(nodes.len() as u64)).unwrap()];
        let symbol = SymbolId(1 + u32::try_from(random(u64::from(count) - 1)).unwrap());
        nodes.push(builder.child(parent, symbol));
    }
    // Itself, again and again.
    let mut deep = nodes[1];
    for _ in 0..50 {
        deep = builder.child(deep, SymbolId(9));
        nodes.push(deep);
    }
    for (index, &node) in nodes.iter().enumerate().skip(1) {
        let cost = builder.cost(node);
        cost.calls += 1 + random(3);
        if index % 5 > 0 {
            *cost += Cost {
                calls: 0,
                wall: random(5_000_000),
                cpu: random(2_000_000),
                memory: i64::try_from(random(5000)).unwrap() - 2500,
                peak: i64::try_from(random(1000)).unwrap(),
            };
        }
    }
    Profile {
        symbols,
        body: Body::Tree(builder.finish_self_costs()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        meta: Meta {
            title: Some("GET /?a=<b>&c=\"d\"\n;".to_owned()),
            started_unix_us: Some(1_700_000_000_123_456),
            mode: Mode::Traced,
            ..Meta::default()
        },
        spans: Spans::default(),
        lines: profile::Lines::default(),
    }
}

/// What `profile` is in a format.
pub(crate) fn written(format: &formats::Format, profile: &Profile) -> Vec<u8> {
    written_with(format, profile, &formats::WriteOptions::default())
}

pub(crate) fn written_with(
    format: &formats::Format,
    profile: &Profile,
    options: &formats::WriteOptions,
) -> Vec<u8> {
    let mut out = Vec::new();
    formats::write(format, profile, options, &mut out).unwrap();
    out
}

/// Name, calls, own and inclusive wall time of each function, by name.
pub(crate) fn table(profile: &Profile) -> Vec<(String, u64, i64, u64)> {
    let table = FlatTable::new(profile);
    let mut rows: Vec<_> = table
        .rows
        .iter()
        .map(|row| {
            let name = String::from_utf8_lossy(profile.name(row.symbol));
            (
                name.into_owned(),
                row.inclusive.calls,
                row.own.wall,
                row.inclusive.wall,
            )
        })
        .collect();
    rows.sort();
    rows
}
