//! Which requests are profiled.

pub mod inputs;
pub mod traceparent;
pub mod trigger;
