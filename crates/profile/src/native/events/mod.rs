//! Call events in a native file, written as they happen.
//!
//! The extension collects events in a buffer of plain structs and hands it over
//! when it is full; [`EventsWriter`] makes bytes of it, some three a call, which
//! go to the file with one `write`. Whatever happens to the process then, the
//! file can be read up to there.
//!
//! ```
//! use profile::native::events::{EventsOptions, EventsWriter, RawEvent, RawInstant, What};
//! use profile::{Meta, Symbol, SymbolId};
//!
//! // At the beginning. Ticks are those of the clock, of any origin.
//! let at = |wall| RawInstant { wall, ..RawInstant::default() };
//! let mut bytes = Vec::with_capacity(1 << 16);
//! let options = EventsOptions::wall(2_100_000_000);
//! let mut writer = EventsWriter::begin(&options, at(5_000_000), &Meta::default(), &mut bytes);
//!
//! // Whenever the buffer is full. New symbols go before the events that use
//! // them: `writer.symbols_written()` tells how many are known.
//! let symbols = [Symbol::new(Symbol::MAIN), Symbol::new(&b"strlen"[..])];
//! let buffer = [
//!     RawEvent { what: What::enter(SymbolId(1)), at: at(5_002_100) },
//!     RawEvent { what: What::LEAVE, at: at(5_004_200) },
//! ];
//! writer.symbols(&symbols[writer.symbols_written()..], &mut bytes);
//! writer.events(&buffer, &mut bytes);
//! // file.write_all(&bytes)?;  and then:  bytes.clear();
//!
//! // At the end, with what is known only now.
//! writer.end(at(5_008_400), None, &mut bytes);
//!
//! let read = profile::native::read(bytes.as_slice(), &Default::default()).unwrap();
//! assert_eq!(read.calls(), 2);
//! assert_eq!(read.tree().unwrap().root_cost().wall, 3_992); // of 4,000
//! ```
//!
//! **Resolution:** a clock is written in steps of its own ticks times a power
//! of two, the largest that is not over 16 ns. Instants are rounded down, and
//! the steps between them are differences of rounded instants: nothing adds up.

mod clocks;
mod decode;
mod encode;
mod extras;
mod heads;
mod lines;
mod predict;
mod raw;

pub use decode::EventsReader;
pub use encode::EventsWriter;
pub use raw::{EventsOptions, RawEvent, RawInstant, What};
