//! What source lines cost, by the samples that have them.
//!
//! **Invariant:** a sample counts once for a line.

use std::collections::HashMap;

use crate::table::known_mut;
use crate::{
    Budget, LinePlace, LinedId, Lines, LinesBuilder, NodeId, NumberMap, Samples, SelfCost, Symbol,
    SymbolId, Table,
};

impl Samples {
    /// What each line cost: the samples' weight. A line that is on a stack several
    /// times, also by several functions, has the cost of that stack once: its
    /// outermost call.
    #[must_use]
    pub fn lines(&self, symbols: &[Symbol], budget: &Budget) -> Lines {
        let mut builder = LinesBuilder::within(budget);
        if self.lined.list.is_empty() {
            return builder.finish();
        }
        // The numbers for each stack that are needed here.
        let bytes = self.lined.list.len().saturating_mul(120);
        if budget.take(bytes, "source lines").is_err() {
            return Lines::default();
        }
        let [own, inclusive] = self.lined_weights();
        let mut numbers: NumberMap<(u32, u32), usize> = NumberMap::default();
        let places = self.lined.list.iter().map(|stack| {
            let id = self[stack.stack].symbol;
            let symbol = symbols.get(id.index())?;
            let file = self.lined.file(stack, symbol);
            let file = file.and_then(|file| builder.file(file));
            let place = builder.line(id, file, stack.line)?;
            let next = numbers.len();
            let key = (file.map_or(u32::MAX, |file| file.0), stack.line);
            Some((place, *numbers.entry(key).or_insert(next)))
        });
        let places: Vec<_> = std::iter::once(None).chain(places).collect();
        let wall = |wall| SelfCost {
            wall,
            ..SelfCost::default()
        };
        // Depth first, so that a stack knows which lines are open below it, and by which function.
        let children = self.lined.children();
        let mut open: Vec<Option<LinePlace>> = vec![None; numbers.len()];
        let mut walk = vec![(NodeId::ROOT, None, true)];
        while let Some((node, caller, is_entered)) = walk.pop() {
            let id = LinedId(node.0);
            let place = places.get(node.index()).copied().flatten();
            let outermost = place.and_then(|(_, number)| known_mut(&mut open, number));
            if !is_entered {
                if let Some(outermost) = outermost {
                    *outermost = None;
                }
                continue;
            }
            let mut closes = false;
            if let (Some((place, _)), Some(outermost)) = (place, outermost) {
                builder.add_own(place, wall(own[id]));
                let (of, cost) = match *outermost {
                    Some(outer) => (outer, own[id].saturating_neg()),
                    None => (place, inclusive[id].saturating_sub(own[id])),
                };
                builder.add_calls(of, 0, wall(cost));
                closes = outermost.is_none();
                outermost.get_or_insert(place);
            } else if let Some(caller) = caller {
                builder.add_builtin(caller, wall(own[id]));
            }
            if closes {
                walk.push((node, None, false));
            }
            let innermost = place.map(|(place, _)| place).or(caller);
            let inner = children.of(node).iter();
            walk.extend(inner.map(|child| (*child, innermost, true)));
        }
        budget.give_back(bytes);
        builder.finish()
    }

    /// The calls from each line, with their cost. Recursion counts once.
    #[must_use]
    pub fn line_calls<'s>(&'s self, symbols: &'s [Symbol]) -> Vec<LineCall<'s>> {
        let [_, inclusive] = self.lined_weights();
        let mut places: HashMap<(Option<&[u8]>, u32, SymbolId), usize> = HashMap::new();
        let mut calls: Vec<LineCall<'s>> = Vec::new();
        let numbers = self.lined.list.iter().map(|stack| {
            let callee = self[stack.stack].symbol;
            let caller = self
                .lined
                .get(stack.parent)
                .filter(|caller| caller.line > 0)?;
            let symbol = symbols.get(self[caller.stack].symbol.index())?;
            let file = self.lined.file(caller, symbol);
            let key = (file, caller.line, callee);
            Some(*places.entry(key).or_insert_with(|| {
                calls.push(LineCall {
                    file,
                    line: caller.line,
                    callee,
                    cost: 0,
                });
                calls.len() - 1
            }))
        });
        let numbers: Vec<_> = std::iter::once(None).chain(numbers).collect();
        let children = self.lined.children();
        let mut is_open = vec![false; calls.len()];
        let mut walk = vec![(NodeId::ROOT, true)];
        while let Some((node, is_entered)) = walk.pop() {
            let number = numbers.get(node.index()).copied().flatten();
            let is_open = number.and_then(|number| known_mut(&mut is_open, number));
            if let (Some(number), Some(is_open)) = (number, is_open) {
                if !is_entered {
                    *is_open = false;
                    continue;
                }
                if !*is_open {
                    *is_open = true;
                    walk.push((node, false));
                    if let Some(call) = known_mut(&mut calls, number) {
                        let cost = inclusive[LinedId(node.0)];
                        call.cost = call.cost.saturating_add(cost);
                    }
                }
            }
            let inner = children.of(node).iter();
            walk.extend(inner.map(|child| (*child, true)));
        }
        calls
    }

    /// The weight of each stack with lines, by itself and with those above it. The first row is that
    /// of samples without lines.
    #[must_use]
    pub fn lined_weights(&self) -> [Table<LinedId, i64>; 2] {
        let mut own = Table::new(0_i64, self.lined.list.len() + 1);
        for sample in &self.samples {
            let own = &mut own[sample.lined];
            *own = own.saturating_add_unsigned(sample.weight);
        }
        let mut inclusive = own.clone();
        for (index, stack) in self.lined.list.iter().enumerate().rev() {
            let sum = inclusive[LinedId::of(index)];
            if stack.parent != LinedId::UNKNOWN {
                let parent = &mut inclusive[stack.parent];
                *parent = parent.saturating_add(sum);
            }
        }
        [own, inclusive]
    }
}

/// The calls of a function from one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCall<'s> {
    /// The file; none if it is not known.
    pub file: Option<&'s [u8]>,
    /// The line.
    pub line: u32,
    /// The function that is called.
    pub callee: SymbolId,
    /// What the calls cost, callees included: the samples' weight.
    pub cost: i64,
}
