//! Call events, which are written during the recording.

use std::collections::{BTreeMap, HashMap};

use crate::amount::cases;
use profile::native::events::{
    EventsOptions, EventsReader, EventsWriter, RawEvent, RawInstant, What,
};
use profile::native::{self, Error, Limits};
use profile::{
    Body, CallLine, Event, EventKind, Events, Instant, Meta, Metrics, Profile, Spans, Symbol,
    SymbolId,
};
use proptest::prelude::*;

use super::examples::examples;
use super::{read, written};
use crate::strategies::events_profile;

#[test]
fn events_cut_anywhere_are_those_before_and_say_so() {
    let profile = examples().remove(3).1;
    let Body::Events(all) = &profile.body else {
        panic!("not events");
    };
    // Several blocks: symbols as they are first needed.
    let mut whole = Vec::new();
    let options = EventsOptions::NANOSECONDS;
    let mut writer =
        EventsWriter::begin(&options, RawInstant::default(), &profile.meta, &mut whole);
    let mut spans = Spans::default();
    for (chunk, events) in all.events.chunks(2).enumerate() {
        let needed = if writer.symbols_written() == 0 { 4 } else { 5 };
        writer.symbols(
            &profile.symbols[writer.symbols_written()..needed],
            &mut whole,
        );
        let events: Vec<RawEvent> = events.iter().map(|&event| event.into()).collect();
        writer.events(&events, &mut whole);
        spans.texts.clone_from(&profile.spans.texts);
        spans.list.extend(profile.spans.list.get(chunk));
        writer.spans(&spans, &mut whole);
    }
    writer.spans(&profile.spans, &mut whole);
    let before_end = whole.len();
    writer.end(all.end.into(), None, &mut whole);
    assert_eq!(read(&whole).unwrap(), profile);
    let (mut refused, mut most) = (0, 0);
    for length in 0..whole.len() {
        match read(&whole[..length]) {
            Err(Error::Truncated { .. }) => refused += 1,
            Err(error) => panic!("{length}: {error}"),
            Ok(cut) => {
                assert!(cut.meta.is_truncated);
                assert!(profile.spans.list.starts_with(&cut.spans.list), "{length}");
                let Body::Events(events) = cut.body else {
                    panic!("{length}");
                };
                assert!(all.events.starts_with(&events.events), "{length}");
                assert!(events.events.len() >= most, "{length}");
                assert!(length < before_end || events.events.len() == all.events.len());
                most = events.events.len();
                let last = events
                    .events
                    .last()
                    .map(|event| event.at)
                    .unwrap_or_default();
                assert!(events.end == last || events.end == all.end);
            }
        }
    }
    // A file that ends before main() is named is useless.
    assert!((10..400).contains(&refused), "{refused}");
    assert_eq!(most, all.events.len());
}

#[test]
fn events_over_the_limit_become_a_tree() {
    let profile = examples().remove(3).1;
    let limits = Limits {
        events: 9,
        ..Limits::default()
    };
    let bytes = written(&profile);
    let tree = native::read(bytes.as_slice(), &limits).unwrap();
    assert!(matches!(tree.body, Body::Tree(_)));
    assert_eq!(tree.tree(), profile.tree());
    assert_eq!((tree.meta, tree.symbols), (profile.meta, profile.symbols));
}

#[test]
fn two_functions_of_one_name_are_one_symbol_of_the_profile() {
    let mut bytes = Vec::new();
    let options = EventsOptions::wall(1_000_000_000);
    let mut writer = EventsWriter::begin(
        &options,
        RawInstant::default(),
        &Meta::default(),
        &mut bytes,
    );
    let symbols = [b"main()", b"twice_", b"twice_"].map(|name| Symbol::new(&name[..]));
    writer.symbols(&symbols, &mut bytes);
    let at = |wall| RawInstant {
        wall,
        ..RawInstant::default()
    };
    let event = |what, wall| RawEvent { what, at: at(wall) };
    writer.events(
        &[
            event(What::enter(SymbolId(1)), 160),
            event(What::LEAVE, 320),
            event(What::enter(SymbolId(2)), 320),
            event(What::LEAVE, 640),
            // Never named: counts as main().
            event(What::enter(SymbolId(7)), 640),
        ],
        &mut bytes,
    );
    writer.end(at(1_600), None, &mut bytes);
    let profile = read(&bytes).unwrap();
    assert_eq!(profile.symbols.len(), 2);
    let tree = profile.tree().unwrap();
    let costs: Vec<_> = tree
        .nodes
        .iter()
        .map(|edge| (edge.cost.calls, edge.cost.wall))
        .collect();
    assert_eq!(costs, [(1, 1_600), (2, 480), (1, 960)]);
}

