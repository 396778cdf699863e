//! How sure a change of a function is, in words.
//!
//! The store's standard errors take runs for independent, but runs of one hour
//! share their machine's load, and days differ. So what most functions share is
//! taken out, and the usual difference between days is added to the error.

use store::FunctionChange;

/// How much the mean time of an unchanged function differs from day to day, as a
/// share: what the simulated servers of docs/regressions.md do.
pub(super) const OF_DAYS: f64 = 0.04;

/// Standard errors of a sure and of a likely change.
pub(super) const SURE: f64 = 5.0;
pub(super) const LIKELY: f64 = 3.5;

/// The same for calls that only one side has: the runs that have them, and how
/// probable it is that the other side lacks them by chance.
const ENOUGH: u64 = 10;
const CHANCE_OF_SURE: f64 = 1e-6;
const CHANCE_OF_LIKELY: f64 = 1e-3;

/// How sure a change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confidence {
    Sure,
    Likely,
    Noise,
    /// Too few runs, or parts of days.
    Unknown,
}

impl Confidence {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Likely => "likely",
            Self::Noise => "within noise",
            Self::Unknown => "too few runs",
        }
    }
}

/// What a comparison is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sides {
    /// The runs before and after.
    pub(super) runs: [u64; 2],
    /// The days that have them.
    pub(super) days: [u64; 2],
    /// The standard error of what the functions are parts of, as a logarithm: 0
    /// for the mean, which is their sum.
    pub(super) error: f64,
    /// How many runs of each side a likely change needs, and a sure one.
    pub(super) enough: [u64; 2],
}

/// What the functions have in common: the load of the machines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Common {
    /// The relative change, as a logarithm.
    pub(super) change: f64,
    /// How far that may be off.
    pub(super) error: f64,
}

/// The relative change that most time shares.
pub(super) fn common(rows: &[FunctionChange]) -> Common {
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
#[expect(clippy::cast_precision_loss, reason = "a number of runs or days")]
pub(super) fn confidence(row: &FunctionChange, common: Common, sides: Sides) -> Confidence {
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
    let called = [row.called_before, row.called_after];
    let called = called.iter().zip(sides.runs);
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
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
fn as_of_many(errors: f64, runs: u64) -> f64 {
    let freedom = runs.saturating_sub(2).max(1) as f64;
    let deviate = (freedom * (errors * errors / freedom).ln_1p()).sqrt();
    deviate * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
}

/// How sure it is that a call is new or gone.
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
fn of_one_side(row: &FunctionChange, sides: Sides) -> Confidence {
    let (called, of, other) = match (row.called_before, row.called_after) {
        (Some(0), Some(called)) => (called, sides.runs[1], sides.runs[0]),
        (Some(called), Some(0)) => (called, sides.runs[0], sides.runs[1]),
        _ => return Confidence::Unknown,
    };
    if called < ENOUGH {
        return Confidence::Unknown;
    }
    let share = called as f64 / of.max(called) as f64;
    match (1.0 - share).powf(other as f64) {
        chance if chance < CHANCE_OF_SURE => Confidence::Sure,
        chance if chance < CHANCE_OF_LIKELY => Confidence::Likely,
        _ => Confidence::Noise,
    }
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

    fn row(change: f64, error: f64) -> FunctionChange {
        FunctionChange {
            own_before: 1e6,
            own_after: 1e6 * change.exp(),
            calls_before: 1.0,
            calls_after: 1.0,
            ln_change: Some(change),
            z: Some(change / error),
            ..FunctionChange::default()
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
        let mut rows: Vec<FunctionChange> = (0..9).map(|_| row(0.3, 0.01)).collect();
        rows.push(row(0.9, 0.01));
        let common = common(&rows);
        assert!((common.change - 0.3).abs() < 1e-9 && common.error < 1e-9);
        assert_eq!(confidence(&rows[0], common, SIDES), Confidence::Noise);
        assert_eq!(confidence(&rows[9], common, SIDES), Confidence::Sure);
        assert_eq!(super::common(&rows[..2]), NONE);
    }

    #[test]
    fn a_new_call_is_sure_if_the_other_side_had_to_have_it() {
        let new = |called| FunctionChange {
            calls_after: 1.0,
            called_before: Some(0),
            called_after: Some(called),
            ..FunctionChange::default()
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
        let parts_of_days = FunctionChange {
            called_after: None,
            ..new(500)
        };
        assert_eq!(confidence(&parts_of_days, NONE, SIDES), Confidence::Unknown);
    }

    #[test]
    fn one_slow_call_is_not_what_all_have_in_common() {
        // Four of twelve functions are most of the time, and one call of each was slow.
        let mut rows: Vec<FunctionChange> = (0..8).map(|_| row(0.0, 0.01)).collect();
        rows.extend((0..4).map(|_| FunctionChange {
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
