//! A budget: a condition whose names are known and whose units fit, and its
//! verdict on the profiles of a scenario.
//!
//! Counts and sizes are decided by the worst run. Times are decided by the
//! median, or by the mean where the budget names `base` or `noise`: then the
//! spread of both sides decides, and a verdict within the noise is refused.
//!
//! Times of functions may be estimates (adaptive timing). Such a limit is broken
//! only if the value exceeds it by more than the margin of the estimate.

use profile::Profile;

use super::culprits::{Culprits, culprits};
use super::facts::Fact;
use super::language::{self, Comparison, Expression, LanguageError, Unit};
use super::statistics::{Noise, largest, mean, median, smallest};
use crate::units;

/// A condition that profiles must meet.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    /// As the user wrote it.
    pub(super) text: String,
    left: Term,
    comparison: Comparison,
    right: Term,
    unit: Unit,
    /// Where the limit is in the text, if it is one number.
    limit: Option<std::ops::Range<usize>>,
}

/// An expression whose names are facts.
#[derive(Debug, Clone)]
enum Term {
    Number(f64),
    Fact(Fact),
    Base,
    Noise,
    Binary(Box<Self>, char, Box<Self>),
}

/// What became of a budget.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    Kept {
        value: String,
    },
    Broken {
        value: String,
        /// `at most 12`
        limit: String,
        /// By how much: `29 more`.
        excess: String,
        culprits: Culprits,
        /// The value, in the budget's unit, for `--update`.
        measured: f64,
    },
    /// It cannot be decided, and why.
    Undecided(String),
}

impl Budget {
    /// Reads a budget.
    pub(super) fn new(text: &str) -> Result<Self, LanguageError> {
        let condition = language::parse(text)?;
        let (left, unit) = term(&condition.left)?;
        if !left.has_fact() {
            let message = "a budget begins with what is measured, such as calls(\"PDO::*\")";
            return Err(LanguageError::new(condition.left.column(), message));
        }
        let Some((comparison, limit)) = condition.right else {
            if matches!(&condition.left, Expression::Name { path, .. } if path == "no_call") {
                return Ok(Self {
                    text: text.to_owned(),
                    left,
                    comparison: Comparison::Equal,
                    right: Term::Number(0.0),
                    unit,
                    limit: None,
                });
            }
            let message = "expected a comparison: <=, <, >=, > or ==";
            return Err(LanguageError::new(text.trim_end().len(), message));
        };
        let (right, right_unit) = any_term(&limit)?;
        // `base` and `noise` have the unit of the left side.
        if let Some(right_unit) = right_unit
            && right_unit != unit
        {
            let message = format!(
                "the left side is {}, this is {}",
                unit.name(),
                right_unit.name()
            );
            return Err(LanguageError::new(limit.column(), message));
        }
        let limit = match &limit {
            Expression::Number { place, .. } => Some(place.clone()),
            _ => None,
        };
        Ok(Self {
            text: text.to_owned(),
            left,
            comparison,
            right,
            unit,
            limit,
        })
    }

    /// Whether it needs the profiles of a base.
    pub(super) fn needs_base(&self) -> bool {
        self.right.uses_base()
    }

