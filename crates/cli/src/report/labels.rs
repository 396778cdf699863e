//! Shortens names to the available width: namespaces lose their beginning, and
//! two different functions never look the same.
//!
//! The tables of `report`, `diff` and `run` ask for the labels of all rows at
//! once, since only a comparison of all names shows which look the same.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use unicode_width::UnicodeWidthStr;

use crate::terminal::without_middle;

/// Replaces the removed part of a name. If a user pastes such a name, it is
/// looked up as a pattern.
pub(super) const ELLIPSIS: char = '…';

/// The ways to shorten a name, the best first; the last leaves it whole.
const WAYS: [fn(&str, usize) -> Cow<'_, str>; 5] = [
    |name, width| Cow::Owned(without_namespaces(name, width)),
    |name, width| Cow::Owned(without_middle(name, width, 2)),
    |name, width| Cow::Owned(without_middle(name, width, 4)),
    |name, width| Cow::Owned(without_middle(name, width, 0)),
    |name, _| Cow::Borrowed(name),
];

/// A label for each name, in the width of its row. Names whose labels would be
/// equal are shortened in another way, or stay whole if no way distinguishes
/// them.
pub(super) fn labels(names: &[(&str, usize)]) -> Vec<String> {
    let mut ways: HashMap<&str, usize> = HashMap::new();
    loop {
        let labels: Vec<Cow<'_, str>> = names
            .iter()
            .map(|&(name, width)| label(name, width, ways.get(name).copied().unwrap_or(0)))
            .collect();
        let mut owners: HashMap<&str, &str> = HashMap::new();
        let mut alike: HashSet<&str> = HashSet::new();
        for (&(name, _), label) in names.iter().zip(&labels) {
            let owner = *owners.entry(label).or_insert(name);
            if owner != name {
                alike.extend([owner, name]);
            }
        }
        let mut has_changed = false;
        for name in alike {
            let way = ways.entry(name).or_insert(0);
            if *way + 1 < WAYS.len() {
                *way += 1;
                has_changed = true;
            }
        }
        if !has_changed {
            return labels.into_iter().map(Cow::into_owned).collect();
        }
    }
}

fn label(name: &str, width: usize, way: usize) -> Cow<'_, str> {
    if name.width() <= width {
        return Cow::Borrowed(name);
    }
    WAYS[way](name, width)
}

/// `…\Sniffs\Foo::process`: as many of the last namespaces as fit. A name
/// that is too long without a namespace loses its middle.
fn without_namespaces(name: &str, width: usize) -> String {
    // The text after the class may contain namespaces, as in a closure's name.
    let class = name.find("::").unwrap_or(name.len());
    let separators = name.match_indices('\\').map(|(place, _)| place);
    let mut last = 0;
    for separator in separators.take_while(|&place| place < class) {
        let rest = name.get(separator..).unwrap_or_default();
        if rest.width() < width {
            return format!("{ELLIPSIS}{rest}");
        }
        last = separator + 1;
    }
    without_middle(name.get(last..).unwrap_or(name), width, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[&str], width: usize) -> Vec<String> {
        let names: Vec<_> = names.iter().map(|&name| (name, width)).collect();
        labels(&names)
    }

    #[test]
    fn namespaces_go_from_the_left() {
        let name = "Standards\\Generic\\Sniffs\\ScopeIndentSniff::process";
        for (width, label) in [
            (60, name),
            (42, "…\\Generic\\Sniffs\\ScopeIndentSniff::process"),
            (34, "…\\Sniffs\\ScopeIndentSniff::process"),
            (33, "…\\ScopeIndentSniff::process"),
            (27, "…\\ScopeIndentSniff::process"),
            (26, "ScopeIndentSniff::process"),
            (20, "Scope…Sniff::process"),
        ] {
            assert_eq!(all(&[name], width), [label], "{width}");
        }
        // The namespace of a closure is not its class's.
        let closure = "Shop\\Cart::Shop\\{closure}";
        assert_eq!(all(&[closure], 22), ["…\\Cart::Shop\\{closure}"]);
    }

    #[test]
    fn different_functions_never_look_the_same() {
        let classes = [
            "Left\\Some\\Long\\Space\\Class::run",
            "Right\\Some\\Long\\Space\\Class::run",
        ];
        assert_eq!(
            all(&classes, 24),
            ["Left\\Some…\\Class::run", "Right\\…\\Space\\Class::run"]
        );
        let evals = [
            "eval::/srv/shop/lib/gen.php(11) : eval()'d code",
            "eval::/srv/shop/lib/gen.php(12) : eval()'d code",
        ];
        assert_eq!(
            all(&evals, 30),
            [
                "…/gen.php(11) : eval()'d code",
                "…/gen.php(12) : eval()'d code"
            ]
        );
        let middle = |number: usize| format!("aaaaaaaaaaaaaaa{number}aaaaaaaaaaaaaaa::b");
        let names: Vec<String> = (0..10).map(middle).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for width in 1..60 {
            let labels = all(&names, width);
            let different: HashSet<&String> = labels.iter().collect();
            assert_eq!(different.len(), names.len(), "{width}: {labels:?}");
        }
    }

    #[test]
    fn a_function_has_one_label_wherever_there_is_the_same_room() {
        let name = "Some\\Space\\Class::method";
        let labels = labels(&[(name, 40), (name, 18), (name, 18)]);
        assert_eq!(labels, [name, "…\\Class::method", "…\\Class::method"]);
    }
}
