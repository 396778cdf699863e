//! Everything that one run measured.
//!
//! A profile has its functions and, in one of four bodies, their costs. Events
//! have the time of each call, a tree has whole stacks, edges have callers and
//! callees, samples have stacks but no calls. Each body can be converted to
//! those with less information.
//!
//! **Invariants:** `symbols[0]` is the root, `main()`; no two symbols have the
//! same name; every [`SymbolId`] is an index into `symbols`.

use std::borrow::Cow;

use crate::symbol::symbol_in;
use crate::{
    EdgeTable, Event, EventKind, Events, Lines, Meta, Metric, Metrics, Samples, Spans, Symbol,
    SymbolId, Tree, WallUnit,
};

/// The calls of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Callers and callees, with the total cost of their calls.
    Edges(EdgeTable),
    /// The same for each whole path.
    Tree(Tree),
    /// The stack of the program at some instants.
    Samples(Samples),
    /// Every entry and exit.
    Events(Events),
}

/// Everything one run measured, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The functions; the first is the root.
    pub symbols: Vec<Symbol>,
    /// The calls.
    pub body: Body,
    /// The measured costs.
    pub metrics: Metrics,
    /// The metadata.
    pub meta: Meta,
    /// The spans, if they were recorded.
    pub spans: Spans,
    /// The costs of source lines, if they are known.
    pub lines: Lines,
}

impl Profile {
    /// An empty profile: `main()` without costs.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            symbols: vec![Symbol::new(Symbol::MAIN)],
            body: Body::Edges(EdgeTable::default()),
            metrics: Metrics::default(),
            meta: Meta::default(),
            spans: Spans::default(),
            lines: Lines::default(),
        }
    }

    /// A function of this profile.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        symbol_in(&self.symbols, symbol)
    }

    /// A symbol's name; empty if there is no such symbol.
    #[must_use]
    #[inline]
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        &symbol_in(&self.symbols, symbol).name
    }

    /// Whether that cost needs a column: it was measured and, for the peak, is
    /// not zero. Many formats have memory, but no peak.
    #[must_use]
    pub fn shows(&self, metric: Metric) -> bool {
        let peak = match &self.body {
            Body::Edges(edges) => edges.root.peak,
            Body::Tree(tree) => tree.root_cost().peak,
            Body::Samples(_) => 0,
            Body::Events(events) => events.end.peak,
        };
        metric.is_in(self.metrics) && (metric != Metric::Peak || peak != 0)
    }

    /// The metric of a user who names none: the wall time, or the memory if there are
    /// sizes and no times, as in profiles of allocations.
    #[must_use]
    pub fn first_metric(&self) -> Metric {
        let (total, has_sizes) = match &self.body {
            Body::Edges(table) => {
                let mut edges = table.edges.iter();
                (table.root, edges.any(|edge| edge.cost.memory != 0))
            }
            Body::Tree(tree) => {
                let mut nodes = tree.nodes.iter();
                (tree.root_cost(), nodes.any(|node| node.cost.memory != 0))
            }
            Body::Samples(_) | Body::Events(_) => return Metric::Wall,
        };
        if self.metrics.memory && total.wall == 0 && (has_sizes || total.memory != 0) {
            Metric::Memory
        } else {
            Metric::Wall
        }
    }

    /// The unit of the wall time if it is not time: `samples`, or another
    /// tool's unit such as `Ir`.
    #[must_use]
    pub fn counted(&self) -> &str {
        self.meta.counts.as_deref().unwrap_or("samples")
    }

    /// What its costs are first of all: `time`, or what it [counts](Self::counted).
    /// Profiles of different ones neither add up nor compare.
    #[must_use]
    pub fn unit(&self) -> &str {
        match self.metrics.wall_unit {
            WallUnit::Nanoseconds => "time",
            WallUnit::Samples => self.counted(),
        }
    }

    /// All recorded calls, that of `main()` included; zero if it was sampled.
    #[must_use]
    pub fn calls(&self) -> u64 {
        match &self.body {
            Body::Edges(edges) => edges.calls(),
            Body::Tree(tree) => {
                let calls = tree.nodes.iter().map(|node| node.cost.calls);
                calls.fold(0, u64::saturating_add)
            }
            Body::Samples(_) => 0,
            Body::Events(events) => {
                let is_enter = |event: &&Event| matches!(event.kind, EventKind::Enter(_));
                1 + events.events.iter().filter(is_enter).count() as u64
            }
        }
    }

    /// The calls as edges, from any body.
    #[must_use]
    pub fn edges(&self) -> Cow<'_, EdgeTable> {
        match &self.body {
            Body::Edges(edges) => Cow::Borrowed(edges),
            Body::Tree(tree) => Cow::Owned(tree.to_edges()),
            Body::Samples(samples) => Cow::Owned(samples.to_tree().to_edges()),
            Body::Events(events) => Cow::Owned(events.to_tree().to_edges()),
        }
    }

    /// The calls as a tree; none if there are only edges, which do not contain
    /// stacks.
    #[must_use]
    pub fn tree(&self) -> Option<Cow<'_, Tree>> {
        match &self.body {
            Body::Edges(_) => None,
            Body::Tree(tree) => Some(Cow::Borrowed(tree)),
            Body::Samples(samples) => Some(Cow::Owned(samples.to_tree())),
            Body::Events(events) => Some(Cow::Owned(events.to_tree())),
        }
    }
}
