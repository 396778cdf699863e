//! What a tracing recording measures, as a type: so that each combination has its own
//! hooks, and no hook tests a flag.

use std::marker::PhantomData;

use recorder::{Plan, Reading, Ticks};

use super::marks::Marks;
use crate::clock::Clocks;
use crate::zend::{self, Call};

/// A [`Plan`] with clocks to read and frames to mark.
pub(in crate::engine) trait Tracing: Plan {
    /// How frames are marked.
    type Marks: Marks;

    /// Reads the plan's clocks and counters; the wall clock last at entry…
    fn read_at_entry() -> Reading;
    /// … and first at exit, so that reading the rest is not charged to the callee.
    fn read_at_exit() -> Reading;

    /// The call's site.
    #[inline(always)]
    fn site(call: Call<'_>) -> <Self::Marks as Marks>::Site<'_> {
        Self::Marks::site(call)
    }
}

/// A plan with clocks and marks as types, the rest as constants.
pub(in crate::engine) struct Traced<C, M, S, const CPU: bool, const MEMORY: bool>(
    PhantomData<(C, M, S)>,
);

/// A [`Shape`](recorder::Shape) as a type.
pub(in crate::engine) trait Shaped {
    /// The shape is a tree or events.
    const TREE: bool;
    /// The shape is events.
    const EVENTS: bool = false;
    /// The tree or the events also have the lines of calls.
    const LINES: bool = false;
}

pub(in crate::engine) struct Edges;
pub(in crate::engine) struct Tree;
pub(in crate::engine) struct TreeWithLines;
pub(in crate::engine) struct Events;
pub(in crate::engine) struct EventsWithLines;

impl Shaped for Edges {
    const TREE: bool = false;
}

impl Shaped for Tree {
    const TREE: bool = true;
}

impl Shaped for TreeWithLines {
    const TREE: bool = true;
    const LINES: bool = true;
}

impl Shaped for Events {
    const TREE: bool = true;
    const EVENTS: bool = true;
}

impl Shaped for EventsWithLines {
    const TREE: bool = true;
    const EVENTS: bool = true;
    const LINES: bool = true;
}

impl<C, M: Marks, S: Shaped, const CPU: bool, const MEMORY: bool> Plan
    for Traced<C, M, S, CPU, MEMORY>
{
    const CPU: bool = CPU;
    const MEMORY: bool = MEMORY;
    const TREE: bool = S::TREE;
    const EVENTS: bool = S::EVENTS;
    const LINES: bool = S::LINES;
    const ENDS_EARLY: bool = M::ENDS_EARLY;
}

impl<C: Clocks, M: Marks, S: Shaped, const CPU: bool, const MEMORY: bool> Tracing
    for Traced<C, M, S, CPU, MEMORY>
{
    type Marks = M;

    #[inline(always)]
    fn read_at_entry() -> Reading {
        let (memory, peak) = if MEMORY { zend::memory() } else { (0, 0) };
        let (wall, cpu) = if CPU {
            C::both_at_entry()
        } else {
            (C::wall(), Ticks::ZERO)
        };
        Reading {
            wall,
            cpu,
            memory,
            peak,
        }
    }

    #[inline(always)]
    fn read_at_exit() -> Reading {
        let (wall, cpu) = if CPU {
            C::both_at_exit()
        } else {
            (C::wall(), Ticks::ZERO)
        };
        let (memory, peak) = if MEMORY { zend::memory() } else { (0, 0) };
        Reading {
            wall,
            cpu,
            memory,
            peak,
        }
    }
}