    /// The verdict on the runs of a scenario.
    pub(super) fn verdict(&self, runs: &[Profile], base: &[Profile], max_noise: f64) -> Verdict {
        match self.decide(runs, base, max_noise) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Undecided(why),
        }
    }

    fn decide(
        &self,
        runs: &[Profile],
        base: &[Profile],
        max_noise: f64,
    ) -> Result<Verdict, String> {
        let new = self.left.values(runs)?;
        let noise = if self.needs_base() {
            if base.is_empty() {
                return Err("it compares with a base, and there is none: give --base".to_owned());
            }
            Some(Noise::new(self.left.values(base)?, new.clone()))
        } else {
            None
        };
        if let Some(noise) = &noise
            && self.right.uses_noise()
            && self.unit == Unit::Time
        {
            noise.check(max_noise)?;
        }
        let right = self.right.limit(runs, noise.as_ref())?;
        let value = match (self.unit, &noise) {
            (Unit::Time | Unit::Share, Some(_)) => mean(&new),
            (Unit::Time | Unit::Share, None) => median(&new),
            (_, _) => match self.comparison {
                Comparison::AtMost | Comparison::Less => largest(&new),
                Comparison::AtLeast | Comparison::More => smallest(&new),
                Comparison::Equal => {
                    let other = new
                        .iter()
                        .find(|value| !self.comparison.holds(**value, right));
                    *other.unwrap_or(&right)
                }
            },
        };
        let margin = self.left.margin(runs);
        let shown = self.shown_with_margin(value, margin);
        if self.comparison.holds(value, right) {
            return Ok(Verdict::Kept { value: shown });
        }
        if (value - right).abs() <= margin {
            return Ok(Verdict::Kept {
                value: format!("{shown}, so within the margin of the estimate"),
            });
        }
        let worst = new
            .iter()
            .position(|run| run.to_bits() == value.to_bits())
            .unwrap_or_default();
        let fact = self.left.first_fact();
        let culprits = match (fact, runs.get(worst)) {
            (Some(fact), Some(profile)) => {
                let base = base.first().filter(|_| self.needs_base());
                culprits(profile, base, fact)
            }
            _ => Culprits::default(),
        };
        let difference = value - right;
        let excess = if difference > 0.0 { "more" } else { "less" };
        Ok(Verdict::Broken {
            value: shown,
            limit: format!("{} {}", self.comparison.words(), self.shown(right)),
            excess: format!("{} {excess}", self.shown(difference.abs())),
            culprits,
            measured: value,
        })
    }

    /// The limit, if it is one number.
    pub(super) fn limit_value(&self) -> Option<f64> {
        match &self.right {
            Term::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// The same budget with a limit that the value meets; none if its limit is
    /// not one number.
    pub(super) fn with_limit(&self, measured: f64) -> Option<String> {
        let place = self.limit.clone()?;
        let old = self.text.get(place.clone())?;
        let suffix =
            old.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let factor = match language::parse(&format!("calls <= 1{suffix}"))
            .ok()?
            .right?
        {
            (_, Expression::Number { value, .. }) => value,
            _ => return None,
        };
        let scaled = measured / factor;
        let new = if matches!(self.comparison, Comparison::AtMost | Comparison::Less) {
            // "less than" needs one more than what was measured.
            if self.comparison == Comparison::Less {
                scaled.floor() + 1.0
            } else {
                scaled.ceil()
            }
        } else if self.comparison == Comparison::More {
            scaled.ceil() - 1.0
        } else {
            scaled.floor()
        };
        let mut text = self.text.clone();
        text.replace_range(place, &format!("{new}{suffix}"));
        Some(text)
    }

    fn shown(&self, value: f64) -> String {
        shown(self.unit, value)
    }

    fn shown_with_margin(&self, value: f64, margin: f64) -> String {
        let value = self.shown(value);
        if margin > 0.0 {
            format!("{value} ± {}", self.shown(margin))
        } else {
            value
        }
    }
}

/// A value with its unit.
fn shown(unit: Unit, value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "shown to people; saturates"
    )]
    let whole = value.round() as i64;
    let text = match unit {
        Unit::Count if value.fract() == 0.0 => units::count(whole.unsigned_abs()),
        Unit::Count => format!("{value:.1}"),
        Unit::Time => units::time(whole),
        Unit::Bytes => units::size(whole),
        Unit::Share => units::percent(value * 100.0),
    };
    text.trim_end().to_owned()
}

/// The term of an expression with a unit that is known.
fn term(expression: &Expression) -> Result<(Term, Unit), LanguageError> {
    let (term, unit) = any_term(expression)?;
    match unit {
        Some(unit) => Ok((term, unit)),
        None => Err(LanguageError::new(
            expression.column(),
            "base and noise are for the right side",
        )),
    }
}

