//! Which requests are profiled.

pub mod inputs;
mod sha256;
pub mod ticket;
pub mod traceparent;
pub mod trigger;
