//! Measures the current speed of the processor.
//!
//! The same code takes twice as long when the sibling hyperthread is busy, and
//! less when the clock frequency rises. Both change within milliseconds, so
//! `xhprof.compensate` measures repeatedly: it times the same piece of work.

use std::hint::black_box;

use recorder::{Pace, Ticks};

use super::{calibration, counter};

/// Iterations of the two loops. They take about half a microsecond. With a busy
/// sibling hyperthread they slow down as our hooks and PHP do: stores and
/// additions 2.1 times, a chain of dependent operations hardly at all, PHP's
/// calls and our hooks 1.7 to 2.1 times (measured on a Xeon with two threads a core).
const STORES: u64 = 160;
const CHAIN: u64 = 60;
/// The first run warms the caches, and one run may be interrupted.
const TIMES: usize = 3;
/// With fewer ticks than this the clock is too coarse.
const COARSE: Ticks = Ticks(100);

/// The pace now; takes about 1.5 µs. Unknown where the clock is too coarse.
pub(crate) fn pace() -> Pace {
    let mut least = Ticks::MAX;
    for _ in 0..TIMES {
        let start = ticks();
        work();
        least = least.min(ticks().since(start));
    }
    if least < COARSE {
        Pace::UNKNOWN
    } else {
        Pace::new(least)
    }
}

/// A counter whose ticks do not follow the processor's frequency.
fn ticks() -> Ticks {
    if counter::EXISTS && counter::is_invariant() {
        counter::read()
    } else {
        Ticks(calibration::clock_ns(libc::CLOCK_MONOTONIC))
    }
}

#[inline(never)]
fn work() {
    let mut sums = [1u64, 2, 3, 4];
    for turn in 0..STORES {
        for sum in &mut sums {
            *black_box(&mut *sum) += turn;
        }
    }
    let [mut a, mut b, mut c, mut d] = black_box(sums);
    for _ in 0..CHAIN {
        a = a.wrapping_add(b);
        d = (d ^ a).rotate_left(32);
        c = c.wrapping_add(d);
        b = (b ^ c).rotate_left(24);
    }
    black_box([a, b, c, d]);
}
