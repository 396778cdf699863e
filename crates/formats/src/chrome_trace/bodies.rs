//! The body of a profile of one thread: its events, or its samples.

use profile::{
    Body, Budget, Event, EventFold, EventKind, Events, Instant, NodeId, Sample, SamplesBuilder,
    SymbolId,
};

use super::ours::XhprofFields;
use super::steps::{Step, unsigned};

/// The maximum number of single events; more become a call tree.
const MAX_EVENTS: usize = 1 << 20;

/// The noun in the budget's error message.
const EVENTS: &str = "events";

/// The events of a single thread. `main()` is open from the first to the last.
pub(super) fn events(
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
pub(super) fn samples(steps: &[Step], start: i64, ours: &XhprofFields, budget: &Budget) -> Body {
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
            builder.add(Sample::new(at, weight, stack));
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
