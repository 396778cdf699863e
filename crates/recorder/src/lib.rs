//! Records calls: a frame stack, a call table, and the arithmetic between them.
//!
//! The extension's engines call this crate at every function's entry and exit.
//! It knows neither PHP nor clocks nor names: a function is a [`SymbolId`],
//! time and memory are a [`Reading`] that the caller took. So every rule about
//! costs and their attribution can be tested here without PHP.

#![forbid(unsafe_code)]

mod call_table;
mod callees;
mod cpu_clock;
mod early_end;
mod edges;
mod ended;
mod event_log;
mod fiber;
mod fiber_switch;
mod finish;
mod frames;
mod moment;
mod pause;
mod reading;
mod recorder;
mod repair;
mod room;
mod sampler;
mod site;
mod slots;
mod ticks;
mod whole;

pub use call_table::Shape;
pub use cpu_clock::CpuClock;
pub use edges::RecordedEdges;
pub use event_log::{EventSink, instant};
pub use fiber::FiberId;
pub use profile::SymbolId;
pub use reading::{Plan, Reading};
pub use recorder::{Entered, Recorder, Token};
pub use room::Room;
pub use sampler::Sampler;
pub use site::{CallSite, StackAddress};
pub use slots::{SlotGrid, slots};
pub use ticks::{TickRate, Ticks};
