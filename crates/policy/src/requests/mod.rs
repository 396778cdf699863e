//! Which requests are profiled.

pub mod inputs;
pub mod remote;
mod sha256;
pub mod ticket;
pub mod traceparent;
pub mod trigger;
