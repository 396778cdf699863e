//! Who broke a budget: callers with files and lines, and the path to them.
//!
//! Of a budget that names a base, those come first that grew since.

use std::cmp::Reverse;
use std::collections::HashMap;

use profile::{FlatTable, Metric, Profile, SpanKind, SymbolId, repeats};

use super::facts::{Fact, Pattern, SpanQuestion, calls_of, cost_of};
use crate::terminal::printable;
use crate::units;

/// How many are named.
const SHOWN: usize = 5;

/// What to look at first.
#[derive(Debug, Clone, Default)]
pub(super) struct Culprits {
    /// One line each, those that matter most first.
    pub(super) lines: Vec<String>,
    /// The place of the first one that has a place.
    pub(super) place: Option<Place>,
    /// How the program gets there.
    pub(super) path: Option<String>,
    /// The function to ask a report about.
    pub(super) function: Option<String>,
}

/// Where a function is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Relative to the current directory, if it is below.
    pub(super) file: String,
    pub(super) line: u32,
}

/// The functions that a fact's value comes from, compared with a base if there is
/// one.
pub(super) fn culprits(profile: &Profile, base: Option<&Profile>, fact: &Fact) -> Culprits {
    let finder = Finder { profile, base };
    match fact {
        Fact::Calls { of, under, by } => finder.callers(of, under.as_ref(), by.as_ref()),
        Fact::Spans { kind, asks } => finder.spans(*kind, *asks),
        Fact::Total(Metric::Calls) | Fact::Edges | Fact::Functions => finder.callers_of_all(),
        Fact::Peak => finder.most(None, true, Metric::Peak),
        Fact::Total(metric) => finder.most(None, true, *metric),
        Fact::Cost {
            of, is_own, metric, ..
        } => finder.most(Some(of), *is_own, *metric),
    }
}

struct Finder<'p> {
    profile: &'p Profile,
    base: Option<&'p Profile>,
}

/// The calls of pairs of caller and callee.
type Calls = Vec<((SymbolId, SymbolId), u64)>;

