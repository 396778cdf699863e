//! Limits of memory, disk and load.

use std::time::Duration;

use crate::parser::{Milliseconds, Number, Size};
use crate::{Definition, Kind, Scope, Setting};

/// The settings of this group, in the order of the documents.
pub static LIMITS: &[&dyn Definition] = &[
    &MIN_DURATION,
    &MAX_PER_MINUTE,
    &MAX_DIR_SIZE,
    &MAX_EVENTS_SIZE,
    &MAX_NODES,
    &MAX_DEPTH,
];

/// Profiles of shorter requests are not written, unless they fail.
pub static MIN_DURATION: Setting<Duration> = Setting {
    name: c"xhprof.min_duration",
    default: Duration::ZERO,
    scope: Scope::Anywhere,
    kind: Kind::Limit,
    parser: &Milliseconds {
        limits: 0..=86_400_000,
    },
    about: "milliseconds; profiles of shorter requests are not written, unless they end in a fatal \
        error, an uncaught exception or a status of 500 or more",
    comment: "Milliseconds: profiles of shorter requests are not written, unless they fail.",
};

/// How many profiles may begin in a minute; zero for no limit.
pub static MAX_PER_MINUTE: Setting<u64> = Setting {
    name: c"xhprof.max_per_minute",
    default: 0,
    scope: Scope::PerDirectory,
    kind: Kind::Limit,
    parser: &Number {
        what: "a number",
        limits: 0..=1_000_000,
    },
    about: "largest number of profiles that the machine begins in a minute; 0: no limit",
    comment: "The most profiles that the machine begins in a minute, and the largest size of \
        output_dir, such as 2G; 0: no limit.",
};

/// The largest size of the output directory, in bytes; zero for no limit.
pub static MAX_DIR_SIZE: Setting<u64> = Setting {
    name: c"xhprof.max_dir_size",
    default: 0,
    scope: Scope::Anywhere,
    kind: Kind::Limit,
    parser: &Size { may_be_zero: true },
    about: "total size of `output_dir`; profiles that do not fit are dropped and logged; 0: no limit",
    comment: "",
};

/// The largest size of a file of call events, in bytes.
pub static MAX_EVENTS_SIZE: Setting<u64> = Setting {
    name: c"xhprof.max_events_size",
    default: 1 << 30,
    scope: Scope::Anywhere,
    kind: Kind::Limit,
    parser: &Size { may_be_zero: false },
    about: "size of a file of call events; later events are added up as `[truncated]`",
    comment: "The largest size of a file of call events.",
};

/// How many edges, or nodes of a call tree, are recorded.
pub static MAX_NODES: Setting<usize> = Setting {
    name: c"xhprof.max_nodes",
    default: 10_000_000,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Number {
        what: "a number",
        limits: 100..=100_000_000,
    },
    about: "edges or call paths in one profile; further ones are added up as `[truncated]`",
    comment: "The most edges or call paths in one profile.",
};

/// How deep a stack is recorded.
pub static MAX_DEPTH: Setting<usize> = Setting {
    name: c"xhprof.max_depth",
    default: 25_000,
    scope: Scope::Anywhere,
    kind: Kind::Plain,
    parser: &Number {
        what: "a number",
        limits: 1..=100_000_000,
    },
    about: "stack depth that is recorded, and frames that a sample keeps; deeper calls are added up as \
        `[truncated]`",
    comment: "The stack depth that is recorded, and the frames that a sample keeps.",
};
