//! A budget: a condition whose names are known and whose units fit, and its
//! verdict on the profiles of a scenario.
//!
//! Counts and sizes are decided by the worst run. Times are decided by the
//! median, or by the mean where the budget names `base` or `noise`: then the
//! spread of both sides decides, and a verdict within the noise is refused.

use std::cmp::Ordering;

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
        let shown = self.shown(value);
        if self.comparison.holds(value, right) {
            return Ok(Verdict::Kept { value: shown });
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
        let amount = self.shown(difference.abs());
        let excess = match difference.total_cmp(&0.0) {
            Ordering::Greater => format!("{amount} more"),
            Ordering::Less => format!("{amount} less"),
            Ordering::Equal => "equal".to_owned(),
        };
        Ok(Verdict::Broken {
            value: shown,
            limit: format!("{} {}", self.comparison.words(), self.shown(right)),
            excess,
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
mod tests;
