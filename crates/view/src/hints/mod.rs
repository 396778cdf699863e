//! Hints: rules over what a profile holds that say where time or memory is
//! likely wasted.
//!
//! `docs/hints.md` describes each rule, its threshold and when it is wrong.
//!
//! **Invariants:** a rule reads exact data only. If the profile does not hold
//! what the rule needs (calls, CPU time, memory, spans), the rule returns
//! nothing. Each hint has its evidence, as numbers that the front end formats.

mod calls;
mod evidence;
mod facts;
mod in_loops;
mod loading;
mod memory;
mod repeated;
mod tools;
mod waiting;

use profile::repeats;
use serde::Serialize;

use crate::Document;
use crate::calls::CallCounts;
pub use evidence::{Evidence, EvidenceUnit, EvidenceValue};
use facts::Facts;

/// What the rules found, those first that would save most.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hints {
    /// The hints.
    pub hints: Vec<Hint>,
}

/// One finding of one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hint {
    /// The rule: its heading in `docs/hints.md`.
    pub id: &'static str,
    /// What was found, in one line.
    pub title: String,
    /// What to do about it.
    pub text: String,
    /// The numbers and names that it was found by.
    pub evidence: Vec<Evidence>,
    /// The number of the function to look at, if there is one.
    pub function: Option<u32>,
    /// The share of the profile's time, 0 to 1, that can be saved at most; of a
    /// memory hint, of the memory's peak. None if what was found distorts the
    /// whole profile.
    pub share: Option<f64>,
}

/// The names of all rules, as hints have them.
pub const RULES: [&str; 12] = [
    tools::SLOW_EXTENSION,
    repeated::N_PLUS_ONE,
    repeated::REPEATED_REQUEST,
    repeated::REPEATED_INCLUDE,
    loading::COMPILATION,
    loading::CLASS_SEARCH,
    calls::MANY_SMALL_CALLS,
    in_loops::SERIALIZATION,
    in_loops::REGULAR_EXPRESSIONS,
    in_loops::ARRAY_MERGE,
    memory::ONE_ALLOCATION,
    waiting::WAITING,
];

impl Document {
    /// What [`Question::Hints`](crate::Question) answers.
    #[must_use]
    pub fn hints(&mut self) -> Hints {
        of_document(self)
    }
}

/// The hints on a document, whose tables are there already.
pub(crate) fn of_document(document: &mut Document) -> Hints {
    let repeats = if document.profile().spans.is_empty() {
        Vec::new()
    } else {
        document.with_whole_profile(repeats)
    };
    let index = document.index();
    let edges;
    let counts = match &index.tree {
        Some(tree) => CallCounts::Tree(tree),
        None => {
            edges = document.profile().edges();
            CallCounts::Edges(&edges)
        }
    };
    of_facts(&Facts::new(
        document.profile(),
        &index.flat,
        counts,
        &repeats,
    ))
}

fn of_facts(facts: &Facts<'_>) -> Hints {
    let rules: [fn(&Facts<'_>) -> Vec<Hint>; 8] = [
        tools::hints,
        repeated::spans,
        repeated::includes,
        loading::hints,
        calls::hints,
        in_loops::hints,
        memory::hints,
        waiting::hints,
    ];
    let mut hints: Vec<Hint> = rules.iter().flat_map(|rule| rule(facts)).collect();
    // The sort is stable: of equal shares, the order of the rules decides.
    let share = |hint: &Hint| hint.share.unwrap_or(f64::INFINITY);
    hints.sort_by(|a, b| share(b).total_cmp(&share(a)));
    Hints { hints }
}
