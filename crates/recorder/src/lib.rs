//! Records calls: a stack of open calls, a table of their costs, and the arithmetic between them.
//!
//! The extension's engines call this crate at every function's entry and exit.
//! It knows neither PHP nor clocks nor names: a function is a [`SymbolId`],
//! time and memory are a [`Reading`] that the caller took. So every rule about
//! costs and their attribution can be tested here without PHP.
//!
//! ```
//! use recorder::{Plan, Reading, Recorder, Shape, StackAddress, TickRate, Ticks};
//!
//! struct Wall;
//!
//! impl Plan for Wall {
//!     const CPU: bool = false;
//!     const MEMORY: bool = false;
//!     const TREE: bool = false;
//! }
//!
//! let at = |ticks| Reading { wall: Ticks(ticks), ..Reading::default() };
//! let mut recorder = Recorder::new(Shape::Edges, 100, 1_000, || at(0));
//! let work = recorder.add_symbol();
//! let call = recorder.enter_slowly::<Wall>(work, &StackAddress(900), || at(10)).unwrap();
//! recorder.leave_slowly::<Wall>(call, || at(25));
//! recorder.finish::<Wall>(at(30));
//! let ns = TickRate::NANOSECONDS;
//! let edges = recorder.into_edges(ns, ns).unwrap().to_table().edges;
//! assert_eq!(edges[0].cost.wall, 15);
//! ```
//!
//! The main types are [`Recorder`], [`Reading`] and [`Plan`], what a profile measures.

#![forbid(unsafe_code)]

mod clock;
mod events;
mod recorder;
mod samples;
mod stack;
mod table;

pub use clock::{CpuClock, Plan, Reading, TickRate, Ticks};
pub use events::{EventSink, instant};
pub use profile::{CallLine, SymbolId};
pub use recorder::{Recorder, ReusedTables};
pub use samples::{SampledCall, SampledPlace, Sampler, SlotGrid, slots};
pub use stack::{CallSite, StackAddress, Token};
pub use table::{RecordedEdges, Shape};

/// Identifies a fiber while it exists: the address of its context.
pub type FiberId = usize;
