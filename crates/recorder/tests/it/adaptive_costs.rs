//! The cost of the hooks that is subtracted from each call differs from the true one
//! from function to function: whether the stated errors include that.

use crate::adaptive_machine::{Machine, Random, Shaped};
use profile::{Body, CallError, FlatTable, Metric, Profile, SymbolId, Timing, merge};

/// The functions of a program, and what the true cost of their hooks differs by, at
/// most: evenly distributed.
const FUNCTIONS: u32 = 24;
const OFF: u64 = 12;
/// The standard deviation of that distribution, OFF / √3.
const ERROR: CallError = CallError {
    wall_ps: 6_928,
    cpu_ps: 0,
};
/// How many programs are tried.
const PROGRAMS: u64 = 60;
/// What a call takes, and what its caller takes beside it.
const CALL: u64 = 60;
const BETWEEN: u64 = 40;

/// A program: how often it calls each function, and by how much the true cost of
/// its hooks is larger than what is subtracted.
struct Program {
    calls: Vec<u64>,
    off: Vec<i64>,
}

impl Program {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut numbers =
            |limit: u64| -> Vec<u64> { (0..FUNCTIONS).map(|_| random.below(limit)).collect() };
        let off = numbers(2 * OFF + 1).into_iter();
        Self {
            calls: numbers(6).into_iter().map(|size| 40 << size).collect(),
            off: off
                .map(|off| off.cast_signed() - OFF.cast_signed())
                .collect(),
        }
    }

    /// A run of it. What a call seems to take too long, its caller seems to take too
    /// short.
    fn run(&self, seed: u64, error: CallError) -> Profile {
        let mut random = Random::new(seed);
        let mut machine = Machine::<Shaped<true>>::new(seed);
        let functions: Vec<u32> = (0..FUNCTIONS).map(|_| machine.function()).collect();
        let mut left = self.calls.clone();
        while left.iter().any(|&calls| calls > 0) {
            for ((&function, left), off) in functions.iter().zip(&mut left).zip(&self.off) {
                if *left > 0 {
                    *left -= 1;
                    machine.leaf(
                        function,
                        (CALL + random.below(9) - 4).saturating_add_signed(*off),
                    );
                    machine.pass(BETWEEN.saturating_add_signed(-off));
                }
            }
        }
        let mut profile = Profile::empty();
        let names = (1..functions.last().map_or(0, |last| last + 1)).map(|it| format!("f{it}"));
        profile
            .symbols
            .extend(names.map(|name| profile::Symbol::new(name.into_bytes())));
        profile.meta.timing = Timing::Adaptive;
        profile.body = Body::Tree(machine.finish().tree.unwrap_or_default());
        profile.with_call_error(error)
    }

    /// How many self times are within their margins, and of how many: those of the
    /// functions, and that of their caller.
    fn within(&self, profile: &Profile, runs: u64) -> (u32, u32) {
        let table = FlatTable::new(profile);
        let (mut within, mut all) = (0, 0);
        for row in &table.rows {
            let margin = table.estimate(row.symbol).own.margin(Metric::Wall);
            let place = profile.name(row.symbol).strip_prefix(b"f");
            let real = match place {
                Some(_) => row.inclusive.calls * CALL,
                None => self.calls.iter().sum::<u64>() * BETWEEN * runs,
            };
            all += 1;
            within += u32::from(row.own.wall.abs_diff(real.cast_signed()) <= margin);
        }
        (within, all)
    }
}

/// The part of the self times that are within their margins, in sums of so many runs.
fn part_within(runs: u64, error: CallError) -> f64 {
    let (mut within, mut all) = (0, 0);
    for seed in 1..=PROGRAMS {
        let program = Program::new(seed * 7919);
        let profiles: Vec<_> = (0..runs)
            .map(|run| program.run(seed * 97 + run, error))
            .collect();
        // No rows if they cannot be merged: the number of rows is checked below.
        let sum = merge(&profiles).unwrap_or_else(|_| Profile::empty());
        let counts = program.within(&sum, runs);
        within += counts.0;
        all += counts.1;
    }
    assert_eq!(u64::from(all), PROGRAMS * u64::from(FUNCTIONS + 1));
    f64::from(within) / f64::from(all)
}

#[test]
fn a_wrong_cost_is_within_the_stated_error_of_one_run_and_of_many() {
    for runs in [1, 5] {
        let part = part_within(runs, ERROR);
        // Even distributions end before 1.96 standard deviations.
        assert!(part >= 0.95, "{part} in {runs} runs");
        // Nor are the margins too wide: with half the error, many are missed.
        let half = CallError {
            wall_ps: ERROR.wall_ps / 2,
            ..ERROR
        };
        let part = part_within(runs, half);
        assert!(part < 0.9, "{part} in {runs} runs");
    }
}

#[test]
fn chance_alone_does_not_explain_it() {
    let part = part_within(1, CallError::NONE);
    assert!(part < 0.5, "{part}");
    let symbol = SymbolId(2);
    let run = Program::new(1).run(1, CallError::NONE);
    assert!(
        FlatTable::new(&run)
            .estimate(symbol)
            .own
            .margin(Metric::Wall)
            < 1_000
    );
}
