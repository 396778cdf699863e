//! Measures the cost of writing and reading call events, in instructions, which
//! other programs do not affect. With Valgrind, from the difference of two
//! runs:
//!
//! ```text
//! cargo build --release -p xhprof-profile --example events_cost
//! for rounds in 0 20; do
//!     valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
//!         target/release/examples/events_cost write $rounds
//! done
//! ```
//!
//! A round is 131,072 events, in blocks of 4096: a program of 200 functions
//! with some callees each, calls of 0 to 30 µs, mostly short; or those of a file
//! of events, if one is named behind the rounds. `write-all` writes CPU time and
//! memory, too.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "run by hand")]

use std::hint::black_box;
use std::time::Instant;

use profile::native::Limits;
use profile::native::events::{
    EventsOptions, EventsReader, EventsWriter, RawEvent, RawInstant, What,
};
use profile::{Body, EventKind, Meta, Symbol, SymbolId};

const EVENTS: usize = 1 << 17;

fn program() -> Vec<RawEvent> {
    let mut seed = 88_172_645_463_325_252_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let mut events = Vec::with_capacity(EVENTS);
    let (mut stack, mut wall, mut memory) = (vec![0_u64], 1 << 40, 1 << 20);
    while events.len() < EVENTS {
        let longest = 1 << (3 + random(14));
        wall += 60 + random(longest);
        let is_leave = stack.len() > 1 && (stack.len() > 40 || random(2) == 0);
        let what = if is_leave {
            stack.pop();
            What::LEAVE
        } else {
            // Usually one of a few, rarely one of many.
            let top = stack.last().unwrap();
            let most = 1 + random(12);
            let callee = random(most);
            let callee = 1 + (top * 31 + callee * 17) % 199;
            stack.push(callee);
            What::enter(SymbolId(u32::try_from(callee).unwrap()))
        };
        if random(5) == 0 {
            memory += 8 * (random(400).cast_signed() - 200);
        }
        let at = RawInstant {
            wall,
            cpu: wall - 12_345,
            memory,
            peak: 1 << 22,
        };
        events.push(RawEvent { what, at });
    }
    events
}

fn write(events: &[RawEvent], has_all: bool, rounds: usize, file: &mut Vec<u8>) {
    let start = RawInstant {
        wall: 1 << 40,
        cpu: (1 << 40) - 12_345,
        memory: 1 << 20,
        peak: 1 << 22,
    };
    let options = EventsOptions {
        has_cpu: has_all,
        has_memory: has_all,
        cpu_hertz: 2_100_000_000,
        ..EventsOptions::wall(2_100_000_000)
    };
    let mut writer = EventsWriter::begin(&options, start, &Meta::default(), file);
    let highest = events.iter().filter_map(|event| match event.what.kind() {
        EventKind::Enter(symbol) => Some(symbol.0),
        _ => None,
    });
    let symbols: Vec<Symbol> = (0..=highest.max().unwrap_or(0))
        .map(|number| match number {
            0 => Symbol::new(Symbol::MAIN),
            _ => Symbol::new(format!("f{number}").into_bytes()),
        })
        .collect();
    writer.symbols(&symbols, file);
    let mut bytes = Vec::with_capacity(1 << 16);
    for round in 0..rounds {
        for block in events.chunks(4096) {
            bytes.clear();
            writer.events(black_box(block), &mut bytes);
            if round == 0 {
                file.extend_from_slice(&bytes);
            }
        }
    }
}

/// The events of a file, two ticks a nanosecond.
fn recorded(path: &str) -> Vec<RawEvent> {
    let file = std::fs::File::open(path).unwrap();
    let profile = profile::native::read(file, &Limits::default()).unwrap();
    let Body::Events(events) = profile.body else {
        panic!("no events");
    };
    let events = events
        .events
        .into_iter()
        .skip(300_000)
        .take(1 << 16)
        .map(|event| {
            let mut raw = RawEvent::from(event);
            raw.at.wall = 2 * raw.at.wall + (1 << 40);
            // Without what fell behind: it was rounded in the file.
            raw.at.cpu = raw.at.wall - 12_345;
            raw
        });
    events.collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let rounds = arguments.next().map_or(20, |text| text.parse().unwrap());
    let events = arguments
        .next()
        .map_or_else(program, |path| recorded(&path));
    let mut file = Vec::new();
    write(&events, what == "write-all", 1, &mut file);
    let began = Instant::now();
    match &*what {
        "write" => write(&events, false, rounds, &mut Vec::new()),
        "write-all" => write(&events, true, rounds, &mut Vec::new()),
        "read" => {
            for _ in 0..rounds {
                let reader = EventsReader::new(file.as_slice(), &Limits::default());
                let mut reader = reader.unwrap();
                let mut block = Vec::new();
                while reader.next_block(&mut block).unwrap() {
                    black_box(&block);
                }
            }
        }
        "fold" => {
            for _ in 0..rounds {
                let limits = Limits::default();
                let reader = EventsReader::new(file.as_slice(), &limits).unwrap();
                black_box(reader.into_tree(&limits).unwrap());
            }
        }
        _ => {
            println!("usage: events_cost write|write-all|read|fold [ROUNDS [FILE]]");
            return;
        }
    }
    let count = (rounds * events.len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "printed")]
    let each = began.elapsed().as_nanos() as f64 / count as f64;
    println!(
        "{count} events, {each:.1} ns each, {} bytes a round",
        file.len()
    );
}
