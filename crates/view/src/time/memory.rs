//! The memory in use, as a curve below the calls in the order of time.

use profile::{Body, Event};
use serde::{Deserialize, Serialize};

use super::TimeRange;
use crate::{Document, Error};

/// Which part of the curve.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(default, deny_unknown_fields)]
pub struct MemoryQuery {
    /// The part of the time; none for all.
    pub range: Option<TimeRange>,
    /// How many points, at most 4,000.
    pub points: u32,
}

impl Default for MemoryQuery {
    fn default() -> Self {
        Self {
            range: None,
            points: 1_000,
        }
    }
}

/// The memory in use, relative to what was in use when the profile began.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MemoryCurve {
    /// The part of the time that is shown.
    pub range: TimeRange,
    /// The most bytes in use in each of so many equal stretches of it; empty if memory was
    /// not recorded with times.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub most: Vec<i64>,
}

/// A curve looks at blocks of so many events, and at single ones at both ends.
const BLOCK: usize = 256;

pub(crate) fn memory(document: &Document, query: &MemoryQuery) -> Result<MemoryCurve, Error> {
    let end = document.times()?.lanes.end;
    let whole = TimeRange { from: 0, to: end };
    let range = query.range.filter(|range| range.from < range.to);
    let range = range.unwrap_or(whole);
    let profile = document.profile();
    let Body::Events(events) = &profile.body else {
        return Ok(MemoryCurve {
            range,
            most: Vec::new(),
        });
    };
    let most = if profile.metrics.memory {
        let blocks = document.memory().get_or_init(|| blocks(document));
        curve(&events.events, blocks, range, query.points.clamp(1, 4_000))
    } else {
        Vec::new()
    };
    Ok(MemoryCurve { range, most })
}

/// The most memory in use in each block of events.
fn blocks(document: &Document) -> Vec<i64> {
    match &document.profile().body {
        Body::Events(events) => events.events.chunks(BLOCK).map(most_of).collect(),
        _ => Vec::new(),
    }
}

fn most_of(events: &[Event]) -> i64 {
    let memory = events.iter().map(|event| event.at.memory);
    memory.max().unwrap_or(i64::MIN)
}

/// A stretch without an event has what was in use before it.
fn curve(events: &[Event], blocks: &[i64], range: TimeRange, points: u32) -> Vec<i64> {
    let place = |time: u64| events.partition_point(|event| event.at.wall < time);
    let mut first = place(range.from);
    let mut before = first
        .checked_sub(1)
        .and_then(|last| events.get(last))
        .map_or(0, |event| event.at.memory);
    (1..=u128::from(points))
        .map(|point| {
            let length = u128::from(range.to - range.from);
            let to = range.from + u64::try_from(length * point / u128::from(points)).unwrap_or(0);
            let end = place(to).max(first);
            let most = most_between(events, blocks, first, end).max(before);
            if let Some(last) = end.checked_sub(1).and_then(|last| events.get(last)) {
                before = last.at.memory;
            }
            first = end;
            most
        })
        .collect()
}

fn most_between(events: &[Event], blocks: &[i64], first: usize, end: usize) -> i64 {
    let (from, to) = (first.div_ceil(BLOCK), end / BLOCK);
    if from >= to {
        return most_of(&events[first..end]);
    }
    let whole = blocks[from..to].iter().copied().max().unwrap_or(i64::MIN);
    let ends = most_of(&events[first..from * BLOCK]).max(most_of(&events[to * BLOCK..end]));
    whole.max(ends)
}

#[cfg(test)]
mod tests {
    use profile::{EventKind, Instant};

    use super::*;

    fn events(memory: impl Iterator<Item = i64>) -> Vec<Event> {
        (0_u64..)
            .zip(memory)
            .map(|(wall, memory)| Event {
                at: Instant {
                    wall,
                    memory,
                    ..Instant::default()
                },
                kind: EventKind::Leave,
            })
            .collect()
    }

    #[test]
    fn a_curve_has_the_most_of_each_stretch() {
        let list = events((0..10_000).map(|at| (at * 7_919) % 1_000));
        let blocks: Vec<i64> = list.chunks(BLOCK).map(most_of).collect();
        for (from, to, points) in [(0, 10_000, 7), (3, 9_990, 500), (100, 110, 10)] {
            let found = curve(&list, &blocks, TimeRange { from, to }, points);
            let mut first = from;
            for (point, most) in (1_u64..).zip(&found) {
                let end = from + (to - from) * point / u64::from(points);
                let before = first.saturating_sub(1);
                let expected = (before..end).map(|at| list[usize::try_from(at).unwrap()].at.memory);
                assert_eq!(Some(*most), expected.max(), "{from} {to} {point}");
                first = end;
            }
        }
    }

    #[test]
    fn a_stretch_without_events_keeps_what_was_in_use() {
        let list = events([5, 9, 2].into_iter());
        let blocks: Vec<i64> = list.chunks(BLOCK).map(most_of).collect();
        let range = TimeRange { from: 0, to: 12 };
        assert_eq!(curve(&list, &blocks, range, 4), [9, 2, 2, 2]);
    }
}
