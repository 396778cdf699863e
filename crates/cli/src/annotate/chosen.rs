//! Which lines are shown: those of a file, or of a function.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use anyhow::{Result, bail};
use profile::SymbolId;
use view::{Document, LineRow};

use crate::report::functions_named;
use crate::terminal::printable;

/// The lines of a file that have costs.
pub(super) struct Chosen<'d> {
    /// The file.
    pub(super) file: &'d [u8],
    /// The function, if one was named.
    pub(super) function: Option<SymbolId>,
    /// The lines of the function that are known to be its: from its first to its last cost.
    pub(super) range: Option<RangeInclusive<u32>>,
    /// By line.
    pub(super) rows: Vec<&'d LineRow<'d>>,
}

/// How many names an error has.
const MOST_NAMES: usize = 5;

impl<'d> Chosen<'d> {
    /// What `target` means: a file by its path or the end of it, else a function.
    pub(super) fn new(
        document: &'d Document,
        target: &str,
        lines: &'d [LineRow<'d>],
    ) -> Result<Self> {
        let mut files: Vec<&[u8]> = lines.iter().filter_map(|row| row.file).collect();
        files.dedup();
        let wanted = target.trim_start_matches("./").as_bytes();
        let is_end = |file: &&&[u8]| {
            let rest = file.strip_suffix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
        };
        let exact = files.iter().find(|file| **file == wanted);
        let found: Vec<&[u8]> = match exact {
            Some(file) => vec![*file],
            None => files.iter().filter(is_end).copied().collect(),
        };
        match found.as_slice() {
            [file] => Ok(Self::of_file(file, lines)),
            [] => Self::of_function(document, target, lines),
            _ => {
                let names = found.iter().map(|file| printable(file));
                bail!("{target} is the end of {}", some(names.collect()))
            }
        }
    }

    fn of_file(file: &'d [u8], lines: &'d [LineRow<'d>]) -> Self {
        Self {
            file,
            function: None,
            range: None,
            rows: lines.iter().filter(|row| row.file == Some(file)).collect(),
        }
    }

    fn of_function(document: &'d Document, target: &str, lines: &'d [LineRow<'d>]) -> Result<Self> {
        let profile = document.profile();
        let name = |symbol: &SymbolId| printable(profile.name(*symbol));
        let function = match functions_named(document, target)?.as_slice() {
            [one] => *one,
            several => {
                let names = several.iter().map(name);
                bail!("{target} may be {}", some(names.collect()))
            }
        };
        // It may execute files that it includes: the costliest is shown.
        let mut costs: BTreeMap<&[u8], (i64, u32, u32)> = BTreeMap::new();
        for row in lines.iter().filter(|row| row.functions.contains(&function)) {
            let Some(file) = row.file else { continue };
            let (cost, first, last) = costs.entry(file).or_insert((0, row.line, row.line));
            *cost = cost.saturating_add(row.inclusive.wall);
            *first = row.line.min(*first);
            *last = row.line.max(*last);
        }
        let symbol = profile.symbol(function);
        let own = symbol.file.as_deref();
        let costliest = costs
            .iter()
            .min_by_key(|(file, (cost, ..))| (Reverse(*cost), **file));
        let own = own.and_then(|own| costs.get_key_value(own)).or(costliest);
        let Some((&file, &(_, first, last))) = own else {
            bail!("no line of {} has a cost", name(&function));
        };
        let is_defined_here = symbol.file.as_deref() == Some(file) && symbol.line > 0;
        let first = if is_defined_here {
            symbol.line.min(first)
        } else {
            first
        };
        let rows = lines.iter().filter(|row| row.file == Some(file));
        Ok(Self {
            file,
            function: Some(function),
            range: Some(first..=last),
            rows: rows
                .filter(|row| (first..=last).contains(&row.line))
                .collect(),
        })
    }
}

/// `a, b or c`
fn some(mut names: Vec<String>) -> String {
    let others = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    if others > 0 {
        names.push(format!("{others} others"));
    }
    match names.split_last() {
        Some((last, names)) if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        _ => names.concat(),
    }
}
