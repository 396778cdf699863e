//! Formats of bytes: native, pprof, NYTProf.

use std::io::{self, Write};

use profile::{
    Body, Event, EventKind, Events, Instant, NodeId, Profile, Sample, SamplesBuilder, Symbol,
    SymbolId, TreeBuilder, native,
};

use super::stacks::list;
use super::{Bomb, Expect, PART, bomb};

/// A type of values and its names, a function and its location.
const TYPE: &[u8] = b"\x0a\x04\x08\x01\x10\x02";
const NAMES: &[u8] = b"\x32\0\x32\x07samples\x32\x05count\x32\x01f\
    \x22\x06\x08\x01\x22\x02\x08\x01\x2a\x04\x08\x01\x10\x03";

pub(super) const BOMBS: &[Bomb] = &[
    bomb("native: a deep tree", Expect::Limit, |out| {
        let mut builder = TreeBuilder::new();
        let mut node = NodeId::ROOT;
        for _ in 0..800_000 {
            node = builder.child(node, SymbolId(1));
        }
        native(out, Body::Tree(builder.finish()))
    }),
    bomb("native: samples", Expect::Limit, |out| {
        let mut builder = SamplesBuilder::default();
        for at in 0..2_000_000 {
            builder.add(Sample::new(at, 1, NodeId::ROOT));
        }
        native(out, Body::Samples(builder.finish()))
    }),
    bomb("native: open calls", Expect::Limit, |out| {
        events(out, 2_000_000, |_| EventKind::Enter(SymbolId(1)))
    }),
    bomb("native: fibers that wait", Expect::Limit, |out| {
        events(out, 1_500_000, |number| match number % 2 {
            0 => EventKind::Enter(SymbolId(1)),
            _ => EventKind::Switch(number),
        })
    }),
    bomb("native: names", Expect::Limit, |out| {
        let mut profile = Profile::empty();
        let name = |number| format!("{}{number}", "x".repeat(150)).into_bytes();
        profile
            .symbols
            .extend((0..200_000).map(name).map(Symbol::new));
        native::write(&profile, out)
    }),
    bomb("native: one section", Expect::Limit, |out| {
        out.write_all(b"\x89XHP\r\n\x1A\n\x01\x00P\0\xe1\xf5\x05")?;
        list(out, b"\0", 100_000_000)
    }),
    bomb("pprof: a deep stack", Expect::Limit, |out| {
        out.write_all(TYPE)?;
        sample(out, 1_000_000)?;
        out.write_all(NAMES)
    }),
    bomb("pprof: strings", Expect::Limit, |out| {
        out.write_all(TYPE)?;
        out.write_all(b"\x12\x03\x12\x01\x01")?;
        list(out, b"\x32\0", 5_000_000)
    }),
    bomb("pprof: functions", Expect::Limit, |out| {
        out.write_all(TYPE)?;
        for number in 1..1_000_000_u32 {
            let [a, b, c] = [0, 7, 14].map(|shift| {
                let bits = number >> shift & 0x7f;
                u8::try_from(bits).unwrap() | 0x80
            });
            out.write_all(&[0x2a, 5, 8, a, b, c, 1])?;
        }
        Ok(())
    }),
    bomb("pprof: locations", Expect::Refused, |out| {
        out.write_all(TYPE)?;
        list(out, b"\x22\x02\x08\x01", 1_000_000)
    }),
    bomb("pprof: lines of one location", Expect::Limit, |out| {
        out.write_all(TYPE)?;
        out.write_all(b"\x22\x82\xda\xc4\x09\x08\x01")?;
        list(out, b"\x22\0", 10_000_000)?;
        out.write_all(NAMES)
    }),
    bomb("pprof: types", Expect::Limit, |out| {
        list(out, TYPE, 3_000_000)?;
        out.write_all(NAMES)
    }),
    bomb("pprof: values of one sample", Expect::Limit, |out| {
        out.write_all(TYPE)?;
        out.write_all(b"\x12\x85\xda\xc4\x09\x12\x80\xda\xc4\x09")?;
        list(out, b"\x01", 20_000_000)?;
        out.write_all(NAMES)
    }),
    bomb("pprof: a field of a gigabyte", Expect::Refused, |out| {
        out.write_all(TYPE)?;
        out.write_all(TYPE)?;
        out.write_all(b"\x12\x80\x80\x80\x80\x04")?;
        list(out, b"\x01", 1_000_000)
    }),
    bomb("nytprof: returns", Expect::Limit, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        for number in 0..700_000_u32 {
            // Each is one level deeper than the last, so that all stay open.
            out.write_all(b"<\xff")?;
            out.write_all(&(u32::MAX - number * 2).to_be_bytes())?;
            out.write_all(&[0; 16])?;
            out.write_all(b"'\x01f")?;
        }
        Ok(())
    }),
    bomb("nytprof: files", Expect::Limit, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        for number in 0..700_000_u32 {
            out.write_all(b"@\xff")?;
            out.write_all(&number.to_be_bytes())?;
            out.write_all(b"\0\0\0\0\0'\x01a")?;
        }
        Ok(())
    }),
    bomb("nytprof: places of functions", Expect::Limit, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        list(out, b"s\0'\x01f\x01\x01", 4_000_000)
    }),
    bomb("nytprof: processes", Expect::Limit, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        list(out, b"p\x01\0\0\0\0\0\0\0\0", 5_000_000)
    }),
    bomb("nytprof: names", Expect::Limit, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        for number in 0..500_000 {
            write!(out, "s\0'\x07{number:07}\x01\x01")?;
        }
        Ok(())
    }),
    bomb("nytprof: equal returns", Expect::Read, |out| {
        out.write_all(b"NYTProf 5 0\n")?;
        list(out, b"<\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'\x01f", 500_000)
    }),
    bomb("nytprof-calls: equal stacks", Expect::Read, |out| {
        list(out, b"main::a;main::b 7\n", 500_000)
    }),
];

