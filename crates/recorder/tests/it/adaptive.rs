//! Adaptive timing on synthetic clocks: what stays exact, and whether the stated
//! errors of the rest are true.

use crate::adaptive_machine::{Machine, Random, Shaped};
use crate::amount::amount;
use recorder::{AdaptiveTiming, Ticks};

/// The calls of a loop's function, and what each takes.
const CALLS: u64 = 20_000;

/// How often each law is tried, with other random numbers.
fn tries() -> u32 {
    amount(50, 200)
}

/// In so many of them, at least, an estimate must be within its margin at 95 %: fewer
/// have a probability of 2 % if the margins are right.
fn within() -> u32 {
    amount(44, 184)
}

/// The result of that many runs.
#[derive(Debug, Default)]
struct Outcome {
    /// In how many of them the estimate was within its margin.
    within: u32,
    /// The largest error, as a part of the profile's time.
    worst: f64,
    /// The mean error, as a part of the function's time: what no number of calls would
    /// average out.
    bias: f64,
}

/// Runs a loop of a function in a program of 0.2 seconds, at a tick a nanosecond.
fn runs(calls: u64, length: impl Fn(u64, &mut Random) -> u64) -> Outcome {
    let mut outcome = Outcome::default();
    let (mut all, mut error_of_all) = (0.0, 0.0);
    for run in 0..tries() {
        let mut random = Random::new(u64::from(run) * 7919 + 1);
        let mut machine = Machine::<Shaped<false>>::new(u64::from(run));
        let leaf = machine.function();
        machine.pass(200_000_000);
        let mut real = 0;
        for call in 0..calls {
            let length = length(call, &mut random);
            real += length;
            machine.leaf(leaf, length);
            machine.pass(20);
        }
        let profile = machine.finish();
        let row = profile.row(0, leaf);
        assert_eq!(row.calls, calls);
        assert!(row.untimed > calls / 2, "{} were left untimed", row.untimed);
        let error = row.wall as f64 - real as f64;
        all += real as f64;
        error_of_all += error;
        outcome.within += u32::from(error.abs() <= row.margin as f64);
        let part = error.abs() / profile.table.root.wall as f64;
        outcome.worst = outcome.worst.max(part);
    }
    outcome.bias = error_of_all / all;
    outcome
}

/// The three laws of every function whose calls differ.
fn check(calls: u64, length: impl Fn(u64, &mut Random) -> u64) {
    let outcome = runs(calls, length);
    assert!(outcome.within >= within(), "{outcome:?}");
    // One percent at 95 % is 1.5 % in the worst of 200 runs.
    assert!(outcome.worst < 0.015, "{outcome:?}");
    assert!(outcome.bias.abs() < 0.01, "{outcome:?}");
}

#[test]
fn a_steady_function_is_exact_and_almost_never_timed() {
    let mut machine = Machine::<Shaped<false>>::new(3);
    let leaf = machine.function();
    for _ in 0..CALLS {
        machine.leaf(leaf, 70);
    }
    let profile = machine.finish();
    let row = profile.row(0, leaf);
    assert_eq!((row.calls, row.wall), (CALLS, CALLS * 70));
    assert!(row.untimed > CALLS * 95 / 100, "{}", row.untimed);
    assert_eq!(row.margin, 0);
}

/// The cost of a timed call is measured so.
#[test]
fn if_no_error_is_allowed_all_calls_are_timed() {
    let mut random = Random::new(1);
    let mut machine = Machine::<Shaped<false>>::new(1);
    machine.recorder.time_adaptively(AdaptiveTiming {
        short: Ticks(4_000),
        short_cpu: Ticks(2_000),
        error: 0.0,
        surprise: [Ticks::ZERO; 2],
        seed: 1,
    });
    let leaf = machine.function();
    let mut real = 0;
    for _ in 0..CALLS {
        let length = 60 + random.below(9);
        real += length;
        machine.leaf(leaf, length);
        machine.pass(20);
    }
    let row = machine.finish().row(0, leaf);
    assert_eq!((row.calls, row.untimed, row.wall), (CALLS, 0, real));
}

