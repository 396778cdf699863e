//! Stacks at regular times, instead of calls.

mod sampler;
mod slots;

pub use sampler::Sampler;
pub use slots::{SlotGrid, slots};
