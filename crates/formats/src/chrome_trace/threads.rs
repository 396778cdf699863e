//! Converts the calls of each thread to events or a tree.
//!
//! Times may be out of order. `B` and `E` of one time keep the order of the
//! file; an `X` lies in the shortest call around it. A call that overlaps
//! another without nesting ends with the call around it.
//!
//! **Invariant:** the times of events never decrease, and calls nest.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use profile::{
    Body, Budget, Cost, Event, EventFold, EventKind, Events, Instant, Meta, Metrics, Mode, NodeId,
    OverBudget, Profile, Sample, SamplesBuilder, Spans, SymbolId, TreeBuilder, WallUnit,
};

use super::reader::{Shape, XhprofFields};
use crate::names::Names;
use crate::thread_label::ThreadLabel;

/// The maximum number of single events; more become a call tree.
const MAX_EVENTS: usize = 1 << 20;

/// The noun in the budget's error message.
const EVENTS: &str = "events";

/// The end of a call without a known end.
const NO_END: i64 = i64::MAX;

/// A thread of a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) process: String,
    pub(super) thread: String,
}

/// Nanoseconds on both clocks, if known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) wall: i64,
    pub(super) cpu: Option<i64>,
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

/// The data of a thread, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) name: Option<String>,
    pub(super) edges: Vec<Edge>,
    pub(super) calls: Vec<Call>,
    /// The index of the edge before which memory or its peak changed.
    pub(super) memory: Vec<(usize, bool, i64)>,
}

/// All threads of a trace.
#[derive(Debug)]
pub(super) struct Threads {
    list: BTreeMap<Key, Thread>,
    budget: Budget,
    pub(super) processes: HashMap<String, String>,
}

/// Bytes per thread, without its calls.
const THREAD_BYTES: usize = 2 * size_of::<(Key, Thread)>() + 64;

