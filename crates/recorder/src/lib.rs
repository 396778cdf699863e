//! Records calls: a frame stack, a call table, and the arithmetic between them.
//!
//! The extension's engines call this crate at every function's entry and exit.
//! It knows neither PHP nor clocks nor names: a function is a [`SymbolId`],
//! time and memory are a [`Reading`] that the caller took. So every rule about
//! costs and their attribution can be tested here without PHP.
//!
//! Its main types: [`Recorder`], the [`Reading`]s that it gets, and the [`Plan`] that says
//! which of them are used. [`Sampler`] adds up stacks.
//!
//! ```
//! use recorder::{Entered, Plan, Reading, Recorder, Shape, StackAddress, TickRate, Ticks};
//!
//! struct WallOnly;
//! impl Plan for WallOnly {
//!     const CPU: bool = false;
//!     const MEMORY: bool = false;
//!     const TREE: bool = false;
//! }
//! let at = |wall| Reading { wall: Ticks(wall), ..Reading::default() };
//!
//! let mut recorder = Recorder::new(Shape::Edges, 100, 100, || at(0));
//! let work = recorder.add_symbol();
//! if let Entered::Recorded(token) = recorder.enter::<WallOnly>(work, &StackAddress(500), || at(2)) {
//!     recorder.leave::<WallOnly>(token, || at(9));
//! }
//! recorder.finish::<WallOnly>(at(10));
//! let edges = recorder.into_edges(TickRate::NANOSECONDS, TickRate::NANOSECONDS).unwrap();
//! assert_eq!(edges.to_table().edges[0].cost.wall, 7);
//! ```

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
