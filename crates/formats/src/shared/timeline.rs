//! A profile as slices of self cost in the order of time, for sample-based
//! formats.
//!
//! Events and samples have times. A tree has none: its nodes are laid out one
//! after another, callers before callees, so that the slices fill the total
//! time.
//!
//! **Invariant:** the values add up to the self costs of each path.

use std::borrow::Cow;

use profile::{
    Body, Event, EventFold, EventKind, Events, Instant, Metric, NodeId, Profile, Samples, Tree,
    WallUnit,
};

/// The self cost of one function at one position and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// The node in the tree.
    pub(crate) node: NodeId,
    /// Nanoseconds since the beginning of the profile; never decreasing.
    pub(crate) at: u64,
    /// The cost, in the unit of the metric. Never zero.
    pub(crate) value: i64,
}

/// Slices and the tree that they are of.
#[derive(Debug)]
pub(crate) struct Timeline<'p> {
    /// All paths, with their costs.
    pub(crate) tree: Cow<'p, Tree>,
    /// In the order of time.
    pub(crate) slices: Vec<Slice>,
}

impl<'p> Timeline<'p> {
    /// The slices of `metric`; none if the profile has only edges.
    pub(crate) fn new(profile: &'p Profile, metric: Metric) -> Option<Self> {
        match &profile.body {
            Body::Edges(_) => None,
            Body::Tree(tree) => Some(Self {
                slices: laid_out(tree, metric, profile),
                tree: Cow::Borrowed(tree),
            }),
            Body::Events(events) => Some(Self::of_events(events, metric)),
            Body::Samples(samples) => {
                let tree = samples.to_tree();
                // Distinct stacks become nodes one by one, and keep their
                // numbers.
                let keep_numbers = tree.nodes.len() == samples.stacks.len();
                let slices = if metric == Metric::Wall && keep_numbers && in_time(samples) {
                    of_samples(samples)
                } else {
                    laid_out(&tree, metric, profile)
                };
                Some(Self {
                    tree: Cow::Owned(tree),
                    slices,
                })
            }
        }
    }

    fn of_events(events: &Events, metric: Metric) -> Self {
        let mut fold = EventFold::new();
        let mut slices = Vec::new();
        let mut last = Instant::default();
        let mut push = |node, at: Instant, value| {
            let at = at.wall;
            if value != 0 {
                slices.push(Slice { node, at, value });
            }
        };
        if metric == Metric::Calls {
            push(NodeId::ROOT, last, 1);
        }
        for &Event { at, kind } in &events.events {
            push(fold.top(), last, passed(last, at, metric));
            fold.add(Event { at, kind });
            if metric == Metric::Calls && matches!(kind, EventKind::Enter(_)) {
                push(fold.top(), at, 1);
            }
            last = at;
        }
        push(fold.top(), last, passed(last, events.end, metric));
        Self {
            tree: Cow::Owned(fold.finish(events.end)),
            slices,
        }
    }
}

/// The duration of a sample in nanoseconds, if samples are only counted: their
/// interval, or a millisecond if that is unknown.
pub(crate) fn sample_length(profile: &Profile) -> u64 {
    profile.meta.interval_ns.unwrap_or(1_000_000).max(1)
}

/// The amount of `metric` between two instants.
fn passed(from: Instant, to: Instant, metric: Metric) -> i64 {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    match metric {
        Metric::Wall => signed(to.wall.saturating_sub(from.wall)),
        Metric::Cpu => signed(to.cpu.saturating_sub(from.cpu)),
        Metric::Memory => to.memory.saturating_sub(from.memory),
        Metric::Peak => to.peak.saturating_sub(from.peak),
        Metric::Calls => 0,
    }
}

/// Whether the samples have times.
fn in_time(samples: &Samples) -> bool {
    let mut times = samples.samples.iter().map(|sample| sample.at);
    times.any(|at| at != 0) && samples.samples.is_sorted_by_key(|sample| sample.at)
}

fn of_samples(samples: &Samples) -> Vec<Slice> {
    let slices = samples.samples.iter().map(|sample| Slice {
        node: sample.stack,
        at: sample.at,
        value: i64::try_from(sample.weight).unwrap_or(i64::MAX),
    });
    slices.filter(|slice| slice.value != 0).collect()
}

/// One slice for each node, callers before callees, without gaps.
fn laid_out(tree: &Tree, metric: Metric, profile: &Profile) -> Vec<Slice> {
    let length = match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => 1,
        WallUnit::Samples => sample_length(profile),
    };
    let own = tree.self_costs();
    let children = tree.children();
    let mut slices = Vec::with_capacity(tree.nodes.len());
    let mut at = 0_u64;
    let mut walk = vec![NodeId::ROOT];
    while let Some(node) = walk.pop() {
        walk.extend(children.of(node).iter().rev());
        let own = &own[node];
        let value = metric.of_own(own, tree[node].cost.calls);
        if value != 0 {
            slices.push(Slice { node, at, value });
        }
        // A caller that costs less than its callees has no self time.
        let wall = u64::try_from(own.wall).unwrap_or(0);
        at = at.saturating_add(wall.saturating_mul(length));
    }
    slices
}
