//! The classes of code that the costs of a profile belong to.

use formats::flamegraph::Classes;
use formats::flamegraph::classes;
use profile::Metric;
use serde::Serialize;

use crate::names::{self, Origin};
use crate::{Document, MetricName};

/// All classes of code with a function, the costliest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CodeClasses {
    /// The classes.
    pub rows: Vec<CodeClassRow>,
    /// The cost of the profile, for shares.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub total: i64,
}

/// A class of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CodeClassRow {
    /// Its number: [`FlameName::class`](crate::FlameName::class).
    pub class: u32,
    /// Which part of the program it is.
    pub origin: Origin,
    /// The vendor of its packages, if it is of packages.
    pub vendor: Option<String>,
    /// Its first colour in the palette.
    pub colour: u32,
    /// How many functions it has.
    pub functions: u32,
    /// What its functions cost without their callees.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub own: i64,
}

pub(crate) fn classes(document: &Document, metric: MetricName) -> CodeClasses {
    let metric: Metric = metric.into();
    let of = document.classes();
    let mut sums = vec![(0_u32, 0_i64); of.count() as usize];
    for row in &document.index().flat.rows {
        let (functions, own) = &mut sums[of.of(row.symbol) as usize];
        *functions += 1;
        *own = own.saturating_add(metric.of_own(&row.own, row.inclusive.calls));
    }
    let mut rows: Vec<CodeClassRow> = (0..)
        .zip(sums)
        .filter(|(_, (functions, _))| *functions > 0)
        .map(|(class, (functions, own))| CodeClassRow {
            class,
            origin: origin_of(class),
            vendor: of.vendor(class).map(names::text),
            colour: colour_of(of, class),
            functions,
            own,
        })
        .collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.own), row.class));
    CodeClasses {
        rows,
        total: document.whole().of(metric),
    }
}

/// The first colour of a class in the palette.
pub(crate) fn colour_of(of: &Classes, class: u32) -> u32 {
    u32::try_from(of.colour_of_class(class)).unwrap_or(0)
}

fn origin_of(class: u32) -> Origin {
    match class {
        classes::OWN => Origin::User,
        classes::PHP => Origin::Internal,
        classes::TEMPLATES => Origin::Template,
        classes::WAITING => Origin::Waiting,
        classes::OTHER => Origin::Other,
        _ => Origin::Vendor,
    }
}
