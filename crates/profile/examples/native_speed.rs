//! Measures the speed and the size of the native file: run by hand, `cargo run
//! --release -p xhprof-profile --example native_speed`.
//!
//! A tree of a million nodes, and ten million calls of a program made up: 500
//! functions, each with some callees, of which it calls a few often and most
//! rarely; short calls are frequent, long ones rare.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "run by hand")]

use std::time::{Duration, Instant};

use profile::native::events::{
    EventsOptions, EventsReader, EventsWriter, RawEvent, RawInstant, What,
};
use profile::native::{self, Limits};
use profile::{
    Activation, Body, Cost, Diff, Edge, EdgeTable, EstimateLimits, Event, FlatTable, InvertLimits,
    Meta, Metric, Metrics, NodeId, Profile, Symbol, SymbolId, TreeBuilder,
};

/// The same numbers on every machine and every day.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    #[expect(clippy::cast_precision_loss, reason = "53 of 64 bits")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Log-normal: half of all are below `median`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    fn duration(&mut self, median: f64, sigma: f64) -> u64 {
        let angle = std::f64::consts::TAU * self.unit();
        let normal = (-2.0 * (1.0 - self.unit()).ln()).sqrt() * angle.cos();
        (median * (sigma * normal).exp()).clamp(0.0, 1e12) as u64
    }

    /// Zipf: the first of `count` most often, the second half as often …
    fn rank(&mut self, count: usize) -> usize {
        let total: f64 = (1..=u32::try_from(count).unwrap())
            .map(|rank| 1.0 / f64::from(rank))
            .sum();
        let mut left = self.unit() * total;
        for rank in 0..count {
            left -= 1.0 / f64::from(u32::try_from(rank + 1).unwrap());
            if left <= 0.0 {
                return rank;
            }
        }
        count - 1
    }
}

fn symbols(count: usize) -> Vec<Symbol> {
    let name = |number| {
        format!(
            "App\\Module{}\\Class{}::method{number}",
            number / 50,
            number / 8
        )
    };
    let file = |number| format!("/srv/app/src/Module{}/Class{}.php", number / 50, number / 8);
    let main = Symbol::new(Symbol::MAIN);
    let others = (1..count).map(|number| Symbol {
        file: Some(file(number).into_bytes().into()),
        line: u32::try_from(number * 7 % 900).unwrap(),
        ..Symbol::new(name(number).into_bytes())
    });
    std::iter::once(main).chain(others).collect()
}