/// 389 kB of samples without a stack and without a value.
pub(super) const EMPTY_SAMPLES: Bomb = bomb("pprof: empty samples", Expect::Refused, |out| {
    out.write_all(TYPE)?;
    list(out, b"\x12\0", 190_000_000 / PART)?;
    out.write_all(NAMES)
});

/// The same, each with a value, before the types of the values.
pub(super) const SAMPLES_BEFORE_TYPES: Bomb =
    bomb("pprof: samples before types", Expect::Read, |out| {
        list(out, b"\x12\x03\x12\x01\x01", 52_000_000 / PART)?;
        out.write_all(TYPE)?;
        out.write_all(NAMES)
    });

/// 605 kB of stacks a million frames deep.
pub(super) const LONG_STACKS: Bomb = bomb("pprof: long stacks", Expect::Read, |out| {
    out.write_all(TYPE)?;
    for _ in 0..560 / PART {
        sample(out, 1 << 20)?;
    }
    out.write_all(NAMES)
});

/// A sample of so many frames, all of location 1.
fn sample(out: &mut dyn Write, frames: usize) -> io::Result<()> {
    let mut head = Vec::new();
    length(frames, &mut head);
    let mut message = vec![0x0a];
    message.extend(head);
    let mut whole = vec![0x12];
    length(message.len() + frames + 3, &mut whole);
    out.write_all(&whole)?;
    out.write_all(&message)?;
    list(out, b"\x01", frames)?;
    out.write_all(b"\x12\x01\x01")
}

fn length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap());
}

fn native(out: &mut dyn Write, body: Body) -> io::Result<()> {
    let mut profile = Profile::empty();
    profile.symbols.push(Symbol::new(*b"f"));
    profile.body = body;
    native::write(&profile, out)
}

fn events(out: &mut dyn Write, count: u32, kind: impl Fn(u32) -> EventKind) -> io::Result<()> {
    let at = Instant::default();
    let events = (0..count).map(|number| Event {
        at,
        kind: kind(number),
    });
    let events = Events {
        events: events.collect(),
        end: at,
    };
    native(out, Body::Events(events))
}
