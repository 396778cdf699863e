//! Everything one run measured.
//!
//! A profile knows its functions and, in one of four shapes, what they cost.
//! The shapes differ in what they know: events know when each call happened, a
//! tree knows whole stacks, edges know who called whom, samples know stacks
//! but no calls. Each folds into those that know less.
//!
//! **Invariants:** `symbols[0]` is the root, `main()`; no two symbols have the
//! same name; every [`SymbolId`] is an index into `symbols`.

use std::borrow::Cow;

use crate::symbol::name_in;
use crate::{
    EdgeTable, Event, EventKind, Events, Meta, Metric, Metrics, Samples, Spans, Symbol, SymbolId,
    Tree, WallUnit,
};

/// What is known of the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Who called whom, and what those calls cost together.
    Edges(EdgeTable),
    /// The same, for each whole path.
    Tree(Tree),
    /// Where the program was, at some instants.
    Samples(Samples),
    /// Every entry and exit.
    Events(Events),
}

/// Everything one run measured, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The functions; the first is the root.
    pub symbols: Vec<Symbol>,
    /// What is known of their calls.
    pub body: Body,
    /// What was measured.
    pub metrics: Metrics,
    /// Where it comes from.
    pub meta: Meta,
    /// What the calls waited for, as far as that was recorded.
    pub spans: Spans,
}

impl Profile {
    /// A profile of nothing: `main()` alone, at no cost.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            symbols: vec![Symbol::new(Symbol::MAIN)],
            body: Body::Edges(EdgeTable::default()),
            metrics: Metrics::default(),
            meta: Meta::default(),
            spans: Spans::default(),
        }
    }

    /// A symbol's name; empty if there is no such symbol.
    #[must_use]
    #[inline]
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        name_in(&self.symbols, symbol)
    }

    /// Whether that cost is worth a column: it was measured, and if it is the
    /// peak, there is one. Many formats have memory, and no word of a peak.
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

    /// What the wall time is, where it is none: `samples`, or what a foreign
    /// format counts, such as `Ir`.
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

    /// The calls as edges, whatever the profile knows beyond them.
    #[must_use]
    pub fn edges(&self) -> Cow<'_, EdgeTable> {
        match &self.body {
            Body::Edges(edges) => Cow::Borrowed(edges),
            Body::Tree(tree) => Cow::Owned(tree.to_edges()),
            Body::Samples(samples) => Cow::Owned(samples.to_tree().to_edges()),
            Body::Events(events) => Cow::Owned(events.to_tree().to_edges()),
        }
    }

    /// The calls as a tree; none if only edges are known, which do not tell
    /// whole stacks.
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