#[test]
fn noise_is_within_the_stated_error() {
    check(CALLS, |_, random| 50 + random.below(100));
}

#[test]
fn two_ways_through_a_function_are_within_the_stated_error() {
    check(CALLS, |_, random| match random.below(5) {
        0 => 900 + random.below(50),
        _ => 60 + random.below(10),
    });
}

#[test]
fn a_function_that_becomes_slower_is_followed() {
    check(CALLS, |call, random| {
        40 + call * 400 / CALLS + random.below(20)
    });
}

#[test]
fn a_function_that_is_slower_from_one_call_on_is_followed() {
    check(CALLS, |call, random| {
        let base = if call < CALLS / 3 { 40 } else { 700 };
        base + random.below(20)
    });
}

#[test]
fn a_loop_does_not_keep_step_with_the_choice() {
    // Every second call, every 32nd, and every 64th, the length of the largest block.
    for period in [2, 32, 64] {
        check(
            CALLS,
            |call, _| {
                if call.is_multiple_of(period) { 640 } else { 40 }
            },
        );
    }
}

/// One call in 10,000 takes 1,000 times as long: a tenth of the function's time, in ten
/// calls. The clocks show that time has passed between two readings, but not whether in
/// the function or in its caller, which takes a quarter of the usual time here. So the
/// estimate is a quarter of that tenth too small, and its error says so.
#[test]
fn rare_slow_calls_are_seen_and_divided_with_the_caller() {
    let outcome = runs(100_000, |_, random| match random.below(10_000) {
        0 => 60_000,
        _ => 60,
    });
    assert!(outcome.within >= amount(44, 180), "{outcome:?}");
    assert!(outcome.worst < 0.005, "{outcome:?}");
    assert!(outcome.bias.abs() < 0.04, "{outcome:?}");
}

/// Other programs take the processor now and then, wherever that time falls: in the
/// function or in its caller.
#[test]
fn time_that_other_programs_take_is_divided_as_it_fell() {
    let (mut error_of_all, mut all, mut inside) = (0.0, 0.0, 0);
    // The mean of fewer runs says too little.
    for run in 0..200 {
        let mut random = Random::new(u64::from(run) * 7919 + 1);
        let mut machine = Machine::<Shaped<true>>::new(u64::from(run));
        let leaf = machine.function();
        let mut real = 0;
        // One slice in 5,000 of 10 ticks is followed by a long one.
        let slices = |random: &mut Random, slices: u64| -> u64 {
            let long = |random: &mut Random| {
                if random.below(5_000) == 0 {
                    300_000
                } else {
                    10
                }
            };
            (0..slices).map(|_| long(random)).sum()
        };
        for _ in 0..CALLS {
            let length = slices(&mut random, 6);
            real += length;
            machine.leaf(leaf, length);
            machine.pass(slices(&mut random, 3));
        }
        let row = machine.finish().row(0, leaf);
        let error = row.wall as f64 - real as f64;
        inside += u32::from(error.abs() <= row.margin as f64);
        error_of_all += error;
        all += real as f64;
    }
    let bias = error_of_all / all;
    assert!(inside >= 184, "{inside} of 200, {bias}");
    assert!(bias.abs() < 0.03, "{bias}");
}

/// A caller that takes long by itself between its calls has no stalls: its time stays
/// its own.
#[test]
fn a_callers_own_time_is_not_charged_to_its_callees() {
    let mut machine = Machine::<Shaped<false>>::new(4);
    let leaf = machine.function();
    for _ in 0..CALLS {
        machine.pass(100_000);
        machine.leaf(leaf, 60);
    }
    let row = machine.finish().row(0, leaf);
    let real = CALLS * 60;
    assert!(row.untimed > CALLS * 9 / 10);
    assert!(row.wall.abs_diff(real) <= row.margin, "{row:?}");
    assert!(row.wall < real * 2, "{row:?}");
}
