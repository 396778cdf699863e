//! What a walk over the sums of a selection gives, part by part.

use profile::Symbol;

use crate::rollup::{Around, FunctionSums, Paths, SpanSums, Spread, Spreads};

/// Which parts are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want<'q> {
    Paths,
    Spans,
    Spreads,
    /// Spreads; those of days come without the times' quantiles, which take long
    /// to read.
    Moments,
    /// The sums of these functions.
    Functions(&'q [String]),
    /// The sums of a function, its callers and its callees.
    Calls(&'q str),
    /// The spread of a function.
    Spread(&'q str),
}

impl Want<'_> {
    /// Whether it is about the spreads of days.
    pub(crate) fn is_spread(self) -> bool {
        matches!(self, Self::Spreads | Self::Moments | Self::Spread(_))
    }

    /// Whether it takes no notice of the routes of parts. Another one may get
    /// [`PartSums::Around`] of several routes, and the sums of each.
    pub(crate) fn is_of_all_routes(self) -> bool {
        !matches!(self, Self::Calls(_))
    }

    /// The numbers of the functions that it names.
    pub(crate) fn numbers(self, symbols: &[Symbol]) -> Vec<Option<u32>> {
        let names: Vec<&str> = match self {
            Self::Paths | Self::Spans | Self::Spreads | Self::Moments => return Vec::new(),
            Self::Functions(names) => names.iter().map(String::as_str).collect(),
            Self::Calls(name) | Self::Spread(name) => vec![name],
        };
        let mut numbers = vec![None; names.len()];
        for (number, symbol) in (0..).zip(symbols) {
            let text = String::from_utf8_lossy(&symbol.name);
            for (name, known) in names.iter().zip(&mut numbers) {
                if known.is_none() && *name == text {
                    *known = Some(number);
                }
            }
        }
        numbers
    }

    /// What it takes of the paths of a cell or a run.
    pub(crate) fn of_paths(self, paths: Paths, numbers: &[Option<u32>]) -> PartSums {
        match self {
            Self::Functions(_) => PartSums::Functions(paths.functions_named(numbers)),
            Self::Calls(_) => {
                let number = numbers.first().copied().flatten();
                PartSums::Calls(number.and_then(|number| paths.around(number)))
            }
            _ => PartSums::Paths(paths),
        }
    }

    /// What it takes of the spreads of a run.
    pub(crate) fn of_spreads(self, mut spreads: Spreads, numbers: &[Option<u32>]) -> PartSums {
        match (self, numbers) {
            (Self::Spread(_), [Some(number)]) => PartSums::Spread(spreads.rows.remove(number)),
            (Self::Spread(_), _) => PartSums::Spread(None),
            _ => PartSums::Spreads(spreads),
        }
    }
}

/// The part of a cell, a day or a run.
#[derive(Debug)]
pub(crate) enum PartSums {
    Paths(Paths),
    Spans(SpanSums),
    Spreads(Spreads),
    /// In the order of the names; none for functions that were not called.
    Functions(Vec<Option<FunctionSums>>),
    /// None if the function was not called.
    Calls(Option<Around>),
    /// The same of several routes, of which those that called the function have so
    /// many runs; with empty totals. The sums of each come as [`Functions`](Self::Functions).
    Around(u64, Around),
    /// None if the function was not called.
    Spread(Option<Spread>),
}
