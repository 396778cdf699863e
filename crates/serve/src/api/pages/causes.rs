//! Which call is the cause when a function is called more often, or for the first time.
//!
//! A function may be called more often because its caller is. So the search goes up from caller to caller, as long as
//! the caller's own calls explain the change; the call at which they do not is the cause.

use std::collections::HashMap;

use profile::Profile;
use serde::Serialize;
use store::Aggregate;
use utoipa::ToSchema;

/// The part of a change that the calls of the caller must explain.
const EXPLAINED: f64 = 0.5;

/// The most callers that are looked at.
const MAX_DEPTH: usize = 200;

/// A call that is made more or less often by its caller, and what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Cause {
    /// The caller; its own calls did not change as much.
    pub(super) caller: String,
    /// The function that it calls more or less often.
    pub(super) function: String,
    /// These calls in a run before.
    pub(super) calls_before: f64,
    /// These calls in a run after: 0 before is a new call, 0 after is one that is gone.
    pub(super) calls_after: f64,
    /// What they add to a run, callees included, in nanoseconds.
    pub(super) change: f64,
    /// The functions whose change follows from it, those with the largest first.
    pub(super) functions: Vec<String>,
}

/// The calls and the time of a run.
#[derive(Debug, Clone, Copy, Default)]
struct PerRun {
    calls: f64,
    wall: f64,
}

/// The calls of a run on one side, by caller and callee.
#[derive(Debug, Default)]
pub(super) struct Calls {
    edges: HashMap<(String, String), PerRun>,
    functions: HashMap<String, f64>,
}

impl Calls {
    /// Those of an average run.
    pub(super) fn of(sum: &Aggregate) -> Self {
        let weighted = sum.profile.meta.tag("runs");
        let runs = weighted.and_then(|runs| runs.parse::<u64>().ok());
        Self::of_profile(&sum.profile, runs.unwrap_or(sum.runs))
    }

    fn of_profile(profile: &Profile, runs: u64) -> Self {
        let runs = super::compared::float(runs.max(1));
        let name = |symbol| String::from_utf8_lossy(profile.name(symbol)).into_owned();
        let mut calls = Self::default();
        let table = profile.edges();
        for edge in &table.edges {
            // Recursion is no cause: the outer call is.
            if edge.caller.symbol == edge.callee.symbol {
                continue;
            }
            let per_run = PerRun {
                calls: super::compared::float(edge.cost.calls) / runs,
                wall: super::compared::float(edge.cost.wall) / runs,
            };
            let (caller, callee) = (name(edge.caller.symbol), name(edge.callee.symbol));
            *calls.functions.entry(callee.clone()).or_default() += per_run.calls;
            let sum = calls.edges.entry((caller, callee)).or_default();
            sum.calls += per_run.calls;
            sum.wall += per_run.wall;
        }
        calls
    }

    fn edge(&self, caller: &str, callee: &str) -> PerRun {
        let key = (caller.to_owned(), callee.to_owned());
        self.edges.get(&key).copied().unwrap_or_default()
    }

    fn of_function(&self, name: &str) -> f64 {
        self.functions.get(name).copied().unwrap_or(0.0)
    }
}

/// The calls before and after.
pub(super) struct BothCalls {
    before: Calls,
    after: Calls,
    /// The callers of each function.
    callers: HashMap<String, Vec<String>>,
}

impl BothCalls {
    pub(super) fn new(before: Calls, after: Calls) -> Self {
        let mut callers: HashMap<String, Vec<String>> = HashMap::new();
        for (caller, callee) in before.edges.keys().chain(after.edges.keys()) {
            let known = callers.entry(callee.clone()).or_default();
            if !known.contains(caller) {
                known.push(caller.clone());
            }
        }
        Self {
            before,
            after,
            callers,
        }
    }

    /// The cause of the change of a function's calls; none if its calls did not change.
    pub(super) fn cause(&self, function: &str) -> Option<Cause> {
        let change = self.after.of_function(function) - self.before.of_function(function);
        if change == 0.0 {
            return None;
        }
        // What has fewer calls is searched for from the other side.
        let (low, high) = match change > 0.0 {
            true => (&self.before, &self.after),
            false => (&self.after, &self.before),
        };
        let mut at = function.to_owned();
        let mut seen = vec![at.clone()];
        for _ in 0..MAX_DEPTH {
            let caller = self.largest(&at, low, high)?;
            let (old, new) = (low.edge(&caller, &at), high.edge(&caller, &at));
            let [low_calls, high_calls] = [low, high].map(|side| side.of_function(&caller));
            // As many calls as before for each call of the caller.
            let expected = if low_calls > 0.0 {
                old.calls / low_calls * (high_calls - low_calls)
            } else {
                // The caller is new itself; the root has no calls.
                if high_calls > 0.0 { new.calls } else { 0.0 }
            };
            if expected < EXPLAINED * (new.calls - old.calls) || seen.contains(&caller) {
                return Some(self.found(caller, at));
            }
            seen.push(caller.clone());
            at = caller;
        }
        None
    }

