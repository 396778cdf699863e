//! Converts the frames of a file to functions.
//!
//! **Invariant:** a frame becomes a symbol as soon as it is read; only the
//! symbol's number is kept.

use profile::{Budget, LinedId, NodeId, SamplesBuilder, Symbol, SymbolId};

use super::parts::{Frame, One, unsigned};
use crate::shared::names::Names;

/// The functions of the frames.
#[derive(Debug)]
pub(super) struct Frames {
    names: Names,
    symbols: Vec<SymbolId>,
    /// The line of each frame up to the last that has one; zero if it has none.
    lines: Vec<u32>,
    /// Whether two frames of one function have different lines: then the lines are those that the
    /// function executes, and else those where it begins.
    has_lines: bool,
    budget: Budget,
}

impl Frames {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            names: Names::within(budget),
            symbols: Vec::new(),
            lines: Vec::new(),
            has_lines: false,
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
        let line = u32::try_from(line).unwrap_or(0);
        self.has_lines |= line > 0 && ![0, line].contains(&self.names.line(symbol));
        self.names.set_line(symbol, line);
        if line > 0 {
            let more = self.symbols.len() + 1 - self.lines.len();
            let room = self.budget.room_for(&mut self.lines, more, "frames");
            room.map_err(|error| error.to_string())?;
            self.lines.resize(self.symbols.len(), 0);
            self.lines.push(line);
        }
        let room = self.budget.room(&mut self.symbols, "frames");
        room.map_err(|error| error.to_string())?;
        self.symbols.push(symbol);
        Ok(())
    }

    /// The symbols of all frames.
    pub(super) fn into_symbols(self) -> Vec<Symbol> {
        let mut symbols = self.names.into_symbols();
        if self.has_lines {
            symbols.iter_mut().for_each(|symbol| symbol.line = 0);
        }
        symbols
    }

    /// The stack with lines of each path of a profile, whose stacks are `places`; empty if there are
    /// no lines.
    pub(super) fn lined(
        &self,
        one: &One,
        places: &[NodeId],
        builder: &mut SamplesBuilder,
    ) -> Result<Vec<LinedId>, String> {
        let mut lined = Vec::new();
        if !self.has_lines {
            return Ok(lined);
        }
        let room = self
            .budget
            .room_for(&mut lined, places.len(), "source lines");
        room.map_err(|error| error.to_string())?;
        let nodes = one.stacks.paths.iter().zip(places);
        for (index, (node, place)) in nodes.enumerate() {
            if index == 0 {
                lined.push(LinedId::UNKNOWN);
                continue;
            }
            let frame = (node.symbol.0 as usize).checked_sub(1);
            let line = frame.and_then(|frame| self.lines.get(frame));
            let mut below = lined.get(node.parent.index()).copied().unwrap_or_default();
            if below == LinedId::UNKNOWN && *place != NodeId::ROOT {
                below = builder.line(LinedId::UNKNOWN, NodeId::ROOT, None, 0);
            }
            lined.push(builder.line(below, *place, None, line.copied().unwrap_or(0)));
        }
        Ok(lined)
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
