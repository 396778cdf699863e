//! What a range of time cost.
//!
//! Time is exact: a call that crosses the border of a range belongs to it with
//! the part that is inside. CPU time and memory of the stretch in which the
//! border lies are divided in proportion. A call is counted where it begins. So
//! a range and its complement add up to the whole.

use profile::{Body, Cost, Event, EventKind, Events, Instant, NodeId, Profile, Samples, Tree};
use serde::{Deserialize, Serialize};

use crate::lanes::TopNodes;
use crate::{Document, Error};

/// A range of time, in nanoseconds since the profile began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TimeRange {
    /// Where it begins.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub from: u64,
    /// Where it ends; what happens at this instant is outside.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub to: u64,
}

impl Document {
    /// The document of a range of time, with the same functions and call paths.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsTimes`].
    pub fn in_range(&self, range: TimeRange) -> Result<Self, Error> {
        let times = self.times()?;
        let tree = self.tree()?;
        let mut own = vec![Cost::default(); tree.len()];
        let profile = self.profile();
        match (&profile.body, &times.tops) {
            (Body::Events(events), TopNodes::Events(tops)) => {
                charge_events(events, tops, range, &mut own);
            }
            (Body::Samples(samples), TopNodes::Stacks(tops)) => {
                charge_samples(samples, tops, range, &mut own);
            }
            _ => {}
        }
        let mut spans = profile.spans.clone();
        spans
            .list
            .retain(|span| (range.from..range.to).contains(&span.start));
        let part = Profile {
            symbols: profile.symbols.clone(),
            // The tree is that of the whole profile, with other costs.
            body: Body::Tree(Tree { nodes: Vec::new() }),
            metrics: profile.metrics,
            meta: profile.meta.clone(),
            spans,
            lines: profile::Lines::default(),
        };
        let files = self.files().to_vec();
        Ok(Self::with_tree(part, tree.with_own_costs(own), files))
    }
}

fn charge_events(events: &Events, tops: &[u32], range: TimeRange, own: &mut [Cost]) {
    let list = &events.events;
    let begins = |wall: u64| list.partition_point(|event| event.at.wall < wall);
    if (range.from..range.to).contains(&0) {
        own[NodeId::ROOT.index()].calls = 1;
    }
    // From the stretch that crosses the beginning to the one that crosses the end.
    let first = begins(range.from);
    let last = begins(range.to).max(first);
    let crossing = |index: usize, own: &mut [Cost]| {
        let start = index
            .checked_sub(1)
            .map_or(Instant::default(), |before| list[before].at);
        let end = list.get(index).map_or(events.end, |event| event.at);
        own[tops[index] as usize] += between(start, end, range);
    };
    crossing(first, own);
    if last > first {
        // What is between the two is inside as a whole.
        let mut before = list[first].at;
        let inside = first + 1..last;
        let (events, tops) = (&list[inside.clone()], &tops[inside]);
        for (events, tops) in events.chunks(PIECE).zip(tops.chunks(PIECE)) {
            before = charge_whole(before, events, tops, own);
        }
        crossing(last, own);
    }
    let pieces = list[first..last].chunks(PIECE);
    for (events, tops) in pieces.zip(tops[first + 1..].chunks(PIECE)) {
        count_calls(events, tops, own);
    }
}

/// A browser compiles a function of WebAssembly well while it runs, and uses
/// that for its next call: so a loop over millions is called piece by piece.
const PIECE: usize = 8_192;

/// Charges the stretches before each of `events`; returns when the last ended.
#[inline(never)]
fn charge_whole(mut before: Instant, events: &[Event], tops: &[u32], own: &mut [Cost]) -> Instant {
    for (Event { at, .. }, top) in events.iter().zip(tops) {
        own[*top as usize] += since(before, *at);
        before = *at;
    }
    before
}

/// Counts each call at the node that runs after it began.
#[inline(never)]
fn count_calls(events: &[Event], tops: &[u32], own: &mut [Cost]) {
    for (event, top) in events.iter().zip(tops) {
        if matches!(event.kind, EventKind::Enter(_)) {
            let cost = &mut own[*top as usize];
            cost.calls = cost.calls.saturating_add(1);
        }
    }
}

/// What a stretch cost.
fn since(start: Instant, end: Instant) -> Cost {
    Cost {
        calls: 0,
        wall: end.wall.saturating_sub(start.wall),
        cpu: end.cpu.saturating_sub(start.cpu),
        memory: end.memory.saturating_sub(start.memory),
        peak: end.peak.saturating_sub(start.peak),
    }
}

/// What the stretch from `start` to `end` cost inside the range.
fn between(start: Instant, end: Instant, range: TimeRange) -> Cost {
    let whole = since(start, end);
    let length = whole.wall;
    if length == 0 {
        let is_inside = (range.from..range.to).contains(&start.wall);
        return if is_inside { whole } else { Cost::default() };
    }
    let from = range.from.clamp(start.wall, end.wall) - start.wall;
    let to = range.to.clamp(start.wall, end.wall).max(start.wall + from) - start.wall;
    if from == 0 && to == length {
        return whole;
    }
    let Cost {
        cpu, memory, peak, ..
    } = whole;
    // Parts of the whole are differences of sums, so parts add up.
    let until = |whole: i128, at: u64| whole * i128::from(at) / i128::from(length);
    let part = |whole: i128| until(whole, to) - until(whole, from);
    let signed = |whole: i64| i64::try_from(part(i128::from(whole))).unwrap_or(i64::MAX);
    Cost {
        calls: 0,
        wall: to - from,
        cpu: u64::try_from(part(i128::from(cpu))).unwrap_or(0),
        memory: signed(memory),
        peak: signed(peak),
    }
}

fn charge_samples(samples: &Samples, tops: &[u32], range: TimeRange, own: &mut [Cost]) {
    for sample in &samples.samples {
        if (range.from..range.to).contains(&sample.at) {
            let cost = &mut own[tops[sample.stack.index()] as usize];
            cost.wall = cost.wall.saturating_add(sample.weight);
        }
    }
}
