//! How sure a change of a function between two selections of runs is.
//!
//! The standard errors of a store take runs for independent, but runs of one hour
//! share their machine's load, and days differ. So what most functions share is
//! taken out, and the usual difference between days is added to the error.

/// How much the mean time of an unchanged function differs from day to day, as a
/// share: what the simulated servers of docs/regressions.md do.
pub const OF_DAYS: f64 = 0.04;

/// Standard errors of a sure change.
pub const SURE: f64 = 5.0;
/// Standard errors of a likely change.
pub const LIKELY: f64 = 3.5;

/// How many runs near a percentile a likely change needs on each side, and a sure
/// one. Fewer may all have the same slow call by chance.
pub const ENOUGH_NEAR_PERCENTILE: [u64; 2] = [20, 40];

/// The same for calls that only one side has: the runs that have them, and how
/// probable it is that the other side lacks them by chance.
const MIN_CALLING_RUNS: u64 = 10;
const CHANCE_OF_SURE: f64 = 1e-6;
const CHANCE_OF_LIKELY: f64 = 1e-3;

/// How sure a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// [`SURE`] standard errors.
    Sure,
    /// [`LIKELY`] standard errors.
    Likely,
    /// Less.
    Noise,
    /// Too few runs, or parts of days.
    Unknown,
}

/// A function before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Change {
    /// Its self time in a run before, in nanoseconds.
    pub own_before: f64,
    /// The relative change of its self time, as a logarithm.
    pub ln_change: Option<f64>,
    /// The same in standard errors.
    pub z: Option<f64>,
    /// The runs that called it, before and after.
    pub called: [Option<u64>; 2],
}

/// What a comparison is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sides {
    /// The runs before and after.
    pub runs: [u64; 2],
    /// The days that have them.
    pub days: [u64; 2],
    /// The standard error of what the functions are parts of, as a logarithm: 0
    /// for the mean, which is their sum.
    pub error: f64,
    /// How many runs of each side a likely change needs, and a sure one.
    pub enough: [u64; 2],
}

/// What the functions have in common: the load of the machines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Common {
    /// The relative change, as a logarithm.
    pub change: f64,
    /// How far that may be off.
    pub error: f64,
}

/// The relative change that most time shares.
#[must_use]
pub fn common(rows: &[Change]) -> Common {
    let mut known: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.ln_change?, row.own_before.max(0.0))))
        .collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = known.iter().map(|row| row.1).sum::<f64>() / 2.0;
    // One function that is most of the time says nothing of the others.
    let most = known.iter().map(|row| row.1).fold(0.0, f64::max);
    if known.len() < 5 || most > half {
        return Common::default();
    }
    let mut sum = 0.0;
    let middle = known.iter().find(|row| {
        sum += row.1;
        sum >= half
    });
    let change = middle.map_or(0.0, |row| row.0);
    // One slow call in few runs makes a function heavy, and its change the middle
    // of the time. It is not the middle of the functions.
    let of_functions = known.get(known.len() / 2).map_or(change, |row| row.0);
    Common {
        change,
        error: (change - of_functions).abs(),
    }
}

/// How sure the change of a function is.
#[must_use]
pub fn confidence(row: &Change, common: Common, sides: Sides) -> Confidence {
    let [likely, sure] = sides.enough;
    let least = sides.runs[0].min(sides.runs[1]);
    if least < likely {
        return Confidence::Unknown;
    }
    let (Some(z), Some(change)) = (row.z, row.ln_change) else {
        return of_one_side(row, sides);
    };
    let error = if z == 0.0 { 0.0 } else { change / z };
    let of_days = sides.days.map(|days| OF_DAYS.powi(2) / days.max(1) as f64);
    let variance = [error, common.error, sides.error].map(|error| error * error);
    let variance: f64 = variance.iter().chain(&of_days).sum();
    let called = row.called.iter().zip(sides.runs);
    let runs: u64 = called.map(|(called, of)| called.unwrap_or(of)).sum();
    let errors = (change - common.change).abs() / variance.sqrt();
    match as_of_many(errors, runs) {
        errors if errors >= SURE && least >= sure => Confidence::Sure,
        errors if errors >= LIKELY => Confidence::Likely,
        _ => Confidence::Noise,
    }
}

/// The standard errors that are as improbable for many runs as `errors` for so
/// few: Student's t as a normal deviate, by Wallace's approximation.
fn as_of_many(errors: f64, runs: u64) -> f64 {
    let freedom = runs.saturating_sub(2).max(1) as f64;
    let deviate = (freedom * (errors * errors / freedom).ln_1p()).sqrt();
    deviate * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
}

/// How sure it is that a call is new or gone.
fn of_one_side(row: &Change, sides: Sides) -> Confidence {
    let (called, of, other) = match row.called {
        [Some(0), Some(called)] => (called, sides.runs[1], sides.runs[0]),
        [Some(called), Some(0)] => (called, sides.runs[0], sides.runs[1]),
        _ => return Confidence::Unknown,
    };
    if called < MIN_CALLING_RUNS {
        return Confidence::Unknown;
    }
    let share = called as f64 / of.max(called) as f64;
    match (1.0 - share).powf(other as f64) {
        chance if chance < CHANCE_OF_SURE => Confidence::Sure,
        chance if chance < CHANCE_OF_LIKELY => Confidence::Likely,
        _ => Confidence::Noise,
    }
}

