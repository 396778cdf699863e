//! A figure before and now.

use serde::Serialize;
use utoipa::ToSchema;

/// The fewest runs of each side from which a change is judged.
pub(super) const MIN_RUNS: u64 = 30;

/// The smallest relative change of a mean or a median that is said. Higher percentiles vary more.
pub(super) const LEAST: f64 = 0.05;
pub(super) const LEAST_P95: f64 = 0.10;
pub(super) const LEAST_P99: f64 = 0.20;

/// The standard errors of a change of a share that is said.
const LEAST_ERRORS: f64 = 3.0;

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// It costs less.
    Better,
    /// It costs more.
    Worse,
    /// The change is small, or may be chance.
    Same,
    /// A side has fewer than 30 runs, or no such figure.
    Unknown,
}

/// A figure before and now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Compared {
    /// Before; none if it is not known.
    pub(super) before: Option<f64>,
    /// Now.
    pub(super) now: Option<f64>,
    /// The relative change: 0.1 is 10 % more. None if nothing was before.
    pub(super) change: Option<f64>,
    /// What it means; none if more is neither better nor worse.
    pub(super) verdict: Option<Verdict>,
}

impl Compared {
    /// A share of runs, of which less is better: so many runs have it, of so many.
    pub(super) fn share(having: [u64; 2], runs: [u64; 2]) -> Self {
        let [before, now] = [0, 1].map(|side| part(having[side], runs[side]));
        let compared = Self::cost(before, now, runs, 0.0);
        let whole = part(having[0] + having[1], runs[0] + runs[1]).unwrap_or(0.0);
        let of_side = |runs: u64| 1.0 / float(runs.max(1));
        let error = (whole * (1.0 - whole) * (of_side(runs[0]) + of_side(runs[1]))).sqrt();
        let change = now.unwrap_or(0.0) - before.unwrap_or(0.0);
        let is_judged = compared.verdict != Some(Verdict::Unknown);
        match is_judged && change.abs() < LEAST_ERRORS * error {
            true => Self {
                verdict: Some(Verdict::Same),
                ..compared
            },
            false => compared,
        }
    }

    /// A cost, of which less is better. A relative change from `least` on is said.
    pub(super) fn cost(before: Option<f64>, now: Option<f64>, runs: [u64; 2], least: f64) -> Self {
        let compared = Self::amount(before, now);
        let is_known = runs.iter().all(|runs| *runs >= MIN_RUNS);
        let verdict = match (before, now, compared.change) {
            (Some(_), Some(_), _) if !is_known => Verdict::Unknown,
            (Some(_), Some(now), None) if now > 0.0 => Verdict::Worse,
            (Some(_), Some(_), None) => Verdict::Same,
            (_, _, Some(change)) if change > 0.0 && change >= least => Verdict::Worse,
            (_, _, Some(change)) if change < 0.0 && change <= -least => Verdict::Better,
            (_, _, Some(_)) => Verdict::Same,
            _ => Verdict::Unknown,
        };
        Self {
            verdict: Some(verdict),
            ..compared
        }
    }

    /// An amount, such as the number of requests.
    pub(super) fn amount(before: Option<f64>, now: Option<f64>) -> Self {
        let change = match (before, now) {
            (Some(before), Some(now)) if before > 0.0 => Some(now / before - 1.0),
            _ => None,
        };
        Self {
            before,
            now,
            change,
            verdict: None,
        }
    }
}

/// A whole number as a figure.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn float(value: u64) -> f64 {
    value as f64
}

/// A part of a whole; none if there is nothing.
pub(super) fn part(of: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| float(of) / float(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_many_runs_has_a_verdict() {
        let of = |before, now, runs| {
            let compared = Compared::cost(before, now, runs, LEAST);
            (compared.change, compared.verdict.unwrap())
        };
        let many = [30, 30];
        assert_eq!(of(Some(2.0), Some(3.0), many), (Some(0.5), Verdict::Worse));
        assert_eq!(
            of(Some(4.0), Some(3.0), many),
            (Some(-0.25), Verdict::Better)
        );
        assert_eq!(of(Some(100.0), Some(104.0), many).1, Verdict::Same);
        assert_eq!(of(Some(0.0), Some(1.0), many), (None, Verdict::Worse));
        assert_eq!(of(Some(0.0), Some(0.0), many), (None, Verdict::Same));
        assert_eq!(of(None, Some(1.0), many), (None, Verdict::Unknown));
        assert_eq!(of(Some(2.0), Some(9.0), [29, 30]).1, Verdict::Unknown);
        assert_eq!(Compared::amount(Some(2.0), Some(9.0)).verdict, None);
    }

    #[test]
    fn a_share_of_few_runs_may_be_chance() {
        let of = |having, runs| Compared::share(having, runs).verdict.unwrap();
        assert_eq!(of([3, 6], [689, 634]), Verdict::Same);
        assert_eq!(of([3, 60], [689, 634]), Verdict::Worse);
        assert_eq!(of([60, 3], [689, 634]), Verdict::Better);
        assert_eq!(of([0, 0], [689, 634]), Verdict::Same);
        assert_eq!(of([0, 9], [10, 10]), Verdict::Unknown);
    }
}