fn tree(nodes: usize) -> Profile {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut builder = TreeBuilder::new();
    let mut stack = vec![NodeId::ROOT];
    while builder.len() < nodes {
        if stack.len() > 1 && (stack.len() > 60 || random.below(2) == 0) {
            stack.pop();
            continue;
        }
        let symbol = SymbolId(u32::try_from(1 + random.below(4_999)).unwrap());
        let node = builder.child(*stack.last().unwrap(), symbol);
        *builder.cost(node) += Cost {
            calls: 1 + random.duration(1.0, 2.0),
            wall: random.duration(800.0, 2.0),
            cpu: random.duration(700.0, 2.0),
            memory: random.below(1 << 14).cast_signed() * 8 - (1 << 16),
            peak: i64::from(random.below(20) == 0) * 65_536,
        };
        stack.push(node);
    }
    Profile {
        symbols: symbols(5_000),
        body: Body::Tree(builder.finish_self_costs()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    }
}

/// A random walk, in ticks of 2.1 GHz.
fn walk(calls: usize) -> Vec<RawEvent> {
    let mut random = Random(88_172_645_463_325_252);
    let callees: Vec<Vec<u32>> = (0..500)
        .map(|_| {
            let count = 1 + random.below(20);
            (0..count)
                .map(|_| u32::try_from(1 + random.below(499)).unwrap())
                .collect()
        })
        .collect();
    let mut events = Vec::with_capacity(2 * calls);
    let (mut stack, mut entered) = (vec![0_u32], 0);
    let mut at = RawInstant {
        wall: 1 << 40,
        ..RawInstant::default()
    };
    while entered < calls || stack.len() > 1 {
        let step = random.duration(400.0, 1.5);
        at.wall += step;
        at.cpu += step;
        at.memory += random.below(4).cast_signed() * random.below(40).cast_signed() * 8 - 160;
        at.peak = at.peak.max(at.memory);
        let down =
            entered >= calls || stack.len() > 1 && (stack.len() > 40 || random.below(2) == 0);
        let what = if down {
            stack.pop();
            What::LEAVE
        } else {
            let callees = &callees[*stack.last().unwrap() as usize];
            let callee = callees[random.rank(callees.len())];
            stack.push(callee);
            entered += 1;
            What::enter(SymbolId(callee))
        };
        events.push(RawEvent { what, at });
    }
    events
}

/// The same calls over and over, as a loop makes them, at other times.
fn repeated(events: &[RawEvent], calls: usize) -> Vec<RawEvent> {
    let mut random = Random(1_234_567);
    let mut depth = 0;
    let mut end = 0;
    // Up to where all that was called has returned.
    for (place, event) in events.iter().enumerate() {
        depth += if event.what == What::LEAVE { -1 } else { 1 };
        if depth == 0 && place > 2_000 {
            end = place + 1;
            break;
        }
    }
    let mut wall = 1 << 40;
    let whats = events[..end].iter().map(|event| event.what).cycle();
    let events = whats.take(2 * calls / end * end).map(|what| {
        wall += random.duration(400.0, 1.5);
        let at = RawInstant {
            wall,
            ..RawInstant::default()
        };
        RawEvent { what, at }
    });
    events.collect()
}

#[expect(clippy::cast_precision_loss, reason = "printed")]
fn per(total: Duration, count: usize) -> f64 {
    total.as_nanos() as f64 / count as f64
}

#[expect(clippy::cast_precision_loss, reason = "printed")]
fn encode(name: &str, options: &EventsOptions, events: &[RawEvent]) {
    let start = RawInstant {
        wall: 1 << 40,
        ..RawInstant::default()
    };
    let mut times = Vec::new();
    let mut file = Vec::new();
    for _ in 0..5 {
        file.clear();
        let mut bytes = Vec::with_capacity(1 << 20);
        let mut writer = EventsWriter::begin(options, start, &Meta::default(), &mut bytes);
        writer.symbols(&symbols(500), &mut bytes);
        file.append(&mut bytes);
        for chunk in events.chunks(4096) {
            let began = Instant::now();
            writer.events(chunk, &mut bytes);
            times.push(per(began.elapsed(), chunk.len()));
            file.append(&mut bytes);
        }
        writer.end(start, None, &mut file);
    }
    let calls = events.len() / 2;
    // Of blocks, not of the whole: other programs run, too.
    times.sort_by(f64::total_cmp);
    println!(
        "{name}: {:.2} bytes a call, written at {:.1} ns an event ({:.1} the fastest block)",
        file.len() as f64 / calls as f64,
        times[times.len() / 2],
        times[0],
    );
    let limits = Limits::default();
    let began = Instant::now();
    let mut reader = EventsReader::new(file.as_slice(), &limits).unwrap();
    let (mut block, mut count): (Vec<Event>, _) = (Vec::new(), 0);
    while reader.next_block(&mut block).unwrap() {
        count += block.len();
    }
    assert_eq!(count, events.len());
    println!("  read at {:.1} ns an event", per(began.elapsed(), count));
    let began = Instant::now();
    let reader = EventsReader::new(file.as_slice(), &limits).unwrap();
    let tree = reader.into_tree(&limits).unwrap();
    println!(
        "  folded at {:.1} ns an event into {} nodes",
        per(began.elapsed(), count),
        tree.tree().unwrap().nodes.len(),
    );
}

/// CPU time of the process in seconds, which other programs do not affect; zero
/// if the system does not report it.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().unwrap_or_default();
    nanoseconds.parse::<f64>().unwrap_or(0.0) / 1e9
}

