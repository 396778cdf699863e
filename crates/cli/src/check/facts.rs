//! What a budget can ask of a profile: the names of the language, their
//! arguments, and their values.
//!
//! **Invariant:** a fact either has an exact answer from the profile, or says
//! why it has none. A cost that was not measured is never zero.

use profile::{Body, FlatRow, FlatTable, Metric, Profile, SpanKind, SymbolId, repeats};
use regex::bytes::{Regex, RegexBuilder};

use super::language::{Argument, LanguageError, Unit};
use crate::suggest::suggestion;

/// Something that a profile can be asked.
#[derive(Debug, Clone)]
pub(super) enum Fact {
    /// The calls of functions, perhaps only below or by others.
    Calls {
        of: Vec<Pattern>,
        under: Option<Pattern>,
        by: Option<Pattern>,
    },
    /// A cost of the whole profile.
    Total(Metric),
    /// The most memory that PHP had.
    Peak,
    Edges,
    Functions,
    /// The cost of functions, with their callees or without; perhaps as a share
    /// of the whole.
    Cost {
        of: Pattern,
        is_own: bool,
        metric: Metric,
        is_share: bool,
    },
    /// What the program waited for.
    Spans {
        kind: Option<SpanKind>,
        asks: SpanQuestion,
    },
}

/// A question about spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanQuestion {
    Count,
    Time,
    /// How often one call made the same statement.
    Repeated,
}

/// A pattern of functions, `PDO::*`: ignores case, as PHP does.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    regex: Regex,
}

impl Pattern {
    fn new(argument: &Argument) -> Result<Self, LanguageError> {
        let text = argument.text.trim_start_matches('\\');
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        let regex = RegexBuilder::new(&format!("^(?:{})$", parts.join(".*")))
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .unicode(false)
            .build();
        // Names are bytes: a text that is not ASCII is compared as it is.
        let regex =
            regex.or_else(|_| RegexBuilder::new(&format!("^(?:{})$", parts.join(".*"))).build());
        let regex =
            regex.map_err(|_| LanguageError::new(argument.column, "this pattern is too large"))?;
        Ok(Self { regex })
    }

    /// Whether a function has such a name. XHProf's arrays have statements
    /// behind it: `PDO::query#SELECT ?`.
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        self.regex.is_match(without_statement(name))
    }
}

fn without_statement(name: &[u8]) -> &[u8] {
    match name.iter().position(|byte| *byte == b'#') {
        Some(end)
            if !name.windows(9).any(|part| part == b"{closure:")
                && !name.starts_with(b"load::") =>
        {
            name.get(..end).unwrap_or(name)
        }
        _ => name,
    }
}

/// The names without parentheses, and those of functions.
const NAMES: &[&str] = &[
    "calls",
    "wall",
    "cpu",
    "memory.peak",
    "memory.growth",
    "edges",
    "functions",
    "self.wall",
    "self.cpu",
    "self.memory",
    "self.wall_share",
    "self.cpu_share",
    "incl.wall",
    "incl.cpu",
    "incl.memory",
    "incl.wall_share",
    "incl.cpu_share",
    "spans.count",
    "spans.time",
    "spans.sql.count",
    "spans.sql.time",
    "spans.sql.repeated",
    "spans.http.count",
    "spans.http.time",
    "spans.http.repeated",
    "spans.redis.count",
    "spans.redis.time",
    "spans.redis.repeated",
    "spans.memcached.count",
    "spans.memcached.time",
    "spans.memcached.repeated",
    "no_call",
];

