//! Converts the frames of a file to functions.
//!
//! **Invariant:** a frame becomes a symbol as soon as it is read; only the
//! symbol's number is kept.

use profile::{Budget, NodeId, Symbol, SymbolId};

use super::parts::{Frame, One, unsigned};
use crate::shared::names::Names;

/// The functions of the frames.
#[derive(Debug)]
pub(super) struct Frames {
    names: Names,
    symbols: Vec<SymbolId>,
    budget: Budget,
}

impl Frames {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            names: Names::within(budget),
            symbols: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// Takes the next frame.
    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), String> {
        let name = match frame.name.as_bytes() {
            b"{main}" => Symbol::MAIN,
            name => name,
        };
        let file = frame.file.as_deref().map(str::as_bytes);
        let symbol = self.names.symbol(name, file).ok_or("too many functions")?;
        let line = frame.line.map_or(0, |line| unsigned(line, 1.0));
        self.names
            .set_line(symbol, u32::try_from(line).unwrap_or(0));
        let room = self.budget.room(&mut self.symbols, "frames");
        room.map_err(|error| error.to_string())?;
        self.symbols.push(symbol);
        Ok(())
    }

    /// The symbols of all frames.
    pub(super) fn into_symbols(self) -> Vec<Symbol> {
        self.names.into_symbols()
    }

    /// The symbol of a frame by its index.
    pub(super) fn symbol(&self, frame: u32) -> Result<SymbolId, String> {
        let symbol = usize::try_from(frame)
            .ok()
            .and_then(|place| self.symbols.get(place));
        symbol
            .copied()
            .ok_or_else(|| format!("there is no frame {frame}"))
    }

    /// The results of `push` for each path of a profile. A `main()` at the
    /// bottom of a stack is the root.
    pub(super) fn paths(
        &self,
        one: &One,
        mut push: impl FnMut(NodeId, SymbolId) -> NodeId,
    ) -> Result<Vec<NodeId>, String> {
        let nodes = &one.stacks.paths;
        let mut places = Vec::new();
        let room = self.budget.room_for(&mut places, nodes.len(), "call paths");
        room.map_err(|error| error.to_string())?;
        places.resize(nodes.len(), NodeId::ROOT);
        for (index, node) in nodes.iter().enumerate().skip(1) {
            let symbol = self.symbol(node.symbol.0.saturating_sub(1))?;
            let below = places[node.parent.index()];
            let is_root = symbol == SymbolId::ROOT && node.parent == NodeId::ROOT;
            if !is_root {
                places[index] = push(below, symbol);
            }
        }
        Ok(places)
    }
}