fn timed<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let (began, busy_before) = (Instant::now(), busy());
    let result = run();
    let passed = began.elapsed().as_secs_f64();
    println!(
        "  {name}: {:.2} s of the processor, {passed:.2} s passed",
        busy() - busy_before
    );
    result
}

/// A million edges between some thousand functions: what a year of requests
/// comes to when it is merged.
fn edges(edges: usize) -> Profile {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let functions = 20_000;
    let mut end = || Activation {
        symbol: SymbolId(u32::try_from(1 + random.below(functions - 1)).unwrap()),
        level: 0,
    };
    let mut seen = std::collections::HashSet::new();
    let mut table = EdgeTable::default();
    while table.edges.len() < edges {
        let (caller, callee) = (end(), end());
        if seen.insert((caller, callee)) {
            let wall = u64::from(caller.symbol.0) * 1000 + u64::from(callee.symbol.0);
            let calls = wall % 7 + 1;
            table.root.wall += wall;
            table.edges.push(Edge {
                caller,
                callee,
                cost: Cost {
                    calls,
                    wall,
                    ..Cost::default()
                },
            });
        }
    }
    Profile {
        symbols: symbols(usize::try_from(functions).unwrap()),
        body: Body::Edges(table),
        ..Profile::empty()
    }
}

/// How long comparing and adding up waits.
fn edge_questions(profile: &Profile) {
    let mut diff = timed("diff", || Diff::new(profile, profile));
    timed("diff, sorted", || diff.sort_by_impact(Metric::Wall));
    timed("merged", || profile::merge([profile, profile]).unwrap());
    timed("flat table", || FlatTable::new(profile));
}

/// How long the tree's readers wait.
fn questions(profile: &Profile) {
    let tree = profile.tree().unwrap();
    timed("flat table", || FlatTable::new(profile));
    let edges = timed("edges", || tree.to_edges());
    timed("recursion folded", || tree.with_recursion_folded());
    timed("upside down", || tree.inverted(InvertLimits::default()));
    timed("without small", || {
        profile.without_small(Metric::Wall, 0.01)
    });
    timed("merged with itself", || {
        profile::merge([profile, profile]).unwrap()
    });
    timed("diff to itself", || Diff::new(profile, profile));
    let edges = Profile {
        body: Body::Edges(edges),
        ..profile.clone()
    };
    let guess = timed("estimate", || edges.estimated(EstimateLimits::default()));
    println!(
        "    of {} edges, {} nodes",
        edges.edges().edges.len(),
        guess.tree().unwrap().nodes.len()
    );
}

fn main() {
    let profile = tree(1_000_000);
    let mut file = Vec::new();
    let began = Instant::now();
    native::write(&profile, &mut file).unwrap();
    let wrote = began.elapsed();
    let began = Instant::now();
    let read = native::read(file.as_slice(), &Limits::default()).unwrap();
    println!(
        "tree of 1,000,000 nodes: {} bytes, written in {wrote:?}, read in {:?}",
        file.len(),
        began.elapsed()
    );
    assert!(read == profile);
    questions(&profile);
    println!("1,000,000 edges:");
    edge_questions(&edges(1_000_000));

    let full = walk(5_000_000);
    let options = EventsOptions::wall(2_100_000_000);
    encode("a random walk, wall", &options, &full);
    encode("a loop, wall", &options, &repeated(&full, 5_000_000));
    encode(
        "walk, wall to the tick",
        &EventsOptions {
            is_exact: true,
            ..options
        },
        &full,
    );
    encode(
        "walk, wall, cpu, memory",
        &EventsOptions {
            cpu_hertz: 2_100_000_000,
            has_cpu: true,
            has_memory: true,
            ..options
        },
        &full,
    );
}