impl Finder<'_> {
    fn callers_of_all(&self) -> Culprits {
        let calls = |profile: &Profile| -> Calls {
            let pairs = profile::pairs(&profile.edges());
            let calls = pairs
                .iter()
                .map(|pair| ((pair.caller, pair.callee), pair.cost.calls));
            calls.collect()
        };
        self.of_calls(calls(self.profile), self.base.map(calls))
    }

    fn callers(&self, of: &[Pattern], under: Option<&Pattern>, by: Option<&Pattern>) -> Culprits {
        let calls = |profile| calls_of(profile, of, under, by).unwrap_or_default();
        self.of_calls(calls(self.profile), self.base.map(calls))
    }

    fn of_calls(&self, mut calls: Calls, base: Option<Calls>) -> Culprits {
        let was = self.calls_in_base(base);
        let before = |caller, callee| {
            let names = (self.profile.name(caller), self.profile.name(callee));
            was.get(&names).copied().unwrap_or(0)
        };
        calls.sort_unstable_by_key(|&((caller, callee), calls)| {
            let growth = calls.saturating_sub(before(caller, callee));
            (Reverse(growth), Reverse(calls), caller, callee)
        });
        let lines = calls.iter().take(SHOWN).map(|&((caller, callee), calls)| {
            format!(
                "{}× {} by {}{}",
                units::count(calls),
                self.name(callee),
                self.described(caller),
                self.in_base(&units::count(before(caller, callee)))
            )
        });
        let first = calls.first().map(|&(pair, _)| pair);
        Culprits {
            lines: lines.collect(),
            place: calls.iter().find_map(|&((caller, callee), _)| {
                self.place(caller).or_else(|| self.place(callee))
            }),
            path: first.and_then(|(caller, callee)| self.path(caller, callee)),
            function: first.map(|(_, callee)| self.name(callee)),
        }
    }

    /// The calls of the base by the names of both functions: its numbers are others.
    fn calls_in_base(&self, calls: Option<Calls>) -> HashMap<(&[u8], &[u8]), u64> {
        let Some(base) = self.base else {
            return HashMap::new();
        };
        let calls = calls.unwrap_or_default().into_iter();
        let named = calls.map(|((caller, callee), calls)| {
            let names = (base.name(caller), base.name(callee));
            (names, calls)
        });
        named.collect()
    }

    /// `, 3 in the base`, if there is one.
    fn in_base(&self, value: &str) -> String {
        match self.base {
            Some(_) => format!(", {} in the base", value.trim_end()),
            None => String::new(),
        }
    }

    /// The statements: those that are repeated, else those made most often.
    fn spans(&self, kind: Option<SpanKind>, asks: SpanQuestion) -> Culprits {
        let is_kind = |other| kind.is_none_or(|kind| kind == other);
        let text = |text: &[u8]| shortened(&printable(text));
        if asks == SpanQuestion::Repeated {
            let mut repeats = repeats(self.profile);
            repeats.retain(|repeat| is_kind(repeat.kind));
            repeats.sort_by_key(|repeat| Reverse(repeat.at_least));
            let lines = repeats.iter().take(SHOWN).map(|repeat| {
                let parents: Vec<String> = repeat
                    .parents
                    .iter()
                    .map(|parent| self.described(*parent))
                    .collect();
                format!(
                    "{}× {} by {}, in one call of {}",
                    units::count(repeat.at_least),
                    text(self.profile.spans.text_of(Some(repeat.text))),
                    self.described(repeat.caller),
                    parents.join(" or ")
                )
            });
            let first = repeats.first();
            // The loop is in the parent; the statement in the caller.
            let place = first.and_then(|repeat| {
                repeat
                    .parents
                    .iter()
                    .find_map(|parent| self.place(*parent))
                    .or_else(|| self.place(repeat.caller))
            });
            return Culprits {
                lines: lines.collect(),
                place,
                path: first.and_then(|repeat| self.path(repeat.caller, repeat.symbol)),
                function: first.map(|repeat| self.name(repeat.caller)),
            };
        }
        let mut groups = self.profile.spans.groups();
        groups.retain(|group| is_kind(group.kind));
        let base = self.base.map(|base| base.spans.groups());
        let mut was: HashMap<_, u64> = HashMap::new();
        for group in base.iter().flatten() {
            *was.entry((group.kind, group.text)).or_default() += group.calls;
        }
        let before = |kind, text| was.get(&(kind, text)).copied().unwrap_or(0);
        if asks == SpanQuestion::Count {
            groups.sort_by_key(|group| {
                let growth = group.calls.saturating_sub(before(group.kind, group.text));
                (Reverse(growth), Reverse(group.calls))
            });
        }
        let lines = groups.iter().take(SHOWN).map(|group| {
            let caller = group
                .callers
                .first()
                .map_or(SymbolId::ROOT, |caller| caller.symbol);
            format!(
                "{}× {} by {}{}",
                units::count(group.calls),
                text(group.text),
                self.described(caller),
                self.in_base(&units::count(before(group.kind, group.text)))
            )
        });
        let first = groups
            .first()
            .and_then(|group| Some((group.callers.first()?.symbol, group.symbol)));
        Culprits {
            lines: lines.collect(),
            place: first.and_then(|(caller, _)| self.place(caller)),
            path: first.and_then(|(caller, callee)| self.path(caller, callee)),
            function: first.map(|(caller, _)| self.name(caller)),
        }
    }

    /// The functions that cost most.
    fn most(&self, of: Option<&Pattern>, is_own: bool, metric: Metric) -> Culprits {
        let mut rows = FlatTable::new(self.profile).rows;
        rows.retain(|row| {
            let name = self.profile.name(row.symbol);
            row.symbol != SymbolId::ROOT && of.is_none_or(|pattern| pattern.matches(name))
        });
        #[expect(clippy::cast_precision_loss, reason = "compared only")]
        let cost = |row: &profile::FlatRow| match metric {
            Metric::Peak => row.own.peak as f64,
            metric => cost_of(row, is_own, metric),
        };
        let base_rows = self.base.map(|base| FlatTable::new(base).rows);
        let was: HashMap<&[u8], f64> = match (self.base, &base_rows) {
            (Some(base), Some(rows)) => {
                let costs = rows.iter().map(|row| (base.name(row.symbol), cost(row)));
                costs.collect()
            }
            _ => HashMap::new(),
        };
        let before = |row: &profile::FlatRow| {
            let name = self.profile.name(row.symbol);
            was.get(name).copied().unwrap_or(0.0)
        };
        let growth = |row: &profile::FlatRow| cost(row) - before(row);
        rows.sort_by(|one, two| growth(two).total_cmp(&growth(one)));
        rows.truncate(3);
        let lines = rows.iter().map(|row| {
            #[expect(clippy::cast_possible_truncation, reason = "shown to people")]
            let shown = |value: f64| match metric {
                Metric::Memory | Metric::Peak => units::size(value as i64),
                _ => units::time(value as i64),
            };
            format!(
                "{} by {}{}",
                shown(cost(row)).trim_end(),
                self.described(row.symbol),
                self.in_base(&shown(before(row)))
            )
        });
        let lines = lines.collect();
        let first = rows.first().map(|row| row.symbol);
        let caller = |symbol| {
            let pairs = profile::pairs(&self.profile.edges()).into_iter();
            let callers = pairs.filter(|pair| pair.callee == symbol);
            callers
                .max_by_key(|pair| pair.cost.calls)
                .map(|pair| pair.caller)
        };
        Culprits {
            lines,
            // PHP's own functions have no place, but those who call them do.
            place: first
                .and_then(|symbol| self.place(symbol).or_else(|| self.place(caller(symbol)?))),
            path: first.and_then(|symbol| self.path(caller(symbol)?, symbol)),
            function: first.map(|symbol| self.name(symbol)),
        }
    }

    /// The path with the most calls that ends in these two; none if the profile
    /// has no paths.
    fn path(&self, caller: SymbolId, callee: SymbolId) -> Option<String> {
        let tree = self.profile.tree()?;
        let ends_so = tree.nodes.iter().enumerate().skip(1).filter(|(_, node)| {
            let parent = tree
                .nodes
                .get(node.parent.index())
                .map(|parent| parent.symbol);
            node.symbol == callee && parent == Some(caller)
        });
        let (index, _) = ends_so.max_by_key(|(index, node)| (node.cost.calls, Reverse(*index)))?;
        let path = tree.path(profile::NodeId(u32::try_from(index).ok()?));
        let names: Vec<String> = path.into_iter().map(|symbol| self.name(symbol)).collect();
        // The ends matter; a framework's middle does not.
        let names = if names.len() > 8 {
            let (start, end) = (names.get(..2)?, names.get(names.len() - 5..)?);
            [start, &["…".to_owned()], end].concat()
        } else {
            names
        };
        Some(names.join(" → "))
    }

    fn name(&self, symbol: SymbolId) -> String {
        shortened(&printable(self.profile.name(symbol)))
    }

    /// `Shop\Repo::find (src/Repo.php:12)`
    fn described(&self, symbol: SymbolId) -> String {
        match self.place(symbol) {
            Some(Place { file, line }) => format!("{} ({file}:{line})", self.name(symbol)),
            None => self.name(symbol),
        }
    }

    fn place(&self, symbol: SymbolId) -> Option<Place> {
        let symbol = self.profile.symbols.get(symbol.index())?;
        let file = printable(symbol.file.as_deref()?);
        let here = std::env::current_dir().ok();
        let here = here.as_ref().and_then(|here| here.to_str());
        let below = here.and_then(|here| file.strip_prefix(here)?.strip_prefix('/'));
        (symbol.line > 0).then(|| Place {
            file: below.unwrap_or(&file).to_owned(),
            line: symbol.line,
        })
    }
}

/// Statements may be pages long.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 160;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST - 1).collect();
    start + "…"
}