fn any_term(expression: &Expression) -> Result<(Term, Option<Unit>), LanguageError> {
    match expression {
        Expression::Number { value, unit, .. } => Ok((Term::Number(*value), Some(*unit))),
        Expression::Name {
            path,
            arguments,
            column,
        } => match (path.as_str(), arguments) {
            ("base", None) => Ok((Term::Base, None)),
            ("noise", None) => Ok((Term::Noise, None)),
            _ => {
                let (fact, unit) = Fact::new(path, arguments.as_deref(), *column)?;
                Ok((Term::Fact(fact), Some(unit)))
            }
        },
        Expression::Binary {
            left,
            operator,
            right,
            column,
        } => {
            let (left_term, left_unit) = any_term(left)?;
            let (right_term, right_unit) = any_term(right)?;
            let is_product = matches!(operator, '*' | '/');
            let unit = match (left_unit, right_unit) {
                (unit, Some(Unit::Count)) if is_product => unit,
                (Some(Unit::Count), unit) if *operator == '*' => unit,
                _ if is_product => {
                    return Err(LanguageError::new(
                        *column,
                        "one side of * and / is a plain number",
                    ));
                }
                (Some(left), Some(right)) if left != right => {
                    let message = format!("{} and {} do not add up", left.name(), right.name());
                    return Err(LanguageError::new(*column, message));
                }
                (left, right) => left.or(right),
            };
            Ok((
                Term::Binary(Box::new(left_term), *operator, Box::new(right_term)),
                unit,
            ))
        }
    }
}

impl Term {
    fn has_fact(&self) -> bool {
        self.first_fact().is_some()
    }

    fn first_fact(&self) -> Option<&Fact> {
        match self {
            Self::Fact(fact) => Some(fact),
            Self::Binary(left, _, right) => left.first_fact().or_else(|| right.first_fact()),
            _ => None,
        }
    }

    fn uses_noise(&self) -> bool {
        match self {
            Self::Noise => true,
            Self::Binary(left, _, right) => left.uses_noise() || right.uses_noise(),
            _ => false,
        }
    }

    fn uses_base(&self) -> bool {
        match self {
            Self::Base | Self::Noise => true,
            Self::Binary(left, _, right) => left.uses_base() || right.uses_base(),
            _ => false,
        }
    }

    /// The value of each run.
    fn values(&self, runs: &[Profile]) -> Result<Vec<f64>, String> {
        runs.iter()
            .map(|run| self.value(&|fact| fact.value(run), None))
            .collect()
    }

    /// Half the width of the 95 % interval of the value of a run, if it is an
    /// estimate: that of the run whose is largest.
    fn margin(&self, runs: &[Profile]) -> f64 {
        let variances = runs.iter().map(|run| self.variance(run));
        1.96 * variances.fold(0.0, f64::max).sqrt()
    }

    /// The variance of the value of a run: errors are independent.
    fn variance(&self, run: &Profile) -> f64 {
        let scaled = |term: &Self, by: &Self, is_division: bool| {
            let factor = by.value(&|fact| fact.value(run), None).unwrap_or(1.0);
            let factor = if is_division { factor.recip() } else { factor };
            let variance = term.variance(run) * factor * factor;
            if variance.is_finite() { variance } else { 0.0 }
        };
        match self {
            Self::Fact(fact) => fact.variance(run),
            Self::Binary(left, '*', right) => {
                scaled(left, right, false) + scaled(right, left, false)
            }
            Self::Binary(left, '/', right) => scaled(left, right, true),
            Self::Binary(left, _, right) => left.variance(run) + right.variance(run),
            _ => 0.0,
        }
    }

    /// A value for the right side: facts are means over the runs.
    fn limit(&self, runs: &[Profile], noise: Option<&Noise>) -> Result<f64, String> {
        let of_fact = |fact: &Fact| {
            let values: Result<Vec<f64>, String> = runs.iter().map(|run| fact.value(run)).collect();
            Ok(mean(&values?))
        };
        self.value(&of_fact, noise)
    }