impl Fact {
    /// The fact of that name, and its unit.
    pub(super) fn new(
        path: &str,
        arguments: Option<&[Argument]>,
        column: usize,
    ) -> Result<(Self, Unit), LanguageError> {
        let unknown = || {
            let near = suggestion(path, NAMES.iter().copied());
            LanguageError::new(column, format!("there is no fact {path}{near}"))
        };
        let parts: Vec<&str> = path.split('.').collect();
        let found = match (parts.as_slice(), arguments) {
            (["calls"], None) => (Self::Total(Metric::Calls), Unit::Count),
            (["calls"], Some(arguments)) => (calls(arguments, column)?, Unit::Count),
            (["no_call"], Some(arguments)) => (none_of(arguments, column)?, Unit::Count),
            (["no_call"], None) => {
                let message = "no_call needs the names of functions: no_call(\"var_dump\")";
                return Err(LanguageError::new(column, message));
            }
            (["wall"], None) => (Self::Total(Metric::Wall), Unit::Time),
            (["cpu"], None) => (Self::Total(Metric::Cpu), Unit::Time),
            (["memory", "peak"], None) => (Self::Peak, Unit::Bytes),
            (["memory", "growth"], None) => (Self::Total(Metric::Memory), Unit::Bytes),
            (["edges"], None) => (Self::Edges, Unit::Count),
            (["functions"], None) => (Self::Functions, Unit::Count),
            ([own @ ("self" | "incl"), cost], Some(arguments)) => {
                let (metric, is_share, unit) = match *cost {
                    "wall" => (Metric::Wall, false, Unit::Time),
                    "cpu" => (Metric::Cpu, false, Unit::Time),
                    "memory" => (Metric::Memory, false, Unit::Bytes),
                    "wall_share" => (Metric::Wall, true, Unit::Share),
                    "cpu_share" => (Metric::Cpu, true, Unit::Share),
                    _ => return Err(unknown()),
                };
                let fact = Self::Cost {
                    of: only_pattern(arguments, column)?,
                    is_own: *own == "self",
                    metric,
                    is_share,
                };
                (fact, unit)
            }
            (["spans", question], None) => spans(None, question).ok_or_else(unknown)?,
            (["spans", kind, question], None) => {
                let kind = match *kind {
                    "sql" => SpanKind::Sql,
                    "http" => SpanKind::Http,
                    "redis" => SpanKind::Redis,
                    "memcached" => SpanKind::Memcached,
                    _ => return Err(unknown()),
                };
                spans(Some(kind), question).ok_or_else(unknown)?
            }
            _ if NAMES.contains(&path) => {
                let message = if arguments.is_some() {
                    format!("{path} is a value: it takes no arguments")
                } else {
                    format!("{path} needs the name of a function: {path}(\"json_encode\")")
                };
                return Err(LanguageError::new(column, message));
            }
            _ => return Err(unknown()),
        };
        Ok(found)
    }

    /// Its value in a profile, or why it has none.
    pub(super) fn value(&self, profile: &Profile) -> Result<f64, String> {
        match self {
            Self::Calls { of, under, by } => {
                let calls = calls_of(profile, of, under.as_ref(), by.as_ref())?;
                Ok(number(calls.into_iter().map(|(_, calls)| calls).sum()))
            }
            Self::Total(Metric::Calls) => {
                needs(profile, Metric::Calls)?;
                // main() is no call of the program's.
                Ok(number(profile.calls().saturating_sub(1)))
            }
            Self::Total(metric) => {
                needs(profile, *metric)?;
                let total = FlatTable::new(profile).total;
                Ok(match metric {
                    Metric::Cpu => number(total.cpu),
                    Metric::Memory => signed(total.memory),
                    _ => number(total.wall),
                })
            }
            Self::Peak => match profile.meta.peak_memory {
                Some(bytes) => Ok(number(bytes)),
                None => Err("the peak of memory is in native files only (*.xhp)".to_owned()),
            },
            Self::Edges => Ok(number(profile::pairs(&profile.edges()).len() as u64)),
            Self::Functions => {
                let rows = FlatTable::new(profile).rows;
                Ok(number(rows.len().saturating_sub(1) as u64))
            }
            Self::Cost {
                of,
                is_own,
                metric,
                is_share,
            } => {
                needs(profile, *metric)?;
                let table = FlatTable::new(profile);
                let rows = table
                    .rows
                    .iter()
                    .filter(|row| of.matches(profile.name(row.symbol)));
                let sum: f64 = rows.map(|row| cost_of(row, *is_own, *metric)).sum();
                if !is_share {
                    return Ok(sum);
                }
                let whole = match metric {
                    Metric::Cpu => number(table.total.cpu),
                    _ => number(table.total.wall),
                };
                Ok(if whole > 0.0 { sum / whole } else { 0.0 })
            }
            Self::Spans { kind, asks } => spans_value(profile, *kind, *asks),
        }
    }
}

