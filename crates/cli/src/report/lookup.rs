//! Finds functions by the names that users type, or paste from a report.

use anyhow::{Result, bail};
use profile::SymbolId;
use regex::{Regex, RegexBuilder};
use view::Document;

use super::labels::ELLIPSIS;
use crate::suggest::suggestion;
use crate::terminal::printable;

/// The functions that a name refers to.
#[derive(Debug)]
pub(super) enum Found {
    /// One function.
    One(SymbolId),
    /// Several: the user has to choose one.
    Several(Vec<SymbolId>),
}

/// Whether a name is wanted; it gets the name as it is, and in lower case.
type Way<'a> = dyn Fn(&str, &str) -> bool + 'a;

/// The functions that `wanted` stands for, by the first of these ways that
/// finds any:
///
/// 1. the whole name, then that in any case;
/// 2. the end of a name, without its class or namespace;
/// 3. the class, with or without its namespace;
/// 4. the name without the text that follows it after a `#`;
/// 5. a pattern: `*` is any text, and so is the `…` of a shortened name; then
///    the same without the namespace.
pub(super) fn find(document: &Document, wanted: &str) -> Result<Found> {
    let lower = wanted.to_lowercase();
    let [whole, end] = ["^", "^.*\\\\"].map(|before| pattern(before, wanted));
    let is_class = |class: &str| {
        let rest = class.strip_suffix(lower.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('\\'))
    };
    let is_end = |name: &str| {
        let rest = name.strip_suffix(lower.as_str());
        rest.is_some_and(|rest| rest.ends_with("::") || rest.ends_with('\\'))
    };
    let ways: [&Way<'_>; 7] = [
        &|name, _| name == wanted,
        &|_, name| name == lower,
        &|_, name| is_end(name),
        &|_, name| {
            name.split_once("::")
                .is_some_and(|(class, _)| is_class(class))
        },
        &|_, name| {
            let plain = name.split_once('#').map(|(plain, _)| plain);
            plain.is_some_and(|plain| plain == lower || is_end(plain))
        },
        &|name, _| whole.as_ref().is_some_and(|whole| whole.is_match(name)),
        &|name, _| end.as_ref().is_some_and(|end| end.is_match(name)),
    ];
    let names = document.functions().map(|symbol| {
        let name = printable(document.profile().name(symbol));
        let lower = name.to_lowercase();
        (symbol, name, lower)
    });
    let names: Vec<(SymbolId, String, String)> = names.collect();
    for is_wanted in ways {
        let found = names
            .iter()
            .filter(|(_, name, lower)| is_wanted(name, lower));
        let found: Vec<SymbolId> = found.map(|(symbol, ..)| *symbol).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(Found::One(*one)),
            _ => return Ok(Found::Several(found)),
        }
    }
    if whole.is_some() {
        bail!("no function matches {wanted}");
    }
    let known = names.into_iter().map(|(_, name, _)| name);
    bail!(
        "no function is called {wanted}{}",
        suggestion(wanted, known)
    );
}

/// The user's text as a pattern for names that begin with `before`; none if the
/// text has no `*` or `…`.
fn pattern(before: &str, wanted: &str) -> Option<Regex> {
    let is_any = |character| character == '*' || character == ELLIPSIS;
    wanted.contains(is_any).then_some(())?;
    let parts: Vec<String> = wanted.split(is_any).map(regex::escape).collect();
    let mut builder = RegexBuilder::new(&format!("{before}{}$", parts.join(".*")));
    builder.case_insensitive(true).dot_matches_new_line(true);
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Activation, Body, Cost, Edge, EdgeTable, Profile, Symbol};

    const NAMES: [&str; 12] = [
        "main()",
        "PDO::query",
        "PDO::exec",
        "App\\PDO::query",
        "strlen",
        "StrLen",
        "App\\Sniffs\\FooSniff::process",
        "App\\Sniffs\\BarSniff::process",
        "App\\Sniffs\\BarSniff::register",
        "curl_exec#https://one/",
        "curl_exec#https://two/",
        "a*b",
    ];

    fn found(wanted: &str) -> Result<Vec<&'static str>, String> {
        let activation = |number| Activation {
            symbol: SymbolId(number),
            level: 0,
        };
        let edges = (1..).zip(&NAMES[1..]).map(|(number, _)| Edge {
            caller: activation(0),
            callee: activation(number),
            cost: Cost {
                calls: 1,
                ..Cost::default()
            },
        });
        let root = Cost {
            calls: 1,
            ..Cost::default()
        };
        let profile = Profile {
            symbols: NAMES
                .iter()
                .map(|name| Symbol::new(name.as_bytes()))
                .collect(),
            body: Body::Edges(EdgeTable {
                edges: edges.collect(),
                root,
            }),
            ..Profile::empty()
        };
        let name = |symbol: SymbolId| NAMES[symbol.index()];
        match find(&Document::of_costs(profile, vec![]), wanted) {
            Ok(Found::One(symbol)) => Ok(vec![name(symbol)]),
            Ok(Found::Several(symbols)) => Ok(symbols.into_iter().map(name).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn an_exact_name_wins() {
        for name in NAMES {
            assert_eq!(found(name).unwrap(), [name]);
        }
        assert_eq!(found("pdo::QUERY").unwrap(), ["PDO::query"]);
        assert_eq!(found("STRLEN").unwrap(), ["strlen", "StrLen"]);
    }

    #[test]
    fn classes_ends_and_patterns_find_all_that_they_may_mean() {
        let pdo = ["PDO::query", "PDO::exec", "App\\PDO::query"];
        assert_eq!(found("pdo").unwrap(), pdo);
        assert_eq!(found("app\\pdo").unwrap(), ["App\\PDO::query"]);
        assert_eq!(found("PDO::*").unwrap(), pdo[..2]);
        assert_eq!(found("exec").unwrap(), ["PDO::exec"]);
        assert_eq!(found("*sniff::PROCESS").unwrap(), NAMES[6..8]);
        assert_eq!(found("curl_exec").unwrap(), NAMES[9..11]);
    }

    #[test]
    fn a_shortened_name_is_found() {
        assert_eq!(found("…\\FooSniff::process").unwrap(), [NAMES[6]]);
        assert_eq!(found("App\\Sn…ff::register").unwrap(), [NAMES[8]]);
        assert_eq!(found("Ba…gister").unwrap(), [NAMES[8]]);
    }

    #[test]
    fn what_is_not_there_is_said_to_be_missing() {
        let error = found("strlne").unwrap_err();
        assert!(
            error.starts_with("no function is called strlne; did you mean "),
            "{error}"
        );
        assert_eq!(
            found("Nothing::*").unwrap_err(),
            "no function matches Nothing::*"
        );
        // Only whole names match, and a dot is a dot.
        assert!(found("ole*").is_err() && found("*.process").is_err());
    }
}
