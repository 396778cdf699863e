//! Writes large profiles, always the same, into a folder: `large FOLDER`.
//!
//! `program.xhp` is as large as a profile of `PHP_CodeSniffer`. `tree.xhp` and
//! `tree.collapsed.txt` have 2.2 million call paths that end in
//! some 900,000 stacks; `tree.speedscope.json` has the same stacks.
//! `events.xhp` has five million events. `./x web-bench` opens them.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use formats::WriteOptions;
use profile::{
    Body, Event, EventKind, Events, Instant, Metrics, NodeId, Profile, Symbol, SymbolId,
    TreeBuilder, WallUnit,
};

/// The call paths of the tree.
const NODES: usize = 2_200_000;
/// The events.
const EVENTS: usize = 5_000_000;
/// The functions.
const FUNCTIONS: u64 = 3_000;
/// What a function calls: few others, as in programs.
const CALLEES: u64 = 12;
/// The deepest stack.
const DEPTH: usize = 13;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: large FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    write(&program(), "native", &folder.join("program.xhp"))?;
    let tree = tree();
    write(&tree, "native", &folder.join("tree.xhp"))?;
    write(&tree, "collapsed", &folder.join("tree.collapsed.txt"))?;
    write(&tree, "speedscope", &folder.join("tree.speedscope.json"))?;
    write(&events(), "native", &folder.join("events.xhp"))
}

fn write(profile: &Profile, format: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let format = formats::by_id(format).ok_or("no such format")?;
    let mut out = BufWriter::new(File::create(path)?);
    formats::write(format, profile, &WriteOptions::default(), &mut out)?;
    Ok(out.flush()?)
}

/// Random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// An index into a list of that length.
    fn small(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }
}

fn symbols() -> Vec<Symbol> {
    let names = (0..FUNCTIONS).map(|number| {
        // Short, as what is measured is the tree.
        Symbol::new(format!("f{number}").into_bytes())
    });
    std::iter::once(Symbol::new(Symbol::MAIN))
        .chain(names)
        .collect()
}

/// The function that a function calls.
fn callee(caller: u64, number: u64) -> u64 {
    1 + (caller * 37 + number * 211) % FUNCTIONS
}

fn symbol(number: u64) -> SymbolId {
    SymbolId(u32::try_from(number).unwrap_or(1))
}

/// A call tree with every cost, of 8,000 call paths and 900 functions.
fn program() -> Profile {
    let mut random = Random(3);
    let mut builder = TreeBuilder::new();
    let mut open = vec![NodeId::ROOT];
    while builder.len() < 8_000 {
        open.truncate(1 + random.small(open.len()));
        for _ in 0..1 + random.below(8) {
            let caller = open.last().copied().unwrap_or_default();
            let callee = builder.child(caller, symbol(1 + random.below(900)));
            let cost = builder.cost(callee);
            cost.calls += 1 + random.below(50);
            cost.wall += random.below(40_000);
            cost.cpu += random.below(38_000);
            cost.memory += i64::try_from(random.below(4_096)).unwrap_or(0);
            open.push(callee);
        }
    }
    Profile {
        symbols: symbols(),
        body: Body::Tree(builder.finish_self_costs()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    }
}

/// Stacks of which each shares most frames with the one before.
fn tree() -> Profile {
    let mut random = Random(1);
    let mut builder = TreeBuilder::new();
    // The node and the function of each open call.
    let mut open = vec![(NodeId::ROOT, 0)];
    while builder.len() < NODES {
        let kept = open.len().saturating_sub(1 + random.small(3));
        open.truncate(kept.max(1));
        for _ in 0..1 + random.below(4) {
            if open.len() <= DEPTH {
                let (caller, function) = open.last().copied().unwrap_or_default();
                let callee = callee(function, random.below(CALLEES));
                open.push((builder.child(caller, symbol(callee)), callee));
            }
        }
        let (leaf, _) = open.last().copied().unwrap_or_default();
        let cost = builder.cost(leaf);
        cost.wall += 1 + random.below(1_000);
    }
    Profile {
        symbols: symbols(),
        body: Body::Tree(builder.finish_self_costs()),
        metrics: Metrics {
            calls: false,
            wall_unit: WallUnit::Samples,
            ..Metrics::default()
        },
        ..Profile::empty()
    }
}

/// Calls that begin and end at random, some microseconds apart.
fn events() -> Profile {
    let mut random = Random(2);
    let mut events = Vec::with_capacity(EVENTS);
    let (mut depth, mut at) = (0, Instant::default());
    while events.len() < EVENTS {
        at.wall += 50 + random.below(2_000);
        let goes_up = depth > 0 && (depth >= 40 || random.below(100) < 50);
        let kind = if goes_up {
            depth -= 1;
            EventKind::Leave
        } else {
            depth += 1;
            let number = callee(depth * 37, random.below(CALLEES));
            EventKind::Enter(symbol(number))
        };
        events.push(Event { at, kind });
    }
    Profile {
        symbols: symbols(),
        body: Body::Events(Events { events, end: at }),
        ..Profile::empty()
    }
}