/// The cost of a row that a fact asks for.
pub(super) fn cost_of(row: &FlatRow, is_own: bool, metric: Metric) -> f64 {
    match (metric, is_own) {
        (Metric::Cpu, true) => signed(row.own.cpu),
        (Metric::Cpu, false) => number(row.inclusive.cpu),
        (Metric::Memory, true) => signed(row.own.memory),
        (Metric::Memory, false) => signed(row.inclusive.memory),
        (_, true) => signed(row.own.wall),
        (_, false) => number(row.inclusive.wall),
    }
}

/// How often callers called callees.
pub(super) type PairCalls = Vec<((SymbolId, SymbolId), u64)>;

/// The calls of matching functions, by caller and callee, most first.
pub(super) fn calls_of(
    profile: &Profile,
    of: &[Pattern],
    under: Option<&Pattern>,
    by: Option<&Pattern>,
) -> Result<PairCalls, String> {
    needs(profile, Metric::Calls)?;
    let is_of: Vec<bool> = names(profile, |name| {
        of.iter().any(|pattern| pattern.matches(name))
    });
    let is_by = names(profile, |name| {
        by.is_none_or(|pattern| pattern.matches(name))
    });
    // A reader has checked the numbers of symbols and nodes.
    let at = |list: &[bool], symbol: SymbolId| list[symbol.index()];
    let is_wanted =
        |caller, callee| callee != SymbolId::ROOT && at(&is_of, callee) && at(&is_by, caller);
    let mut sums = std::collections::HashMap::new();
    if let Some(under) = under {
        let Some(tree) = profile.tree() else {
            return Err("under: needs whole paths; record with --mode tree, or use by:".to_owned());
        };
        let is_under = names(profile, |name| under.matches(name));
        // Parents come before their children.
        let mut below = vec![false; tree.nodes.len()];
        for (index, node) in tree.nodes.iter().enumerate().skip(1) {
            let parent_symbol = tree.nodes[node.parent.index()].symbol;
            let is_below = below[node.parent.index()] || at(&is_under, parent_symbol);
            below[index] = is_below;
            if is_below && is_wanted(parent_symbol, node.symbol) {
                *sums.entry((parent_symbol, node.symbol)).or_insert(0) += node.cost.calls;
            }
        }
    } else {
        for pair in profile::pairs(&profile.edges()) {
            if is_wanted(pair.caller, pair.callee) {
                *sums.entry((pair.caller, pair.callee)).or_insert(0) += pair.cost.calls;
            }
        }
    }
    let mut calls: Vec<_> = sums.into_iter().collect();
    calls.sort_unstable_by_key(|&((caller, callee), calls)| {
        (std::cmp::Reverse(calls), caller, callee)
    });
    Ok(calls)
}

