//! What a range of time cost.
//!
//! Time is exact: a call that crosses the border of a range belongs to it with
//! the part that is inside. CPU time and memory of the stretch in which the
//! border lies are divided in proportion. A call is counted where it begins. So
//! a range and its complement add up to the whole.

use profile::{Body, Cost, EventKind, Events, Instant, Node, NodeId, Profile, Samples, Tree};
use serde::{Deserialize, Serialize};

use crate::lanes::TopNodes;
use crate::tree::OrderedTree;
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
        let profile = in_range(self.profile(), self.tree()?, &times.tops, range);
        Ok(Self::new(profile, self.files().to_vec()))
    }
}

/// A profile of the range alone: the same nodes in the same order, with the
/// costs of the range.
fn in_range(profile: &Profile, tree: &OrderedTree, tops: &TopNodes, range: TimeRange) -> Profile {
    let mut own = vec![Cost::default(); tree.len()];
    match (&profile.body, tops) {
        (Body::Events(events), TopNodes::Events(tops)) => {
            charge_events(events, tops, range, &mut own);
        }
        (Body::Samples(samples), TopNodes::Stacks(tops)) => {
            charge_samples(samples, tops, range, &mut own);
        }
        _ => {}
    }
    let mut nodes: Vec<Node> = (0..)
        .zip(own)
        .map(|(node, cost)| Node {
            parent: NodeId(tree.parent(node).unwrap_or(0)),
            symbol: tree.symbol(node),
            cost,
        })
        .collect();
    for index in (1..nodes.len()).rev() {
        let Node { parent, cost, .. } = nodes[index];
        let parent = &mut nodes[parent.index()].cost;
        let calls = parent.calls;
        *parent += cost;
        parent.calls = calls;
    }
    let mut spans = profile.spans.clone();
    spans
        .list
        .retain(|span| (range.from..range.to).contains(&span.start));
    Profile {
        symbols: profile.symbols.clone(),
        body: Body::Tree(Tree { nodes }),
        metrics: profile.metrics,
        meta: profile.meta.clone(),
        spans,
        lines: profile::Lines::default(),
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
    let last = begins(range.to).min(list.len());
    for index in first..=last {
        let start = index
            .checked_sub(1)
            .map_or(Instant::default(), |before| list[before].at);
        let end = list.get(index).map_or(events.end, |event| event.at);
        own[tops[index] as usize] += between(start, end, range);
        if let Some(event) = list.get(index)
            && matches!(event.kind, EventKind::Enter(_))
            && (range.from..range.to).contains(&event.at.wall)
        {
            let cost = &mut own[tops[index + 1] as usize];
            cost.calls = cost.calls.saturating_add(1);
        }
    }
}

/// What the stretch from `start` to `end` cost inside the range.
fn between(start: Instant, end: Instant, range: TimeRange) -> Cost {
    let length = end.wall.saturating_sub(start.wall);
    let cpu = end.cpu.saturating_sub(start.cpu);
    let memory = end.memory.saturating_sub(start.memory);
    let peak = end.peak.saturating_sub(start.peak);
    if length == 0 {
        let is_inside = (range.from..range.to).contains(&start.wall);
        return if is_inside {
            Cost {
                calls: 0,
                wall: 0,
                cpu,
                memory,
                peak,
            }
        } else {
            Cost::default()
        };
    }
    let from = range.from.clamp(start.wall, end.wall) - start.wall;
    let to = range.to.clamp(start.wall, end.wall).max(start.wall + from) - start.wall;
    if from == 0 && to == length {
        // Nearly all are whole, and wide divisions take long in WebAssembly.
        return Cost {
            calls: 0,
            wall: length,
            cpu,
            memory,
            peak,
        };
    }
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
