//! Everything one run measured.
//!
//! Today that is edges, XHProf's shape: caller, callee, and the summed cost of
//! those calls. Shapes that know more will stand beside `edges` here.
//!
//! **Invariants:** `symbols[0]` is the root, `main()`, and no edge leads to
//! it; no two symbols have the same name; every [`SymbolId`] in an edge is an
//! index into `symbols`.

use crate::{Cost, Metrics, Symbol, SymbolId};

/// A function at one recursion level: XHProf's `f@2` is level 2 of `f`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Activation {
    /// The function.
    pub symbol: SymbolId,
    /// How many frames of the same function were already open below it.
    pub level: u32,
}

/// Caller and callee, with the summed cost of those calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Who called.
    pub caller: Activation,
    /// Who was called.
    pub callee: Activation,
    /// What the calls cost, callees included.
    pub cost: Cost,
}

/// Where a profile comes from, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    /// What was profiled: a script or a URL.
    pub title: Option<String>,
    /// When it began, in microseconds since the Unix epoch.
    pub started_unix_us: Option<u64>,
}

/// Everything one run measured, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The functions; the first is the root.
    pub symbols: Vec<Symbol>,
    /// In the order in which each edge first completed a call.
    pub edges: Vec<Edge>,
    /// The inclusive cost of `main()`.
    pub root: Cost,
    /// What was measured besides calls and wall time.
    pub metrics: Metrics,
    /// Where it comes from.
    pub meta: Meta,
}

impl Profile {
    /// The activation that everything else was called from.
    pub const ROOT: Activation = Activation {
        symbol: SymbolId(0),
        level: 0,
    };

    /// A profile of nothing: `main()` alone, at no cost.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            symbols: vec![Symbol::new(Symbol::MAIN)],
            edges: Vec::new(),
            root: Cost::default(),
            metrics: Metrics::default(),
            meta: Meta::default(),
        }
    }

    /// A symbol's name; empty if there is no such symbol.
    #[must_use]
    #[inline]
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        self.symbols
            .get(symbol.index())
            .map_or(b"", |symbol| &symbol.name)
    }

    /// All recorded calls, that of `main()` included.
    #[must_use]
    pub fn calls(&self) -> u64 {
        let calls = self.edges.iter().map(|edge| edge.cost.calls);
        calls.fold(self.root.calls, u64::saturating_add)
    }
}
