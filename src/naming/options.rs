//! Which functions are recorded, and how they are named.

use std::collections::HashSet;

use policy::naming::exclusions::Exclusions;

use crate::settings::{self, ClosureNames};

/// How SQL statements, URLs and commands are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Details {
    /// Not at all.
    #[default]
    None,
    /// As part of names: `PDO::query#SELECT …`.
    InNames,
    /// As spans.
    Spans,
}

/// Which functions are recorded, and how they are named.
#[derive(Debug, Default)]
pub(crate) struct NamingOptions {
    /// Functions that are not recorded.
    pub(crate) exclusions: Exclusions,
    /// The top level of files is recorded, as `run_init::…`.
    pub(crate) run_init: bool,
    /// How SQL statements, URLs and commands are recorded.
    pub(crate) details: Details,
    /// Closures are named by file and line.
    pub(crate) closures: bool,
    /// Symbols have the file and line of their definition.
    pub(crate) places: bool,
}

impl NamingOptions {
    /// The options of the current settings, with this ignore list.
    pub(crate) fn of_settings(ignored: HashSet<Box<[u8]>>) -> Self {
        Self {
            exclusions: Exclusions::of_names(ignored)
                .and_patterns(&settings::value(&settings::EXCLUDE)),
            run_init: settings::value(&settings::RUN_INIT),
            details: if settings::value(&settings::COLLECT_ADDITIONAL_INFO) {
                Details::InNames
            } else {
                Details::None
            },
            closures: settings::value(&settings::CLOSURE_NAMES) == ClosureNames::Place,
            places: false,
        }
    }

    /// The same options for a profile in a file, which has places, and whose reader
    /// is our own program.
    pub(crate) fn for_a_file(self) -> Self {
        Self {
            closures: settings::value(&settings::CLOSURE_NAMES) != ClosureNames::Plain,
            places: true,
            ..self
        }
    }
}
