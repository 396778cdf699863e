//! Profiles to test writers with: the tiny program, and one of hostile names.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::HashMap;

use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder};
use serde_json::Value;

/// The tiny program's tree: `golden/tree.json`.
pub(crate) fn tiny() -> Profile {
    let mut made = Maker::default();
    let json = include_str!("../../golden/tree.json").trim();
    // Behind the tree stands a line with its total.
    let json = serde_json::Deserializer::from_str(json)
        .into_iter::<Value>()
        .next();
    made.add(NodeId::ROOT, &json.unwrap().unwrap(), true);
    let mut profile = made.finish();
    profile.metrics.cpu = true;
    profile.metrics.memory = true;
    profile.meta.title = Some("tiny.php".to_owned());
    profile
}

/// A profile of paths with their calls and their own nanoseconds.
pub(crate) fn profile_of(paths: &[(&[&str], u64, u64)]) -> Profile {
    let mut made = Maker::default();
    made.builder.cost(NodeId::ROOT).calls = 1;
    for (path, calls, wall) in paths {
        let node = made.path(path.iter().map(|name| name.as_bytes()));
        *made.builder.cost(node) += Cost {
            calls: *calls,
            wall: *wall,
            ..Cost::default()
        };
    }
    made.finish()
}

/// A profile of any names and costs.
pub(crate) fn of_rows(rows: &[(Vec<Vec<u8>>, u64, i64)]) -> Profile {
    let mut made = Maker::default();
    for (path, wall, memory) in rows {
        let node = made.path(path.iter().map(Vec::as_slice));
        *made.builder.cost(node) += Cost {
            calls: 1,
            wall: *wall,
            memory: *memory,
            ..Cost::default()
        };
    }
    let mut profile = made.finish();
    profile.metrics.memory = true;
    profile
}

/// Names with every character that means something somewhere; recursion, costs
/// of nothing, memory given back.
pub(crate) fn nasty() -> Profile {
    let names: [&[u8]; 18] = [
        b"</script><script>alert(1)</script>",
        b"<!-- ]]> -->",
        b"a;b c",
        b"\"double\" 'single' & <b>",
        b"back\\slash::method",
        b"f@1",
        b"a=>b: (c) {d} $e",
        b"\xff\xfe broken \xc3",
        b"nul\0in it",
        b"line\nbreak\r\n\ttab",
        b"\x01\x02\x1b[31m control",
        "größe 日本語 🐘 \u{202e}right to left\u{2028}".as_bytes(),
        "\u{fffe}\u{ffff} no characters".as_bytes(),
        b"",
        b" ",
        b"1.0e5",
        b"class@anonymous\0/path/x.php:3$0::run",
        b"__proto__",
    ];
    let long = [b"long".as_slice(), &vec![b'x'; 70_000]].concat();
    let mut made = Maker::default();
    made.builder.cost(NodeId::ROOT).calls = 1;
    let mut below = NodeId::ROOT;
    for (number, name) in (0_u64..).zip(names.iter().copied().chain([&*long])) {
        for parent in [NodeId::ROOT, below] {
            let node = made.child(parent, name);
            *made.builder.cost(node) += Cost {
                calls: 1 + number,
                // Every third costs nothing.
                wall: number % 3 * 1_000,
                cpu: number * 10,
                memory: if number % 2 == 0 { -64 } else { 1_000 },
                peak: 0,
            };
            below = node;
        }
    }
    for _ in 0..50 {
        below = made.child(below, b"recursion");
        *made.builder.cost(below) += Cost {
            calls: 1,
            wall: 500,
            ..Cost::default()
        };
    }
    let mut profile = made.finish();
    profile.metrics.cpu = true;
    profile.metrics.memory = true;
    profile.meta.tags = vec![("<tag>".to_owned(), "\"&</dd>".to_owned())];
    profile.meta.host = Some("<host>".to_owned());
    for (number, symbol) in (0..).zip(&mut profile.symbols) {
        symbol.internal = number % 5 == 4;
        symbol.line = number;
        symbol.file = match number % 3 {
            0 => None,
            1 => Some((*b"").into()),
            _ => Some((*b"/a b/<c>&\".php").into()),
        };
    }
    profile
}

#[derive(Default)]
struct Maker {
    builder: TreeBuilder,
    symbols: Vec<Symbol>,
    numbers: HashMap<Vec<u8>, SymbolId>,
}

impl Maker {
    fn symbol(&mut self, name: &[u8]) -> SymbolId {
        if self.symbols.is_empty() {
            self.symbols.push(Symbol::new(Symbol::MAIN));
            self.numbers.insert(Symbol::MAIN.to_vec(), SymbolId::ROOT);
        }
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = SymbolId(u32::try_from(self.symbols.len()).unwrap());
        self.symbols.push(Symbol::new(name));
        self.numbers.insert(name.to_vec(), number);
        number
    }

    fn child(&mut self, parent: NodeId, name: &[u8]) -> NodeId {
        let symbol = self.symbol(name);
        self.builder.child(parent, symbol)
    }

    fn path<'n>(&mut self, names: impl Iterator<Item = &'n [u8]>) -> NodeId {
        names.fold(NodeId::ROOT, |node, name| self.child(node, name))
    }

    fn add(&mut self, parent: NodeId, json: &Value, is_root: bool) {
        let name = json["name"].as_str().unwrap().as_bytes();
        let node = if is_root {
            parent
        } else {
            self.child(parent, name)
        };
        let symbol = self.symbol(name);
        if !is_root {
            let symbol = &mut self.symbols[symbol.index()];
            if symbol.file.is_none() {
                symbol.file = Some((*b"tiny.php").into());
                symbol.line = u32::try_from(json["line"].as_u64().unwrap()).unwrap();
            }
        }
        *self.builder.cost(node) += Cost {
            calls: 1,
            wall: json["wt"].as_u64().unwrap() * 1000,
            cpu: json["cpu"].as_u64().unwrap() * 1000,
            memory: json["mu"].as_i64().unwrap(),
            peak: json["pmu"].as_i64().unwrap(),
        };
        for child in json["ch"].as_array().unwrap() {
            self.add(node, child, false);
        }
    }

    fn finish(mut self) -> Profile {
        self.symbol(Symbol::MAIN);
        Profile {
            symbols: self.symbols,
            body: Body::Tree(self.builder.finish_self_costs()),
            ..Profile::empty()
        }
    }
}
