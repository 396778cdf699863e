//! What a profile is, as plain data, and what can be computed from it.
//!
//! The extension fills a [`Profile`] at the end of a request; readers fill one
//! from a file; every front end asks it the same questions. So this crate knows
//! no PHP engine, no file and no terminal, and depends on nothing.
//!
//! **Invariant:** costs are integers (nanoseconds and bytes) until the moment
//! they are written, and the self costs of all functions add up to the root's
//! inclusive cost exactly.

#![forbid(unsafe_code)]

pub mod classic;
mod cost;
mod flat;
pub mod php_serialize;
mod profile;
pub mod redact;
mod samples;
mod symbol;

pub use cost::{Cost, Metrics, SelfCost};
pub use flat::{FlatRow, FlatTable};
pub use profile::{Activation, Edge, Meta, Profile};
pub use samples::{Sample, SampledFunction, Samples};
pub use symbol::{Symbol, SymbolId, make_name_safe};
