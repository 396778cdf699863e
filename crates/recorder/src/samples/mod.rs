//! Stacks at regular times, instead of calls.

mod sampler;
mod slots;

pub use sampler::{SampledCall, SampledPlace, Sampler};
pub use slots::{SlotGrid, slots};