impl Threads {
    /// No threads yet, and at most as many as the budget allows.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            list: BTreeMap::new(),
            budget: budget.clone(),
            processes: HashMap::new(),
        }
    }

    /// The thread of a key.
    pub(super) fn thread(&mut self, key: Key) -> Result<&mut Thread, OverBudget> {
        Ok(match self.list.entry(key) {
            Entry::Occupied(place) => place.into_mut(),
            Entry::Vacant(place) => {
                self.budget.take(THREAD_BYTES, "threads")?;
                place.insert(Thread::default())
            }
        })
    }

    /// The profile of all threads; none if no thread has a call.
    pub(super) fn finish(
        self,
        mut names: Names,
        ours: &XhprofFields,
        mut meta: Meta,
    ) -> Option<Profile> {
        let labels = self.labels();
        let mut stray = 0;
        let mut list = Vec::new();
        let mut has_cpu = true;
        for ((key, mut thread), label) in self.list.into_iter().zip(labels) {
            let memory = std::mem::take(&mut thread.memory);
            let steps = thread.steps(&mut stray, &self.budget);
            if !steps.is_empty() {
                has_cpu &= steps.iter().all(|step| step.at.cpu.is_some());
                list.push((key, label, memory, steps));
            }
        }
        if stray > 0 {
            meta.not_read
                .push(format!("{stray} exits without an entry"));
        }
        let start = list
            .iter()
            .filter_map(|(.., steps)| Some(steps.first()?.at.wall))
            .min()?;
        let last = list
            .iter()
            .filter_map(|(.., steps)| Some(steps.last()?.at.wall))
            .max()?;
        let is_counted = ours.sample_ns.is_some();
        let mut metrics = Metrics {
            calls: true,
            cpu: has_cpu,
            memory: ours.has_memory,
            wall_unit: if is_counted {
                WallUnit::Samples
            } else {
                WallUnit::Nanoseconds
            },
        };
        let body = match (list.as_slice(), ours.shape) {
            ([(key, _, memory, steps)], None | Some(Shape::Events)) => {
                meta.process = key.process.parse().ok();
                meta.mode = Mode::Traced;
                events(steps, start, last, has_cpu, memory, &self.budget)
            }
            ([(key, _, _, steps)], Some(Shape::Samples)) => {
                meta.process = key.process.parse().ok();
                meta.mode = Mode::Sampled;
                meta.interval_ns = ours.sample_ns;
                metrics.calls = false;
                samples(steps, start, ours, &self.budget)
            }
            (several, shape) => {
                let mut forest = Forest::new(ours, has_cpu, &self.budget);
                let is_one = several.len() == 1;
                for (key, label, _, steps) in several {
                    let base = if is_one {
                        meta.process = key.process.parse().ok();
                        NodeId::ROOT
                    } else {
                        let symbol = names.symbol(label.as_bytes(), None)?;
                        forest.builder.child(NodeId::ROOT, symbol)
                    };
                    forest.add(base, steps, last);
                }
                match shape {
                    Some(Shape::Tree) => metrics.calls = ours.has_calls,
                    Some(Shape::Samples) => metrics.calls = false,
                    _ => meta.mode = Mode::Traced,
                }
                forest.finish()
            }
        };
        Some(Profile {
            symbols: names.into_symbols(),
            body,
            metrics,
            meta,
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }

    /// The labels of the threads, in the order of the list.
    fn labels(&self) -> Vec<String> {
        let mut keys = self.list.keys().map(|key| &key.process);
        let first = keys.next();
        let is_one_process = keys.all(|process| Some(process) == first);
        let label = |(key, thread): (&Key, &Thread)| {
            let label = ThreadLabel {
                process: self.processes.get(&key.process).map(String::as_str),
                process_id: &key.process,
                thread: thread.name.as_deref(),
                thread_id: &key.thread,
            };
            label.show(is_one_process)
        };
        self.list.iter().map(label).collect()
    }
}

/// An entry or an exit that nests with the others.
#[derive(Debug, Clone, Copy)]
struct Step {
    at: Clock,
    /// None for an exit.
    enters: Option<SymbolId>,
}

impl Thread {
    /// Entries and exits that nest, in the order of time. Calls may be open at
    /// the end.
    fn steps(mut self, stray: &mut u64, budget: &Budget) -> Vec<Step> {
        // A stable sort: events of one time keep the order of the file.
        self.edges.sort_by_key(|edge| edge.at.wall);
        if self.calls.is_empty() {
            let mut steps = Vec::new();
            matched(&self.edges, stray, budget, |at, enters| {
                if budget.room(&mut steps, EVENTS).is_ok() {
                    steps.push(Step { at, enters });
                }
            });
            budget.drop_list(self.edges);
            return steps;
        }
        let mut open: Vec<usize> = Vec::new();
        let mut calls: Vec<Call> = Vec::new();
        matched(&self.edges, stray, budget, |at, enters| match enters {
            Some(symbol) => {
                let has_room = budget.room(&mut calls, EVENTS).is_ok()
                    && budget.room(&mut open, EVENTS).is_ok();
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
                let call = open.pop().and_then(|place| calls.get_mut(place));
                if let Some(call) = call {
                    call.to = at;
                }
            }
        });
        // Calls that are open at the end stay open.
        for place in open {
            if let Some(call) = calls.get_mut(place) {
                call.to.wall = NO_END;
            }
        }
        budget.drop_list(self.edges);
        if budget
            .room_for(&mut calls, self.calls.len(), EVENTS)
            .is_ok()
        {
            calls.append(&mut self.calls);
        }
        budget.drop_list(self.calls);
        nested(calls, budget)
    }
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

/// The events of a single thread. `main()` is open from the first to the last.
fn events(
    steps: &[Step],
    start: i64,
    last: i64,
    has_cpu: bool,
    memory: &[(usize, bool, i64)],
    budget: &Budget,
) -> Body {
    let cpu_start = steps.first().and_then(|step| step.at.cpu).unwrap_or(0);
    let mut memory = memory.iter().peekable();
    let mut now = Instant::default();
    let mut open: Vec<bool> = Vec::new();
    let mut list = Vec::new();
    let mut fold = None;
    for (place, step) in steps.iter().enumerate() {
        now.wall = now.wall.max(unsigned(step.at.wall.saturating_sub(start)));
        if has_cpu {
            let cpu = step.at.cpu.unwrap_or(0).saturating_sub(cpu_start);
            now.cpu = now.cpu.max(unsigned(cpu));
        }
        while let Some(&&(_, is_peak, value)) = memory.peek().filter(|(at, ..)| *at <= place) {
            *(if is_peak {
                &mut now.peak
            } else {
                &mut now.memory
            }) = value;
            memory.next();
        }
        // A `main()` at the bottom of a stack is the root.
        let kind = match step.enters {
            Some(symbol) => {
                let is_root = open.is_empty() && symbol == SymbolId::ROOT;
                open.push(is_root);
                (!is_root).then_some(EventKind::Enter(symbol))
            }
            None => (open.pop() == Some(false)).then_some(EventKind::Leave),
        };
        let Some(kind) = kind else { continue };
        let event = Event { at: now, kind };
        match &mut fold {
            None if list.len() < MAX_EVENTS => {
                if budget.room(&mut list, EVENTS).is_ok() {
                    list.push(event);
                }
            }
            None => {
                let mut new = EventFold::within(budget);
                list.drain(..).for_each(|event| new.add(event));
                new.add(event);
                fold = Some(new);
            }
            Some(fold) => fold.add(event),
        }
    }
    now.wall = now.wall.max(unsigned(last.saturating_sub(start)));
    match fold {
        Some(fold) => Body::Tree(fold.finish(now)),
        None => Body::Events(Events {
            events: list,
            end: now,
        }),
    }
}

/// Samples that this crate's writer wrote: one for each interval with one
/// stack.
fn samples(steps: &[Step], start: i64, ours: &XhprofFields, budget: &Budget) -> Body {
    let mut builder = SamplesBuilder::within(budget);
    let mut open: Vec<NodeId> = Vec::new();
    let mut now = start;
    for step in steps {
        let passed = unsigned(step.at.wall.saturating_sub(now));
        let weight = passed / ours.sample_ns.unwrap_or(1).max(1);
        if let Some(&stack) = open.last()
            && weight > 0
        {
            let at = unsigned(now.saturating_sub(start));
            builder.add(Sample { at, weight, stack });
        }
        now = now.max(step.at.wall);
        match step.enters {
            Some(SymbolId::ROOT) if open.is_empty() => open.push(NodeId::ROOT),
            Some(symbol) => {
                let below = open.last().copied().unwrap_or_default();
                open.push(builder.push(below, symbol));
            }
            None => drop(open.pop()),
        }
    }
    Body::Samples(builder.finish())
}

/// Several threads as one tree, or a file not written from events. Only time
/// inside of calls is counted.
struct Forest<'o> {
    builder: TreeBuilder,
    ours: &'o XhprofFields,
    has_cpu: bool,
    entries: usize,
}

impl<'o> Forest<'o> {
    fn new(ours: &'o XhprofFields, has_cpu: bool, budget: &Budget) -> Self {
        Self {
            builder: TreeBuilder::within(budget),
            ours,
            has_cpu,
            entries: 0,
        }
    }

    fn add(&mut self, base: NodeId, steps: &[Step], last: i64) {
        let mut open: Vec<NodeId> = Vec::new();
        let mut now = steps.first().map_or(0, |step| step.at.wall);
        let mut cpu = steps.first().and_then(|step| step.at.cpu).unwrap_or(0);
        for step in steps {
            let top = open.last().copied();
            self.charge(top, &mut now, step.at.wall, &mut cpu, step.at.cpu);
            let Some(symbol) = step.enters else {
                open.pop();
                continue;
            };
            let is_main = open.is_empty() && symbol == SymbolId::ROOT;
            let node = match open.last() {
                None if is_main => base,
                top => self.builder.child(top.copied().unwrap_or(base), symbol),
            };
            open.push(node);
            self.count(node);
        }
        self.charge(open.last().copied(), &mut now, last, &mut cpu, None);
    }

    /// The time until `to` is charged to the innermost function.
    fn charge(
        &mut self,
        top: Option<NodeId>,
        wall: &mut i64,
        to: i64,
        cpu: &mut i64,
        cpu_to: Option<i64>,
    ) {
        let passed = |from: &mut i64, to: i64| {
            let from = std::mem::replace(from, to.max(*from));
            unsigned(to.saturating_sub(from))
        };
        let mut cost = Cost {
            wall: passed(wall, to) / self.ours.sample_ns.unwrap_or(1).max(1),
            ..Cost::default()
        };
        if self.has_cpu
            && let Some(to) = cpu_to
        {
            cost.cpu = passed(cpu, to);
        }
        if let Some(top) = top {
            *self.builder.cost(top) += cost;
        }
    }

    /// Counts an entry.
    fn count(&mut self, node: NodeId) {
        let width = if self.ours.has_memory { 3 } else { 1 };
        let place = self.entries * width;
        self.entries += 1;
        let cost = match self.ours.shape {
            None | Some(Shape::Events) => Cost {
                calls: 1,
                ..Cost::default()
            },
            Some(Shape::Samples) => return,
            Some(Shape::Tree) => {
                let costs = self
                    .ours
                    .costs
                    .get(place..place + width)
                    .unwrap_or_default();
                let at = |index: usize| costs.get(index).copied().unwrap_or(0);
                Cost {
                    calls: unsigned(at(0)),
                    memory: at(1),
                    peak: at(2),
                    ..Cost::default()
                }
            }
        };
        *self.builder.cost(node) += cost;
    }

    fn finish(mut self) -> Body {
        let root = self.builder.cost(NodeId::ROOT);
        if root.calls == 0 && self.ours.shape.is_none() {
            root.calls = 1;
        }
        Body::Tree(self.builder.finish_self_costs())
    }
}

fn unsigned(value: i64) -> u64 {
    value.max(0).unsigned_abs()
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
        let thread = Thread {
            edges: vec![
                edge(9, Some(1), false),
                edge(0, Some(1), true),
                edge(0, Some(2), true),
                edge(3, Some(7), false),
                edge(2, Some(3), true),
                edge(5, Some(2), false),
                edge(6, Some(4), true),
                edge(6, None, false),
            ],
            ..Thread::default()
        };
        let mut stray = 0;
        let steps = shown(&thread.steps(&mut stray, &Budget::unlimited()));
        assert_eq!(stray, 1);
        assert_eq!(
            steps,
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