    fn value(
        &self,
        of_fact: &dyn Fn(&Fact) -> Result<f64, String>,
        noise: Option<&Noise>,
    ) -> Result<f64, String> {
        Ok(match self {
            Self::Number(value) => *value,
            Self::Fact(fact) => of_fact(fact)?,
            Self::Base => noise.map_or(0.0, Noise::base),
            Self::Noise => noise.map_or(0.0, Noise::width),
            Self::Binary(left, operator, right) => {
                let (left, right) = (left.value(of_fact, noise)?, right.value(of_fact, noise)?);
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ if right == 0.0 => return Err("it divides by zero".to_owned()),
                    _ => left / right,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use profile::{Activation, Cost, Edge, EdgeTable, Estimate, Symbol, SymbolId, Variance};

    use super::*;

    /// A profile in which `main()` calls `f` so many times, in so many
    /// nanoseconds.
    fn profile(calls: u64, wall: u64) -> Profile {
        let mut profile = Profile::empty();
        profile.symbols.push(Symbol::new(&b"f"[..]));
        let cost = Cost {
            calls,
            wall,
            ..Cost::default()
        };
        let root = Cost {
            calls: 1,
            wall,
            ..Cost::default()
        };
        let activation = |symbol| Activation {
            symbol: SymbolId(symbol),
            level: 0,
        };
        let edge = Edge {
            caller: activation(0),
            callee: activation(1),
            cost,
        };
        profile.body = profile::Body::Edges(EdgeTable {
            edges: vec![edge],
            root,
            ..EdgeTable::default()
        });
        profile.metrics.calls = true;
        profile
    }

    fn verdict(budget: &str, runs: &[Profile], base: &[Profile]) -> Verdict {
        Budget::new(budget).unwrap().verdict(runs, base, 0.1)
    }

    fn is_kept(budget: &str, runs: &[Profile], base: &[Profile]) -> bool {
        matches!(verdict(budget, runs, base), Verdict::Kept { .. })
    }

    #[test]
    fn the_worst_run_decides_a_count_and_the_median_a_time() {
        let runs = [profile(3, 10), profile(5, 1_000), profile(4, 20)];
        assert!(is_kept("calls(\"f\") <= 5", &runs, &[]));
        assert!(!is_kept("calls(\"f\") <= 4", &runs, &[]));
        assert!(is_kept("calls(\"f\") >= 3", &runs, &[]));
        assert!(!is_kept("calls(\"f\") == 3", &runs, &[]));
        assert!(is_kept("wall <= 20ns", &runs, &[]));
        assert!(!is_kept("wall < 20ns", &runs, &[]));
        assert!(is_kept("no_call(\"g\")", &runs, &[]));
        assert!(!is_kept("no_call(\"g\", \"F\")", &runs, &[]));
        assert!(is_kept("calls(\"f\") <= calls * 2", &runs, &[]));
    }

    /// 1,000 ± 100 ns by itself, of 10,000 ns.
    #[test]
    fn an_estimate_breaks_a_limit_only_beyond_its_margin() {
        let mut run = profile(500, 1_000);
        if let profile::Body::Edges(table) = &mut run.body {
            table.root.wall = 10_000;
            let variance = Variance::of_standard_errors(51, 0, 0, 0);
            let estimate = Estimate::new(500, 20, variance);
            table.estimates = [(0_u32, estimate)].into_iter().collect();
        }
        let runs = [run];
        for (budget, is_broken) in [
            ("self.wall(\"f\") <= 1000ns", false),
            ("self.wall(\"f\") <= 901ns", false),
            ("self.wall(\"f\") <= 899ns", true),
            ("self.wall(\"f\") >= 1099ns", false),
            ("self.wall(\"f\") >= 1101ns", true),
            ("incl.wall(\"f\") <= 901ns", false),
            ("self.wall_share(\"f\") <= 0.0901", false),
            ("self.wall_share(\"f\") <= 0.0899", true),
            ("self.wall(\"f\") * 2 <= 1801ns", false),
            ("self.wall(\"f\") * 2 <= 1799ns", true),
            // What main() does by itself has the same error.
            ("self.wall(\"main()\") <= 8901ns", false),
            ("self.wall(\"main()\") <= 8899ns", true),
            // The whole and counts are measured.
            ("wall <= 9999ns", true),
            ("calls(\"f\") <= 499", true),
        ] {
            let verdict = verdict(budget, &runs, &[]);
            let found = matches!(verdict, Verdict::Broken { .. });
            assert_eq!(found, is_broken, "{budget}: {verdict:?}");
        }
        let Verdict::Kept { value } = verdict("self.wall(\"f\") <= 950ns", &runs, &[]) else {
            panic!("broken by chance")
        };
        assert_eq!(
            value,
            "1.00 µs ± 100 ns, so within the margin of the estimate"
        );
        let Verdict::Broken { value, .. } = verdict("self.wall(\"f\") <= 500ns", &runs, &[]) else {
            panic!("kept")
        };
        assert_eq!(value, "1.00 µs ± 100 ns");
    }

    #[test]
    fn a_broken_budget_says_by_how_much() {
        let Verdict::Broken {
            value,
            limit,
            excess,
            ..
        } = verdict("calls(*) <= 3", &[profile(5, 1)], &[])
        else {
            panic!("kept")
        };
        assert_eq!([value, limit, excess], ["5", "at most 3", "2 more"]);
    }

    #[test]
    fn times_against_a_base_need_runs_that_agree() {
        let times = |walls: &[u64]| {
            walls
                .iter()
                .map(|wall| profile(1, *wall))
                .collect::<Vec<_>>()
        };
        let base = times(&[1_000, 1_010, 990, 1_005]);
        assert!(is_kept(
            "wall <= base + noise",
            &times(&[1_001, 1_008, 995]),
            &base
        ));
        let slower = verdict(
            "wall <= base + noise",
            &times(&[1_200, 1_210, 1_190]),
            &base,
        );
        assert!(matches!(slower, Verdict::Broken { .. }), "{slower:?}");
        let Verdict::Undecided(why) = verdict("wall <= base + noise", &times(&[1_000]), &base)
        else {
            panic!("decided by one run")
        };
        assert!(why.contains("3 runs"), "{why}");
        let Verdict::Undecided(why) =
            verdict("wall <= base + noise", &times(&[500, 1_000, 1_700]), &base)
        else {
            panic!("decided by runs that differ by a factor")
        };
        assert!(
            why.contains("too noisy") && why.contains("runs a side would do"),
            "{why}"
        );
        let Verdict::Undecided(why) = verdict("calls(*) <= base", &times(&[1]), &[]) else {
            panic!("decided without a base")
        };
        assert!(why.contains("--base"), "{why}");
        assert!(is_kept("calls(*) <= base", &times(&[1]), &times(&[9])));
    }

    #[test]
    fn units_must_fit_and_the_error_points_there() {
        let error = |text: &str| Budget::new(text).unwrap_err();
        assert_eq!(error("wall <= 5").column, 8);
        assert_eq!(
            error("calls <= 5ms").message,
            "the left side is a count, this is a time, such as 20ms"
        );
        assert_eq!(error("wall <= base + 5").column, 8);
        assert_eq!(
            error("base <= 5").message,
            "base and noise are for the right side"
        );
        assert_eq!(error("5 <= calls").column, 0);
        assert_eq!(error("calls(\"f\")").column, 10);
        assert_eq!(error("wall * wall <= 5ms").column, 5);
    }

    #[test]
    fn a_new_limit_keeps_the_unit() {
        let budget = |text: &str| Budget::new(text).unwrap();
        assert_eq!(
            budget("calls(*) <= 12").with_limit(41.0).unwrap(),
            "calls(*) <= 41"
        );
        assert_eq!(
            budget("memory.peak <= 32MB")
                .with_limit(40_500_000.0)
                .unwrap(),
            "memory.peak <= 41MB"
        );
        assert_eq!(
            budget("calls(*) < 12").with_limit(41.0).unwrap(),
            "calls(*) < 42"
        );
        assert_eq!(
            budget("calls(*) >= 12").with_limit(3.0).unwrap(),
            "calls(*) >= 3"
        );
        assert_eq!(budget("wall <= base").with_limit(3.0), None);
    }
}
