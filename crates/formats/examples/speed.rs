//! Measures how long a call tree of a million nodes takes to write in each
//! format, and to read again: `cargo run --release --example speed [-- NODES]`.
//! Prints elapsed time and CPU time, which other programs do not affect.

#![expect(clippy::unwrap_used, reason = "a tool")]
#![expect(clippy::print_stdout, reason = "a tool")]

use std::time::Instant;

use profile::{Body, Cost, Metrics, NodeId, Profile, Symbol, SymbolId, TreeBuilder};

fn main() {
    let nodes = std::env::args().nth(1);
    let nodes = nodes.map_or(1_000_000, |text| text.parse().unwrap());
    let profile = program(nodes);
    let tree = profile.tree().unwrap();
    let depths = tree.nodes.iter().enumerate().fold(
        vec![0_u64; tree.nodes.len()],
        |mut depths, (index, node)| {
            if index > 0 {
                depths[index] = depths[node.parent.index()] + 1;
            }
            depths
        },
    );
    println!(
        "{} nodes, {} functions, {} deep on average, {} at most",
        tree.nodes.len(),
        profile.symbols.len(),
        depths.iter().sum::<u64>() / depths.len() as u64,
        depths.iter().max().unwrap()
    );
    println!(
        "{:20} {:>8} {:>8} {:>8}",
        "format", "MB", "write s", "read s"
    );
    for format in formats::FORMATS {
        if format.writes.is_none() {
            continue;
        }
        let mut out = Vec::new();
        let clock = Clock::start();
        formats::write(
            format,
            &profile,
            &formats::WriteOptions::default(),
            &mut out,
        )
        .unwrap();
        let write = clock.stop();
        let clock = Clock::start();
        let read = match formats::read(out.as_slice()) {
            Ok(read) => {
                let read_for = clock.stop();
                // Some have microseconds, and round what each node cost by itself.
                let wall = profile.tree().unwrap().root_cost().wall;
                let off = read.edges().root.wall.abs_diff(wall);
                assert!(off < wall / 10_000, "{off}");
                read_for
            }
            Err(_) => "-".to_owned(),
        };
        let megabytes = out.len() as f64 / 1e6;
        println!("{:20} {megabytes:8.1}  {write:^16} {read:^16}", format.id);
    }
}

struct Clock {
    began: Instant,
    busy: f64,
}

impl Clock {
    fn start() -> Self {
        Self {
            began: Instant::now(),
            busy: busy(),
        }
    }

    fn stop(&self) -> String {
        let passed = self.began.elapsed().as_secs_f64();
        format!("{passed:.2} ({:.2})", busy() - self.busy)
    }
}

/// CPU time of the process in seconds; zero if the system does not report it.
fn busy() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().unwrap_or_default();
    nanoseconds.parse::<f64>().unwrap_or(0.0) / 1e9
}

/// Each function calls a few others, up to about thirty levels, as in a
/// framework.
fn program(nodes: usize) -> Profile {
    let mut seed = 42_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    };
    let mut symbols = vec![Symbol::new(Symbol::MAIN)];
    for number in 1..3000 {
        let mut symbol = Symbol::new(
            format!("App\\Component{}\\Service::method{number}", number % 40).into_bytes(),
        );
        symbol.file = Some(
            format!("/app/src/Component{}/Service.php", number % 40)
                .into_bytes()
                .into(),
        );
        symbol.line = number;
        symbols.push(symbol);
    }
    let mut builder = TreeBuilder::new();
    let mut stack = vec![NodeId::ROOT];
    while builder.len() < nodes {
        // Up or down, around a depth of 25.
        if stack.len() > 1 && random(50) < stack.len() {
            stack.pop();
            continue;
        }
        let symbol = SymbolId(u32::try_from(1 + random(symbols.len() - 1)).unwrap());
        let node = builder.child(*stack.last().unwrap(), symbol);
        *builder.cost(node) += Cost {
            calls: 1 + random(3) as u64,
            wall: random(100_000) as u64,
            cpu: random(50_000) as u64,
            memory: i64::try_from(random(1000)).unwrap() - 300,
            peak: 0,
        };
        stack.push(node);
    }
    Profile {
        symbols,
        body: Body::Tree(builder.finish_self_costs()),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    }
}