/// Long enough for several sections, with fibers, long steps, and more symbols
/// than two bytes have numbers for.
fn long_log() -> Profile {
    const SYMBOLS: u32 = 20_000;
    let mut seed = 88_172_645_463_325_252_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let mut at = Instant::default();
    let mut events = Vec::new();
    while events.len() < 30_000 {
        let longest = 1 << random(22);
        let step = random(longest);
        at.wall += step;
        // It waits now and then, as every program does.
        at.cpu += if random(300) == 0 { step / 2 } else { step };
        // Long without a change, and then with many.
        if events.len() % 4096 > 2048 && random(4) == 0 {
            at.memory += random(9_000).cast_signed() * 8 - 36_000;
            at.peak = at.peak.max(at.memory);
        }
        let kind = match random(600) {
            0 => EventKind::Switch(u32::try_from(random(3)).unwrap()),
            1..300 => EventKind::Leave,
            _ => {
                let among = [3, 40, 300, u64::from(SYMBOLS)];
                let among = among[usize::try_from(random(4)).unwrap()];
                EventKind::Enter(SymbolId(u32::try_from(random(among)).unwrap()))
            }
        };
        events.push(Event { at, kind });
    }
    let names = (0..SYMBOLS).map(|number| match number {
        0 => Symbol::new(Symbol::MAIN),
        _ => Symbol::new(format!("f{number}").into_bytes()),
    });
    Profile {
        symbols: names.collect(),
        body: Body::Events(Events { events, end: at }),
        metrics: Metrics::default(),
        meta: Meta::default(),
        spans: Spans::default(),
        lines: profile::Lines::default(),
    }
}

#[test]
fn a_long_log_reads_back_the_same() {
    let profile = long_log();
    // Not `assert_eq`, which would print the whole log.
    assert!(read(&written(&profile)).unwrap() == profile);
}

proptest! {
    #![proptest_config(cases(256))]

    /// However the events come in, and in steps of 16 ns, they are the same
    /// events at most a step early.
    #[test]
    fn raw_events_read_back_to_the_resolution(
        profile in events_profile(),
        chunk in 1_usize..20,
        hertz in 1_000_000_u64..5_000_000_000,
        // 1: both clocks have the same ticks.
        slower in 1_u64..4,
        origin in any::<u32>(),
    ) {
        let Body::Events(all) = &profile.body else { unreachable!() };
        let origin = RawInstant {
            wall: u64::from(origin),
            cpu: u64::from(origin) * 3,
            memory: i64::from(origin),
            peak: -i64::from(origin),
        };
        let raw = |at: Instant| RawInstant {
            wall: at.wall + origin.wall,
            cpu: at.cpu + origin.cpu,
            memory: at.memory.wrapping_add(origin.memory),
            peak: at.peak.wrapping_add(origin.peak),
        };
        let events: Vec<_> = all.events.iter()
            .map(|event| RawEvent { what: event.kind.into(), at: raw(event.at) })
            .collect();
        let options = EventsOptions {
            wall_hertz: hertz,
            cpu_hertz: hertz / slower,
            is_exact: false,
            ..EventsOptions::NANOSECONDS
        };
        let in_chunks = |chunk: usize| {
            let mut bytes = Vec::new();
            let mut writer = EventsWriter::begin(&options, origin, &Meta::default(), &mut bytes);
            writer.symbols(&profile.symbols, &mut bytes);
            for events in events.chunks(chunk) {
                writer.events(events, &mut bytes);
            }
            writer.end(raw(all.end), Some(&profile.meta), &mut bytes);
            let mut reader = EventsReader::new(bytes.as_slice(), &Limits::default()).unwrap();
            let (mut block, mut read) = (Vec::new(), Vec::new());
            while reader.next_block(&mut block).unwrap() {
                read.append(&mut block);
            }
            (read, reader.meta().clone())
        };
        let (read, meta) = in_chunks(chunk);
        prop_assert_eq!(&read, &in_chunks(1_000).0);
        prop_assert_eq!(&meta, &profile.meta);
        prop_assert_eq!(read.len(), all.events.len());
        let nanoseconds = |ticks: u64, hertz: u64| {
            u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(hertz)).unwrap()
        };
        // A step, and the rounding of its length.
        let is_near = |found: u64, ticks: u64, hertz: u64, late_steps: u64| {
            let exact = nanoseconds(ticks, hertz);
            let step = nanoseconds(1, hertz).max(16);
            let length = exact / (1 << 30) + 1;
            found <= exact + late_steps * step + length && exact <= found + step + length
        };
        // With one clock, it is what CPU time fell behind that is rounded down.
        let late = u64::from(slower == 1);
        for (read, event) in read.iter().zip(&all.events) {
            prop_assert_eq!(read.kind, event.kind);
            prop_assert!(is_near(read.at.wall, event.at.wall, hertz, 0), "{:?} {:?}", read, event);
            prop_assert!(is_near(read.at.cpu, event.at.cpu, hertz / slower, late), "{:?} {:?}", read, event);
            prop_assert_eq!((read.at.memory, read.at.peak), (event.at.memory, event.at.peak));
        }
    }
}

