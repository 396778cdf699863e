//! Call events whose lines are known, folded into paths that also differ by these lines.

use crate::{
    Budget, CallLine, CalledTree, Event, EventFold, EventKind, Instant, NumberMap, SymbolId,
};

/// Folds a stream of events into a [`CalledTree`].
#[derive(Debug)]
pub(crate) struct CalledFold {
    /// Over numbers of `calls` in place of symbols.
    fold: EventFold,
    /// Functions with the line that calls them, each once; `main()` first.
    calls: Vec<(SymbolId, CallLine)>,
    numbers: NumberMap<(u32, u32, u32), SymbolId>,
    budget: Budget,
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

impl CalledFold {
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            fold: EventFold::within(budget),
            calls: vec![(SymbolId(0), CallLine::UNKNOWN)],
            numbers: NumberMap::default(),
            budget: budget.clone(),
        }
    }

    /// The number of nodes in the tree so far.
    pub(crate) fn nodes(&self) -> usize {
        self.fold.nodes()
    }

    /// Adds the next event; the line is that of a call. Once the budget is exceeded, calls
    /// count as those of `main()`.
    pub(crate) fn add(&mut self, mut event: Event, at: CallLine) {
        if let EventKind::Enter(symbol) = event.kind {
            let number = self.number(symbol, at).unwrap_or(SymbolId(0));
            event.kind = EventKind::Enter(number);
        }
        self.fold.add(event);
    }

    fn number(&mut self, symbol: SymbolId, at: CallLine) -> Option<SymbolId> {
        let next = SymbolId(u32::try_from(self.calls.len()).ok()?);
        self.budget.room_in_map(&mut self.numbers, LINES).ok()?;
        self.budget.room(&mut self.calls, LINES).ok()?;
        let key = (symbol.0, at.file, at.line);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.calls.push((symbol, at));
        }
        Some(number)
    }

    /// The tree of everything up to `end`.
    pub(crate) fn finish(self, end: Instant) -> CalledTree {
        let mut nodes = self.fold.finish(end).nodes;
        self.budget.drop_map(self.numbers);
        let mut lines = Vec::with_capacity(nodes.len());
        for node in &mut nodes {
            let call = self.calls.get(node.symbol.index()).copied();
            let (symbol, at) = call.unwrap_or((SymbolId(0), CallLine::UNKNOWN));
            node.symbol = symbol;
            lines.push(at);
        }
        CalledTree { nodes, lines }
    }
}
