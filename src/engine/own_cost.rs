//! Measures what the hooks of adaptive timing cost by themselves: the recorder and the
//! readings of the clocks, without PHP.
//!
//! A recorder of its own records a loop of calls: with readings, and without any. The
//! fastest of a few loops counts, so an interrupted one does no harm. This takes less
//! than a millisecond, once for a process and what a profile measures.

use std::hint::black_box;

use recorder::{
    AdaptiveTiming, Overhead, Pace, Reading, Recorder, Shape, StackAddress, SymbolId, Ticks,
};

use super::tracing::Tracing;
use crate::clock::{CallCost, CallCosts};
use crate::zend::memory;

/// The calls of a loop, and the loops.
const CALLS: u64 = 128;
const LOOPS: usize = 6;

/// Where the calls seem to be: none of them calls another.
const SITE: StackAddress = StackAddress(1 << 20);
/// The first function after those that every profile has.
const CALLEE: SymbolId = SymbolId(2);

/// The cost of a call with these hooks, whose clocks must subtract nothing now.
pub(super) fn measure<T: Tracing>() -> CallCosts {
    let bare = fastest(|| {
        let begun = T::read_at_exit();
        for _ in 0..CALLS {
            work();
        }
        T::read_at_exit().since(begun)
    });
    // A processor works on while it reads a clock: what a reading costs is what the
    // work between two of them takes longer.
    let inside = fastest(|| {
        let mut sum = Reading::default();
        for _ in 0..CALLS {
            let start = T::read_at_entry();
            work();
            let length = T::read_at_exit().since(start);
            sum.wall = sum.wall.saturating_add(length.wall);
            sum.cpu = sum.cpu.saturating_add(length.cpu);
        }
        sum
    });
    // No row is short enough to be left untimed.
    let mut timed = recorder::<T>(Ticks::ZERO);
    let timed = fastest(|| calls::<T>(&mut timed, T::read_at_entry, T::read_at_exit));
    // Calls that take no time: after the first loop nearly none is timed.
    let mut untimed = recorder::<T>(Ticks::MAX);
    let untimed = fastest(|| calls::<T>(&mut untimed, Reading::default, Reading::default));
    let overhead = |bare: Ticks, inside: Ticks, timed: Ticks| {
        let inside = per_call(inside.since(bare));
        Overhead {
            inside,
            outside: per_call(timed.since(bare)).since(inside),
        }
    };
    let cost = CallCost {
        wall: overhead(bare.wall, inside.wall, timed.wall),
        cpu: overhead(bare.cpu, inside.cpu, timed.cpu),
    };
    CallCosts {
        user: cost,
        internal: cost,
        untimed: [
            per_call(untimed.wall.since(bare.wall)),
            per_call(untimed.cpu.since(bare.cpu)),
        ],
        pace: Pace::UNKNOWN,
    }
}

/// Stands for what a short function does: stores and loads, some of which wait for each
/// other.
#[inline(never)]
fn work() {
    for number in 0..24_u64 {
        black_box(number);
    }
}

fn recorder<T: Tracing>(short: Ticks) -> Recorder {
    let shape = if T::TREE { Shape::Tree } else { Shape::Edges };
    let mut recorder = Recorder::new(shape, 8, 8, Reading::default);
    recorder.time_adaptively(AdaptiveTiming {
        short,
        short_cpu: short,
        seed: 0,
    });
    recorder.add_symbol();
    recorder
}

/// A loop of calls, and the time that it took.
fn calls<T: Tracing>(
    recorder: &mut Recorder,
    at_entry: impl Fn() -> Reading,
    at_exit: impl Fn() -> Reading,
) -> Reading {
    let begun = T::read_at_exit();
    for _ in 0..CALLS {
        if T::ENDS_EARLY {
            recorder.enter_sparing::<T>(CALLEE, &SITE, &at_entry, memory);
            work();
            if recorder.end_untimed::<T>(SITE.0, memory) {
                T::left_untimed();
            } else {
                recorder.end_marked::<T>(SITE.0, &at_exit);
            }
        } else if let Some(token) =
            recorder.enter_again::<T>(CALLEE.index(), &SITE, &at_entry, memory)
        {
            work();
            if recorder.leave_untimed::<T>(token, memory) {
                T::left_untimed();
            } else {
                recorder.leave_again::<T>(token, &at_exit);
            }
        } else if let recorder::Entered::Recorded(token) =
            recorder.enter::<T>(CALLEE, &SITE, &at_entry)
        {
            work();
            recorder.leave::<T>(token, &at_exit);
        }
    }
    T::read_at_exit().since(begun)
}

/// The least time of a few loops, by each clock.
fn fastest(mut run: impl FnMut() -> Reading) -> Reading {
    let mut least = run();
    for _ in 1..LOOPS {
        let time = run();
        least.wall = least.wall.min(time.wall);
        least.cpu = least.cpu.min(time.cpu);
    }
    least
}

fn per_call(Ticks(time): Ticks) -> Ticks {
    Ticks(time / CALLS)
}
