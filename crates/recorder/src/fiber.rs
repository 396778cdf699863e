//! The stacks of fibers: the running one's state, and all others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::Reading;
use crate::callees::Place;
use crate::frames::Frames;

/// Identifies a fiber while it exists: the address of its context.
pub type FiberId = usize;

/// All stacks but the running one.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fibers {
    /// The state of the running stack (its frames are the recorder's).
    pub(crate) current: Stack,
    pub(crate) others: HashMap<FiberId, Stack, BuildHasherDefault<DefaultHasher>>,
}

impl Fibers {
    /// No switch yet.
    pub(crate) const fn none() -> Self {
        Self {
            current: Stack {
                id: None,
                frames: Frames::none(),
                path: Vec::new(),
                state: State::First,
                elsewhere: Reading::ZERO,
                left: Reading::ZERO,
            },
            others: HashMap::with_hasher(BuildHasherDefault::new()),
        }
    }
}

/// A stack that is not running.
#[derive(Debug, Default, Clone)]
pub(crate) struct Stack {
    /// None until the first switch.
    pub(crate) id: Option<FiberId>,
    pub(crate) frames: Frames,
    /// The calls from the root to the frame that started this fiber. They count
    /// as open while it runs, also for recursion levels.
    pub(crate) path: Vec<Place>,
    pub(crate) state: State,
    /// The part of the slice's cost that other fibers account for.
    pub(crate) elsewhere: Reading,
    /// The reading when it was last switched out.
    pub(crate) left: Reading,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) enum State {
    /// The initial stack, which no other fiber resumed.
    #[default]
    First,
    /// Created, but never entered.
    Fresh,
    /// Running since then, or waiting for a fiber that it resumed.
    Running { since: Reading, resumer: FiberId },
    /// Suspended at that reading.
    Suspended(Reading),
}
