//! Tells cost that moved from cost that was added.
//!
//! A method that is extracted, inlined or renamed makes one function slower and
//! another one faster by as much. Meta's detector drops such "cost shifts"
//! (D. Y. Yoon et al., `FBDetect`, SOSP 2024); here they are listed
//! apart, with the functions that the cost came from.

use std::collections::BTreeMap;

use crate::attribution::Changes;
use crate::series::{Route, calls};

/// The part of an increase that the decreases must explain.
const EXPLAINED: f64 = 0.8;

/// A function's decrease counts from this many standard errors on.
const MIN_T: f64 = -3.0;

/// The functions that a cost came from; none if it is new.
///
/// `increase` is what `path` added, with its callees if `with_callees`. Each
/// function's t is in `t`, by number.
pub(crate) fn origin(
    route: &Route,
    changes: &Changes,
    path: usize,
    increase: f64,
    with_callees: bool,
    t: &BTreeMap<u32, f64>,
    looks: usize,
) -> Option<Vec<String>> {
    let target = route.paths.get(path)?;
    let class = class_of(route.name_of(target.function));
    let mut decreases: BTreeMap<&str, f64> = BTreeMap::new();
    for (at, other) in route.paths.iter().enumerate() {
        if at == path || other.function == target.function && !with_callees {
            continue;
        }
        let name = route.name_of(other.function);
        let is_sibling = other.parent.is_some() && other.parent == target.parent;
        let is_caller = Some(at) == target.parent.map(|parent| parent as usize);
        let is_callee = other.parent.map(|parent| parent as usize) == Some(path);
        let is_of_class = class.is_some() && class_of(name) == class;
        if !(is_sibling || is_caller || is_callee || is_of_class) {
            continue;
        }
        let is_vanished = route.before(at, calls) > 0.0 && route.after(at, looks, calls) <= 0.0;
        let is_faster = t.get(&other.function).is_some_and(|t| *t <= MIN_T);
        if !is_vanished && !is_faster {
            continue;
        }
        // A sibling that vanished took its callees along.
        let change = if is_vanished && with_callees && is_sibling {
            changes.inclusive(at)
        } else {
            changes.own(at)
        };
        if change < 0.0 {
            *decreases.entry(name).or_default() -= change;
        }
    }
    let sum: f64 = decreases.values().sum();
    if increase <= 0.0 || sum < EXPLAINED * increase {
        return None;
    }
    let mut names: Vec<(&str, f64)> = decreases.into_iter().collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(names.into_iter().map(|(name, _)| name.to_owned()).collect())
}

/// The class of a method, if the function is one.
fn class_of(name: &str) -> Option<&str> {
    name.rsplit_once("::").map(|(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_methods_have_a_class() {
        assert_eq!(class_of("Shop\\Cart::add"), Some("Shop\\Cart"));
        assert_eq!(class_of("strlen"), None);
    }
}
