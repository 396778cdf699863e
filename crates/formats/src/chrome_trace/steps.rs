//! The calls of a thread as entries and exits that nest.
//!
//! Times may be out of order. `B` and `E` of one time keep the order of the
//! file; an `X` lies in the shortest call around it. A call that overlaps
//! another without nesting ends with the call around it.
//!
//! **Invariant:** the times of steps never decrease, and calls nest.

use std::cmp::Reverse;

use profile::{Budget, SymbolId};

/// The noun in the budget's error message.
const EVENTS: &str = "events";

/// The end of a call without a known end.
const NO_END: i64 = i64::MAX;

/// Nanoseconds on both clocks, if known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) wall: i64,
    pub(super) cpu: Option<i64>,
}

/// A length of time; a negative one is zero.
pub(super) fn unsigned(value: i64) -> u64 {
    value.max(0).unsigned_abs()
}

/// An entry or an exit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) at: Clock,
    /// None for an exit of the function that was entered last.
    pub(super) symbol: Option<SymbolId>,
    pub(super) opens: bool,
}

/// A whole call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    symbol: SymbolId,
    from: Clock,
    to: Clock,
}

impl Call {
    /// A call of some length.
    pub(super) fn new(symbol: SymbolId, from: Clock, length: Clock) -> Self {
        let later = |from: i64, length: i64| from.saturating_add(length.max(0));
        let to = Clock {
            wall: later(from.wall, length.wall),
            cpu: from.cpu.map(|cpu| later(cpu, length.cpu.unwrap_or(0))),
        };
        Self { symbol, from, to }
    }
}

/// An entry or an exit that nests with the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) at: Clock,
    /// None for an exit.
    pub(super) enters: Option<SymbolId>,
}

/// Entries and exits that nest, in the order of time. Calls may be open at
/// the end.
pub(super) fn steps(
    mut edges: Vec<Edge>,
    mut whole: Vec<Call>,
    stray: &mut u64,
    budget: &Budget,
) -> Vec<Step> {
    // A stable sort: events of one time keep the order of the file.
    edges.sort_by_key(|edge| edge.at.wall);
    if whole.is_empty() {
        let mut steps = Vec::new();
        matched(&edges, stray, budget, |at, enters| {
            if budget.room(&mut steps, EVENTS).is_ok() {
                steps.push(Step { at, enters });
            }
        });
        budget.drop_list(edges);
        return steps;
    }
    let mut open: Vec<usize> = Vec::new();
    let mut calls: Vec<Call> = Vec::new();
    matched(&edges, stray, budget, |at, enters| match enters {
        Some(symbol) => {
            let has_room =
                budget.room(&mut calls, EVENTS).is_ok() && budget.room(&mut open, EVENTS).is_ok();
            if !has_room {
                return;
            }
            open.push(calls.len());
            calls.push(Call {
                symbol,
                from: at,
                to: at,
            });
        }
        None => {
            if let Some(place) = open.pop() {
                calls[place].to = at;
            }
        }
    });
    // Calls that are open at the end stay open.
    for place in open {
        calls[place].to.wall = NO_END;
    }
    budget.drop_list(edges);
    if budget.room_for(&mut calls, whole.len(), EVENTS).is_ok() {
        calls.append(&mut whole);
    }
    budget.drop_list(whole);
    nested(calls, budget)
}

/// Calls `visit` with each entry and exit that fits the calls that are open.
fn matched(
    edges: &[Edge],
    stray: &mut u64,
    budget: &Budget,
    mut visit: impl FnMut(Clock, Option<SymbolId>),
) {
    let mut open: Vec<SymbolId> = Vec::new();
    for edge in edges {
        if edge.opens {
            let symbol = edge.symbol.unwrap_or(SymbolId::ROOT);
            visit(edge.at, Some(symbol));
            if budget.room(&mut open, EVENTS).is_err() {
                return;
            }
            open.push(symbol);
            continue;
        }
        let place = match edge.symbol {
            None => open.len().checked_sub(1),
            Some(symbol) => open.iter().rposition(|&other| other == symbol),
        };
        let Some(place) = place else {
            *stray += 1;
            continue;
        };
        // Calls that were entered later and have no exit end here, too.
        while open.len() > place {
            open.pop();
            visit(edge.at, None);
        }
    }
}

/// Whole calls as entries and exits: the parent of a call is the one around it
/// that began last.
fn nested(mut calls: Vec<Call>, budget: &Budget) -> Vec<Step> {
    calls.sort_by_key(|call| (call.from.wall, Reverse(call.to.wall)));
    let mut steps = Vec::new();
    let mut open: Vec<Clock> = Vec::new();
    let room = budget.room_for(&mut steps, calls.len() * 2, EVENTS);
    if room
        .and(budget.room_for(&mut open, calls.len(), EVENTS))
        .is_err()
    {
        return steps;
    }
    for mut call in calls {
        while let Some(&end) = open.last()
            && end.wall <= call.from.wall
        {
            open.pop();
            steps.push(Step {
                at: end,
                enters: None,
            });
        }
        if let Some(end) = open.last()
            && end.wall < call.to.wall
        {
            call.to = *end;
        }
        steps.push(Step {
            at: call.from,
            enters: Some(call.symbol),
        });
        open.push(call.to);
    }
    while let Some(at) = open.pop() {
        if at.wall < NO_END {
            steps.push(Step { at, enters: None });
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall: i64) -> Clock {
        Clock { wall, cpu: None }
    }

    fn shown(steps: &[Step]) -> Vec<(i64, Option<u32>)> {
        let show = |step: &Step| (step.at.wall, step.enters.map(|symbol| symbol.0));
        steps.iter().map(show).collect()
    }

    #[test]
    fn whole_calls_lie_in_the_one_around_them() {
        let call = |symbol, from, length| Call::new(SymbolId(symbol), at(from), at(length));
        // In the order in which tracers log calls: at their end. The last one
        // overlaps, and is cut.
        let calls = vec![
            call(3, 2, 3),
            call(2, 1, 9),
            call(4, 10, 1),
            call(5, 10, 9),
            call(1, 0, 12),
        ];
        let steps = shown(&nested(calls, &Budget::unlimited()));
        assert_eq!(
            steps,
            [
                (0, Some(1)),
                (1, Some(2)),
                (2, Some(3)),
                (5, None),
                (10, None),
                (10, Some(5)),
                (10, Some(4)),
                (11, None),
                (12, None),
                (12, None),
            ]
        );
    }

    #[test]
    fn ends_that_do_not_fit_close_what_they_can_or_nothing() {
        let edge = |wall, symbol: Option<u32>, opens| Edge {
            at: at(wall),
            symbol: symbol.map(SymbolId),
            opens,
        };
        let edges = vec![
            edge(9, Some(1), false),
            edge(0, Some(1), true),
            edge(0, Some(2), true),
            edge(3, Some(7), false),
            edge(2, Some(3), true),
            edge(5, Some(2), false),
            edge(6, Some(4), true),
            edge(6, None, false),
        ];
        let mut stray = 0;
        let found = shown(&steps(edges, Vec::new(), &mut stray, &Budget::unlimited()));
        assert_eq!(stray, 1);
        assert_eq!(
            found,
            [
                (0, Some(1)),
                (0, Some(2)),
                (2, Some(3)),
                (5, None),
                (5, None),
                (6, Some(4)),
                (6, None),
                (9, None),
            ]
        );
    }
}