fn names(profile: &Profile, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<bool> {
    profile
        .symbols
        .iter()
        .map(|symbol| is_wanted(&symbol.name))
        .collect()
}

fn needs(profile: &Profile, metric: Metric) -> Result<(), String> {
    if matches!(profile.body, Body::Samples(_)) && metric == Metric::Calls {
        return Err("calls are not counted in samples; record with --mode tree".to_owned());
    }
    if metric.is_in(profile.metrics) {
        Ok(())
    } else {
        Err(match metric {
            Metric::Cpu => "CPU time was not measured; record with the flag cpu",
            Metric::Memory | Metric::Peak => "memory was not measured; record with the flag memory",
            _ => "calls were not counted",
        }
        .to_owned())
    }
}

fn spans_value(
    profile: &Profile,
    kind: Option<SpanKind>,
    asks: SpanQuestion,
) -> Result<f64, String> {
    let of_kind = || {
        profile
            .spans
            .list
            .iter()
            .filter(move |span| kind.is_none_or(|kind| span.kind == kind))
    };
    if profile.spans.is_empty() && has_statements(profile) {
        return Err("statements were not recorded: xhprof.flags (--flags of run) needs sql, and the file must be a native one".to_owned());
    }
    if profile.spans.left_out.count > 0 {
        return Err("a limit left spans out, so they cannot be counted".to_owned());
    }
    Ok(match asks {
        SpanQuestion::Count => number(of_kind().count() as u64),
        SpanQuestion::Time => number(of_kind().map(|span| span.duration).sum()),
        SpanQuestion::Repeated => {
            let repeats = repeats(profile).into_iter();
            let repeats = repeats.filter(|repeat| kind.is_none_or(|kind| repeat.kind == kind));
            let most = repeats.map(|repeat| repeat.at_least).max();
            number(most.unwrap_or_else(|| u64::from(of_kind().next().is_some())))
        }
    })
}

/// Whether functions were called that make statements.
fn has_statements(profile: &Profile) -> bool {
    const MAKERS: [&[u8]; 7] = [
        b"PDO::query",
        b"PDO::exec",
        b"PDOStatement::execute",
        b"mysqli::query",
        b"mysqli_query",
        b"mysqli_stmt::execute",
        b"SQLite3::query",
    ];
    profile
        .symbols
        .iter()
        .any(|symbol| MAKERS.contains(&without_statement(&symbol.name)))
}

fn spans(kind: Option<SpanKind>, question: &str) -> Option<(Fact, Unit)> {
    let (asks, unit) = match question {
        "count" => (SpanQuestion::Count, Unit::Count),
        "time" => (SpanQuestion::Time, Unit::Time),
        "repeated" if kind.is_some() => (SpanQuestion::Repeated, Unit::Count),
        _ => return None,
    };
    Some((Fact::Spans { kind, asks }, unit))
}

fn calls(arguments: &[Argument], column: usize) -> Result<Fact, LanguageError> {
    let (mut of, mut under, mut by) = (Vec::new(), None, None);
    for argument in arguments {
        let pattern = Pattern::new(argument)?;
        match argument.name.as_deref() {
            None => of.push(pattern),
            Some("under") => under = Some(pattern),
            Some("by") => by = Some(pattern),
            Some(other) => {
                let message = format!("calls has no argument {other}:, but under: and by:");
                return Err(LanguageError::new(argument.column, message));
            }
        }
    }
    if of.is_empty() {
        let message = "calls() needs the name of a function, a pattern such as \"PDO::*\", or *";
        return Err(LanguageError::new(column, message));
    }
    Ok(Fact::Calls { of, under, by })
}

fn none_of(arguments: &[Argument], column: usize) -> Result<Fact, LanguageError> {
    let fact = calls(arguments, column)?;
    match arguments.iter().find(|argument| argument.name.is_some()) {
        Some(named) => Err(LanguageError::new(
            named.column,
            "no_call has names of functions only",
        )),
        None => Ok(fact),
    }
}

fn only_pattern(arguments: &[Argument], column: usize) -> Result<Pattern, LanguageError> {
    match arguments {
        [argument] if argument.name.is_none() => Pattern::new(argument),
        _ => Err(LanguageError::new(
            column,
            "this needs one function or pattern",
        )),
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn number(value: u64) -> f64 {
    value as f64
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn signed(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        let text = text.to_owned();
        Pattern::new(&Argument {
            name: None,
            text,
            column: 0,
        })
        .unwrap()
    }

    #[test]
    fn a_pattern_ignores_case_and_statements() {
        assert!(pattern("pdo::*").matches(b"PDO::query#SELECT ?"));
        assert!(pattern("\\Acme\\*").matches(b"acme\\Repo::find"));
        assert!(!pattern("find").matches(b"find_all"));
        assert!(!pattern("a.c").matches(b"abc"));
        assert!(pattern("*{closure:a#b.php:7}").matches(b"{closure:a#b.php:7}"));
        assert!(pattern("*").matches(b"\xff\n"));
    }

    #[test]
    fn every_name_is_a_fact_and_errors_suggest_one() {
        let argument = Argument {
            name: None,
            text: "f".to_owned(),
            column: 6,
        };
        for name in NAMES {
            let plain = Fact::new(name, None, 0).is_ok();
            let called = Fact::new(name, Some(std::slice::from_ref(&argument)), 0).is_ok();
            assert!(plain || called, "{name}");
        }
        let message = |path: &str| Fact::new(path, None, 3).unwrap_err();
        assert_eq!(
            message("spans.sql.cuont").message,
            "there is no fact spans.sql.cuont; did you mean spans.sql.count?"
        );
        assert_eq!(
            message("self.wall").message,
            "self.wall needs the name of a function: self.wall(\"json_encode\")"
        );
        assert_eq!(message("nothing.like.it").column, 3);
        let named = Argument {
            name: Some("within".to_owned()),
            text: "f".to_owned(),
            column: 9,
        };
        let error = Fact::new("calls", Some(&[argument, named]), 0).unwrap_err();
        assert_eq!(
            error,
            LanguageError::new(9, "calls has no argument within:, but under: and by:")
        );
    }
}
