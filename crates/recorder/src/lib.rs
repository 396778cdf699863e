//! Records calls: a stack of open calls, a table of their costs, and the arithmetic between them.
//!
//! The extension's engines call this crate at every function's entry and exit.
//! It knows neither PHP nor clocks nor names: a function is a [`SymbolId`],
//! time and memory are a [`Reading`] that the caller took. So every rule about
//! costs and their attribution can be tested here without PHP.

#![forbid(unsafe_code)]

mod clock;
mod events;
mod recorder;
mod samples;
mod stack;
mod table;

pub use clock::{CpuClock, Plan, Reading, TickRate, Ticks};
pub use events::{EventSink, instant};
pub use profile::SymbolId;
pub use recorder::{Recorder, ReusedTables};
pub use samples::{Sampler, SlotGrid, slots};
pub use stack::{CallSite, StackAddress, Token};
pub use table::{RecordedEdges, Shape};

/// Identifies a fiber while it exists: the address of its context.
pub type FiberId = usize;
