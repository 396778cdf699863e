//! The functions that PHP calls: one file for each of its hooks, and which of them a
//! recording uses.
//!
//! **Invariant:** a hook calls the previous hook exactly once on every path, and holds
//! nothing with a destructor while it does.

pub(super) mod choice;
pub(super) mod compile;
pub(super) mod detail;
pub(super) mod errors;
mod execute;
pub(super) mod fibers;
pub(super) mod fork;
pub(super) mod guard;
pub(super) mod installed;
mod internal;
pub(super) mod observer;
pub(crate) mod sampled;
