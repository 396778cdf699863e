//! The result of a session, to be converted to an array or a file.

use std::cell::Cell;

use profile::{Body, Meta, Metrics, Mode, Profile, Spans, Symbol};
use recorder::{RecordedEdges, Recorder, ReusedTables, Shape};

use crate::engine::{self, Tracing};
use policy::naming::names::Names;

thread_local! {
    /// The tables of this thread's last call tree, for its next profile.
    static TABLES: Cell<Option<Box<ReusedTables>>> = const { Cell::new(None) };
}

/// The tables of this thread's last call tree.
pub(super) fn take_tables() -> ReusedTables {
    TABLES
        .take()
        .map_or_else(ReusedTables::default, |tables| *tables)
}

/// The result of a session.
pub(crate) enum Recorded {
    /// Calls and their costs by caller and callee.
    Edges(Box<Traced>),
    /// Calls and their costs by path.
    Tree(Box<Profile>),
    /// Samples; the profile's metadata has the start and the interval.
    Samples(Box<Profile>),
    /// Call events, which are in a file already.
    Events,
}

/// A profile of edges, still in the recorder's table.
pub(crate) struct Traced {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) edges: RecordedEdges,
    pub(crate) metrics: Metrics,
    meta: Meta,
    spans: Spans,
}

impl Recorded {
    /// Takes the data of `recorder`, in its shape.
    pub(super) fn of(
        recorder: Recorder,
        names: Names,
        spans: Spans,
        tracing: &Tracing,
        started_us: u64,
    ) -> Option<Self> {
        let measure = &tracing.measure;
        let (wall, cpu) = measure.clock.rates();
        let metrics = super::metrics(measure);
        let mut meta = Meta {
            started_unix_us: Some(started_us),
            mode: Mode::Traced,
            is_truncated: recorder.is_truncated(),
            ..Meta::default()
        };
        names.describe(&mut meta);
        let symbols = names.into_symbols();
        match recorder.shape() {
            Shape::Edges => Some(Self::Edges(Box::new(Traced {
                symbols,
                edges: recorder.into_edges(wall, cpu)?,
                metrics,
                meta,
                spans,
            }))),
            Shape::Tree => {
                let (tree, lines) = if measure.lines {
                    let called = recorder.called_tree(wall, cpu)?;
                    let files = engine::files_of_lines(0);
                    let budget = profile::Budget::unlimited();
                    let lines = called.costs_of_lines(&files, &symbols, &budget);
                    (called.tree(), lines)
                } else {
                    (recorder.tree(wall, cpu)?, profile::Lines::default())
                };
                TABLES.set(Some(Box::new(recorder.into_tables())));
                let profile = Profile {
                    symbols,
                    body: Body::Tree(tree),
                    metrics,
                    meta,
                    spans,
                    lines,
                };
                Some(Self::Tree(Box::new(profile)))
            }
            Shape::Events => Some(Self::Events),
        }
    }

    /// The profile; none if it is in a file already.
    pub(crate) fn into_profile(self) -> Option<Profile> {
        match self {
            Self::Edges(traced) => {
                let profile = Profile {
                    body: Body::Edges(traced.edges.to_table()),
                    symbols: traced.symbols,
                    metrics: traced.metrics,
                    meta: traced.meta,
                    spans: traced.spans,
                    lines: profile::Lines::default(),
                };
                Some(profile)
            }
            Self::Tree(profile) | Self::Samples(profile) => Some(*profile),
            Self::Events => None,
        }
    }
}