    fn found(&self, caller: String, function: String) -> Cause {
        let before = self.before.edge(&caller, &function);
        let after = self.after.edge(&caller, &function);
        Cause {
            caller,
            function,
            calls_before: before.calls,
            calls_after: after.calls,
            change: after.wall - before.wall,
            functions: Vec::new(),
        }
    }

    /// The caller whose calls of a function changed most.
    fn largest(&self, function: &str, low: &Calls, high: &Calls) -> Option<String> {
        let added =
            |caller: &String| high.edge(caller, function).calls - low.edge(caller, function).calls;
        let callers = self.callers.get(function)?.iter();
        let largest = callers.max_by(|one, other| {
            let by_calls = added(one).total_cmp(&added(other));
            by_calls.then_with(|| other.cmp(one))
        });
        largest.filter(|caller| added(caller) > 0.0).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(edges: &[(&str, &str, f64, f64)]) -> Calls {
        let mut all = Calls::default();
        for (caller, callee, calls, wall) in edges {
            let key = ((*caller).to_owned(), (*callee).to_owned());
            let (calls, wall) = (*calls, *wall);
            all.edges.insert(key, PerRun { calls, wall });
            *all.functions.entry((*callee).to_owned()).or_default() += calls;
        }
        all
    }

    #[test]
    fn a_new_caller_is_the_cause_of_its_callees_calls() {
        let before = calls(&[
            ("main()", "page", 1.0, 90.0),
            ("page", "PDO::query", 3.0, 30.0),
        ]);
        let after = calls(&[
            ("main()", "page", 1.0, 190.0),
            ("page", "PDO::query", 3.0, 30.0),
            ("page", "reviews", 1.0, 100.0),
            ("reviews", "review", 5.0, 95.0),
            ("review", "PDO::query", 10.0, 90.0),
        ]);
        let both = BothCalls::new(before, after);
        let cause = both.cause("PDO::query").unwrap();
        assert_eq!(
            (cause.caller.as_str(), cause.function.as_str()),
            ("page", "reviews")
        );
        assert_eq!((cause.calls_before, cause.calls_after), (0.0, 1.0));
        assert_eq!(cause.change, 100.0);
        assert_eq!(both.cause("review").unwrap(), cause);
        assert_eq!(both.cause("page"), None);
    }

    #[test]
    fn a_call_that_is_made_more_often_by_each_call_of_its_caller_is_the_cause() {
        let before = calls(&[("main()", "list", 1.0, 50.0), ("list", "item", 10.0, 40.0)]);
        let after = calls(&[
            ("main()", "list", 1.0, 450.0),
            ("list", "item", 100.0, 440.0),
        ]);
        let cause = BothCalls::new(before, after).cause("item").unwrap();
        assert_eq!(
            (cause.caller.as_str(), cause.function.as_str()),
            ("list", "item")
        );
        assert_eq!(cause.change, 400.0);
    }

    #[test]
    fn a_call_that_is_gone_has_a_cause_as_well() {
        let with = [
            ("main()", "a", 1.0, 9.0),
            ("a", "b", 2.0, 8.0),
            ("main()", "c", 1.0, 1.0),
        ];
        let both = BothCalls::new(calls(&with), calls(&with[2..]));
        let cause = both.cause("b").unwrap();
        assert_eq!(
            (cause.caller.as_str(), cause.function.as_str()),
            ("main()", "a")
        );
        assert_eq!(
            (cause.calls_before, cause.calls_after, cause.change),
            (1.0, 0.0, -9.0)
        );
    }

    #[test]
    fn functions_that_call_each_other_end_the_search() {
        let before = calls(&[("a", "b", 1.0, 1.0), ("b", "a", 1.0, 1.0)]);
        let after = calls(&[("a", "b", 2.0, 2.0), ("b", "a", 2.0, 2.0)]);
        assert!(BothCalls::new(before, after).cause("a").is_some());
    }
}
