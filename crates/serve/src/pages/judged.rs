//! How sure a change of a function is, in words.
//!
//! The store's standard errors take runs for independent, but runs of one hour
//! share their machine's load, and days differ. So what most functions share is
//! taken out, and the usual difference between days is added to the error.

use store::FunctionChange;

/// How much the mean time of an unchanged function differs from day to day, as a
/// share: what the simulated servers of docs/regressions.md do.
const OF_DAYS: f64 = 0.04;

/// Standard errors of a sure and of a likely change.
const SURE: f64 = 5.0;
const LIKELY: f64 = 3.5;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    /// The runs before and after.
    pub(super) runs: [u64; 2],
    /// The days that have them.
    pub(super) days: [u64; 2],
}

/// The relative change that most time shares: the load of the machines. As a
/// logarithm.
pub(super) fn common(rows: &[FunctionChange]) -> f64 {
    let mut known: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.ln_change?, row.own_before.max(0.0))))
        .collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = known.iter().map(|row| row.1).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let middle = known.iter().find(|row| {
        sum += row.1;
        sum >= half
    });
    // One function that is most of the time says nothing of the others.
    let most = known.iter().map(|row| row.1).fold(0.0, f64::max);
    if known.len() < 5 || most > half {
        return 0.0;
    }
    middle.map_or(0.0, |row| row.0)
}

/// How sure the change of a function is.
#[expect(clippy::cast_precision_loss, reason = "a number of days")]
pub(super) fn confidence(row: &FunctionChange, common: f64, sides: Sides) -> Confidence {
    let (Some(z), Some(change)) = (row.z, row.ln_change) else {
        return of_one_side(row, sides);
    };
    let error = if z == 0.0 { 0.0 } else { change / z };
    let of_days = sides.days.map(|days| OF_DAYS.powi(2) / days.max(1) as f64);
    let of_days: f64 = of_days.iter().sum();
    match (change - common).abs() / (error * error + of_days).sqrt() {
        t if t >= SURE => Confidence::Sure,
        t if t >= LIKELY => Confidence::Likely,
        _ => Confidence::Noise,
    }
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
        assert_eq!(confidence(&row(0.1, 0.005), 0.0, SIDES), Confidence::Noise);
        assert_eq!(
            confidence(&row(0.24, 0.005), 0.0, SIDES),
            Confidence::Likely
        );
        assert_eq!(confidence(&row(0.4, 0.005), 0.0, SIDES), Confidence::Sure);
        assert_eq!(confidence(&row(0.4, 0.5), 0.0, SIDES), Confidence::Noise);
        let week = Sides {
            days: [7, 7],
            ..SIDES
        };
        assert_eq!(confidence(&row(0.2, 0.005), 0.0, week), Confidence::Sure);
    }

    #[test]
    fn the_load_that_all_share_is_no_change() {
        let mut rows: Vec<FunctionChange> = (0..9).map(|_| row(0.3, 0.01)).collect();
        rows.push(row(0.9, 0.01));
        let common = common(&rows);
        assert!((common - 0.3).abs() < 1e-9);
        assert_eq!(confidence(&rows[0], common, SIDES), Confidence::Noise);
        assert_eq!(confidence(&rows[9], common, SIDES), Confidence::Sure);
        assert!(super::common(&rows[..2]).abs() < 1e-9);
    }

    #[test]
    fn a_new_call_is_sure_if_the_other_side_had_to_have_it() {
        let new = |called| FunctionChange {
            calls_after: 1.0,
            called_before: Some(0),
            called_after: Some(called),
            ..FunctionChange::default()
        };
        assert_eq!(confidence(&new(500), 0.0, SIDES), Confidence::Sure);
        assert_eq!(confidence(&new(3), 0.0, SIDES), Confidence::Unknown);
        let few_before = Sides {
            runs: [20, 500],
            ..SIDES
        };
        // Each 33rd run has it, and there were 20 runs before.
        assert_eq!(confidence(&new(15), 0.0, few_before), Confidence::Noise);
        assert_eq!(confidence(&new(200), 0.0, few_before), Confidence::Likely);
        let parts_of_days = FunctionChange {
            called_after: None,
            ..new(500)
        };
        assert_eq!(confidence(&parts_of_days, 0.0, SIDES), Confidence::Unknown);
    }
}