/// The standard error of the logarithm of the 95th percentile of so many runs: its rank has a
/// binomial distribution, and the times of its neighbours, `walls`, say how much a rank is.
#[must_use]
pub fn p95_error(runs: u64, walls: &[u64]) -> f64 {
    let most = walls.iter().max().copied().unwrap_or(1).max(1) as f64;
    let least = walls.iter().min().copied().unwrap_or(1).max(1) as f64;
    let ranks = walls.len().saturating_sub(1).max(1) as f64;
    (most / least).ln() / ranks * (runs as f64 * 0.95 * 0.05).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: Sides = Sides {
        runs: [500, 500],
        days: [1, 1],
        error: 0.0,
        enough: [0, 0],
    };

    const NONE: Common = Common {
        change: 0.0,
        error: 0.0,
    };

    fn row(change: f64, error: f64) -> Change {
        Change {
            own_before: 1e6,
            ln_change: Some(change),
            z: Some(change / error),
            ..Change::default()
        }
    }

    #[test]
    fn many_runs_alone_make_nothing_sure() {
        // 20 standard errors of the runs, and yet days differ as much.
        assert_eq!(confidence(&row(0.1, 0.005), NONE, SIDES), Confidence::Noise);
        assert_eq!(
            confidence(&row(0.24, 0.005), NONE, SIDES),
            Confidence::Likely
        );
        assert_eq!(confidence(&row(0.4, 0.005), NONE, SIDES), Confidence::Sure);
        assert_eq!(confidence(&row(0.4, 0.5), NONE, SIDES), Confidence::Noise);
        let week = Sides {
            days: [7, 7],
            ..SIDES
        };
        assert_eq!(confidence(&row(0.2, 0.005), NONE, week), Confidence::Sure);
        // A percentile that is not well known.
        let vague = Sides { error: 0.1, ..week };
        assert_eq!(confidence(&row(0.2, 0.005), NONE, vague), Confidence::Noise);
    }

    #[test]
    fn the_load_that_all_share_is_no_change() {
        let mut rows: Vec<Change> = (0..9).map(|_| row(0.3, 0.01)).collect();
        rows.push(row(0.9, 0.01));
        let common = common(&rows);
        assert!((common.change - 0.3).abs() < 1e-9 && common.error < 1e-9);
        assert_eq!(confidence(&rows[0], common, SIDES), Confidence::Noise);
        assert_eq!(confidence(&rows[9], common, SIDES), Confidence::Sure);
        assert_eq!(super::common(&rows[..2]), NONE);
    }

    #[test]
    fn a_new_call_is_sure_if_the_other_side_had_to_have_it() {
        let new = |called| Change {
            called: [Some(0), Some(called)],
            ..Change::default()
        };
        assert_eq!(confidence(&new(500), NONE, SIDES), Confidence::Sure);
        assert_eq!(confidence(&new(3), NONE, SIDES), Confidence::Unknown);
        let few_before = Sides {
            runs: [20, 500],
            ..SIDES
        };
        // Each 33rd run has it, and there were 20 runs before.
        assert_eq!(confidence(&new(15), NONE, few_before), Confidence::Noise);
        assert_eq!(confidence(&new(200), NONE, few_before), Confidence::Likely);
        let parts_of_days = Change {
            called: [Some(0), None],
            ..new(500)
        };
        assert_eq!(confidence(&parts_of_days, NONE, SIDES), Confidence::Unknown);
    }

    #[test]
    fn one_slow_call_is_not_what_all_have_in_common() {
        // Four of twelve functions are most of the time, and one call of each was slow.
        let mut rows: Vec<Change> = (0..8).map(|_| row(0.0, 0.01)).collect();
        rows.extend((0..4).map(|_| Change {
            own_before: 9e6,
            ..row(-0.5, 0.2)
        }));
        let common = common(&rows);
        assert!((common.change + 0.5).abs() < 1e-9, "{common:?}");
        assert_eq!(confidence(&rows[0], common, SIDES), Confidence::Noise);
    }

    #[test]
    fn few_runs_are_less_sure() {
        // 3.5 and 5 deviates are as improbable as these of Student's t.
        for (freedom, likely, sure) in [(18, 4.28, 7.56), (98, 3.62, 5.35)] {
            assert!((as_of_many(likely, freedom + 2) - LIKELY).abs() < 0.05);
            let found = as_of_many(sure, freedom + 2);
            assert!((found - SURE).abs() < 0.1, "{freedom}: {found}");
        }
        assert!((as_of_many(5.0, 1_000_000) - 5.0).abs() < 1e-3);
        let near = Sides {
            runs: [30, 30],
            enough: [20, 40],
            ..SIDES
        };
        let change = row(0.6, 0.005);
        assert_eq!(confidence(&change, NONE, near), Confidence::Likely);
        let few = Sides {
            runs: [19, 40],
            ..near
        };
        assert_eq!(confidence(&change, NONE, few), Confidence::Unknown);
    }
}
