//! The open calls: those of the running stack, those of other fibers, and what happens
//! to both during a pause.
//!
//! `calls.rs`, `frames.rs` and the table's `rows.rs` are the hot path: no I/O, no
//! string, no lock, no clock of their own, and no allocation.

mod calls;
mod fibers;
mod frames;
mod pause;
mod site;
mod slow_path;

pub(crate) use calls::Calls;
pub use calls::Token;
pub(crate) use fibers::Fibers;
pub(crate) use frames::Frame;
pub(crate) use pause::Pause;
pub use site::{CallSite, StackAddress};
