//! The parts of a file as they were read: frames, profiles, events, numbers.

use profile::{Node, NodeId};

/// A function, with the fields that the file has.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<f64>,
}

/// One of the profiles in a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct One {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) stacks: Stacks,
    pub(super) weights: Vec<f64>,
    pub(super) events: Vec<Event>,
}

/// Stacks of frames, each kept as a path. Symbol `n + 1` is frame `n`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Stacks {
    pub(super) paths: Vec<Node>,
    pub(super) samples: Vec<NodeId>,
}

/// An entry or an exit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Event {
    pub(super) opens: bool,
    pub(super) frame: u32,
    pub(super) at: f64,
}

impl One {
    pub(super) fn is_empty(&self) -> bool {
        self.stacks.samples.is_empty() && self.weights.is_empty() && self.events.is_empty()
    }
}

/// To the nearest integer; what is too large is the largest.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
pub(super) fn scaled(value: f64, scale: f64) -> i64 {
    (value * scale).round() as i64
}

/// The same of a number that is not negative.
pub(super) fn unsigned(value: f64, scale: f64) -> u64 {
    scaled(value, scale).max(0).unsigned_abs()
}
