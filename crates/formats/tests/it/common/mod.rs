//! Shared by several tests: a profile with every special case.

#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]
#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use formats::WriteOptions;
use profile::{
    Body, Event, EventKind, Events, FlatTable, Instant, Metrics, NodeId, Profile, Symbol, SymbolId,
    TreeBuilder,
};

/// Names with everything that some format cannot have.
pub const NASTY: &[&[u8]] = &[
    b"semi;colon",
    b"quotes \"double\" 'single'",
    b"<b>&amp;</b>",
    b"App\\Back\\slash::m",
    b"weird@1",
    b"  spaces  ",
    b"a=>b",
    b"http://host//path",
    b"colon: value",
    b"(5) looks like an id",
    b"(below main)",
    b")",
    b"caf\xe9 \xff\xfe",
    b"class@anonymous\0/app/a.php:3$0",
    b"new\nline\r\ntwice",
    b"",
    b"fn=x",
    b"calls=1 2",
    b"events: Ir",
    b"# comment",
    b"+5",
    b"`code` | *bold*",
    b"\x1b[31mred\x07",
    "größe 🎉".as_bytes(),
    b"f",
    b"g",
];

/// A tree of all of them: recursion of both kinds, calls that cost nothing,
/// memory given back.
pub fn nasty() -> Profile {
    let mut symbols = vec![Symbol::new(Symbol::MAIN)];
    for (number, name) in NASTY.iter().enumerate() {
        let mut symbol = Symbol::new(*name);
        symbol.file = match number % 4 {
            0 => Some((*b"/app/My Dir/x;y.php").into()),
            1 => Some((*b"").into()),
            2 => Some((*b"/app/t.php(9) : eval()'d code").into()),
            _ => None,
        };
        symbol.line = u32::try_from(number).unwrap();
        symbols.push(symbol);
    }
    symbols.push(Symbol::new(vec![b'x'; 5_000]));
    let mut builder = TreeBuilder::new();
    let mut add = |at: NodeId, symbol: usize, calls, wall, memory| {
        let node = match symbol {
            0 => NodeId::ROOT,
            _ => builder.child(at, SymbolId(u32::try_from(symbol).unwrap())),
        };
        let cost = builder.cost(node);
        cost.calls += calls;
        cost.wall += wall;
        cost.cpu += wall / 2;
        cost.memory += memory;
        node
    };
    let root = add(NodeId::ROOT, 0, 1, 1_004, 100);
    let (f, g) = (25, 26);
    for symbol in 1..symbols.len() {
        let memory = if symbol % 3 == 0 { -512 } else { 64 };
        let wall = u64::try_from(symbol * 37 % 50).unwrap();
        add(root, symbol, 2, wall, memory);
    }
    let mut at = root;
    for symbol in [f, f, g, f, g, g] {
        at = add(at, symbol, 3, 15, 0);
    }
    add(at, 7, 1, 0, 0);
    let tree = builder.finish_self_costs();
    let mut profile = Profile {
        symbols,
        body: Body::Tree(tree),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    };
    profile.meta.title = Some("/a?b=\"<&>\\\n: x".to_owned());
    profile.meta.set_tag("a: b", "c\nd");
    profile
}

/// The same calls as events, with a fiber in them.
pub fn events() -> Profile {
    use EventKind::{Enter, Leave, Switch};
    let mut profile = nasty();
    let list = [
        (0, Enter(SymbolId(1))),
        (14, Enter(SymbolId(25))),
        (20, Switch(7)),
        (20, Enter(SymbolId(13))),
        (33, Switch(0)),
        (35, Leave),
        (35, Leave),
        (47, Switch(7)),
        (50, Leave),
        (50, Switch(0)),
        (51, Leave),
        (52, Enter(SymbolId(25))),
        (53, Enter(SymbolId(25))),
    ];
    let at = |wall: u64| Instant {
        wall,
        cpu: wall / 2,
        ..Instant::default()
    };
    profile.body = Body::Events(Events {
        events: list
            .iter()
            .map(|&(wall, kind)| Event { at: at(wall), kind })
            .collect(),
        end: at(100),
    });
    profile.metrics.memory = false;
    profile
}

/// The profile in a format.
pub fn written(id: &str, profile: &Profile) -> Vec<u8> {
    let mut out = Vec::new();
    let format = formats::by_id(id).unwrap();
    formats::write(format, profile, &WriteOptions::default(), &mut out).unwrap();
    out
}

/// Reads it, recognizing the format.
pub fn read(input: &[u8]) -> Profile {
    match formats::read(input) {
        Ok(profile) => profile,
        Err(error) => panic!("{error}: {}", String::from_utf8_lossy(input)),
    }
}

/// Name, calls, inclusive and self wall time of each function, sorted.
pub fn flat(profile: &Profile) -> Vec<(String, u64, u64, i64)> {
    let table = FlatTable::new(profile);
    let row = |row: &profile::FlatRow| {
        let name = String::from_utf8_lossy(profile.name(row.symbol)).into_owned();
        (name, row.inclusive.calls, row.inclusive.wall, row.own.wall)
    };
    let mut rows: Vec<_> = table.rows.iter().map(row).collect();
    rows.sort();
    rows
}