/// How often each line of each function calls each function.
type CallsFromLines = BTreeMap<(Vec<u8>, u32, SymbolId, SymbolId), u64>;

const FILES: [&[u8]; 2] = [b"/srv/a.php", b"/srv/b.php"];

/// The calls among events, each with a line, and what they sum up to.
fn called_from(
    profile: &Profile,
    events: &Events,
    lines: &[(u32, u32)],
) -> (Vec<RawEvent>, CallsFromLines) {
    let mut sums = CallsFromLines::new();
    let mut stacks: HashMap<u32, (SymbolId, Vec<SymbolId>)> = HashMap::new();
    let (mut base, mut open, mut running) = (SymbolId(0), Vec::new(), 0);
    let mut lines = lines.iter().cycle();
    let events = events.events.iter().map(|event| {
        let mut raw = RawEvent::from(*event);
        match event.kind {
            EventKind::Enter(symbol) => {
                let &(file, line) = lines.next().unwrap();
                raw.what = What::enter_from(symbol, CallLine { file, line });
                let caller = open.last().copied().unwrap_or(base);
                let path = match file {
                    0 => profile.symbols[caller.index()].file.as_deref(),
                    file => Some(FILES[file as usize - 1]),
                };
                if let (Some(path), 1..=131_071) = (path, line) {
                    let key = (path.to_vec(), line, caller, symbol);
                    *sums.entry(key).or_default() += 1;
                }
                open.push(symbol);
            }
            EventKind::Leave => {
                open.pop();
            }
            EventKind::Switch(fiber) if fiber == running => {}
            EventKind::Switch(fiber) => {
                let starter = open.last().copied().unwrap_or(base);
                let left = (base, std::mem::take(&mut open));
                if running == 0 || !left.1.is_empty() {
                    stacks.insert(running, left);
                }
                (base, open) = stacks.remove(&fiber).unwrap_or((starter, Vec::new()));
                running = fiber;
            }
        }
        raw
    });
    (events.collect(), sums)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn calls_have_their_lines_however_the_file_is_divided(
        profile in events_profile(),
        lines in prop::collection::vec((0_u32..3, 0_u32..140_000), 1..9),
        chunk in 1_usize..40,
    ) {
        let Body::Events(all) = &profile.body else { panic!("not events") };
        let (events, expected) = called_from(&profile, all, &lines);
        let mut bytes = Vec::new();
        let options = EventsOptions { has_lines: true, ..EventsOptions::NANOSECONDS };
        let start = RawInstant::default();
        let mut writer = EventsWriter::begin(&options, start, &profile.meta, &mut bytes);
        writer.symbols(&profile.symbols, &mut bytes);
        let files = FILES.map(Box::from);
        for events in events.chunks(chunk) {
            writer.files(&files[writer.files_written()..], &mut bytes);
            writer.events(events, &mut bytes);
        }
        writer.end(all.end.into(), None, &mut bytes);
        // As events, and summed up while they are read.
        for limit in [usize::MAX, 0] {
            let limits = Limits { events: limit, ..Limits::default() };
            let read = native::read(bytes.as_slice(), &limits).unwrap();
            prop_assert_eq!(read.tree(), profile.tree());
            let calls = read.lines.calls.iter().map(|calls| {
                let path = read.lines.file(calls.file).unwrap_or_default().to_vec();
                ((path, calls.line, calls.caller, calls.callee), calls.calls)
            });
            prop_assert_eq!(calls.collect::<CallsFromLines>(), expected.clone());
            let of_lines = read.lines.list.iter().map(|line| line.calls).sum::<u64>();
            prop_assert_eq!(of_lines, expected.values().sum::<u64>());
        }
    }
}
