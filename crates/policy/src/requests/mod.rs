//! Which requests are profiled.

pub mod inputs;
pub mod trigger;
