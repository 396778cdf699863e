//! The recorder, driven by hand.

mod amount;
mod events;
mod laws;
mod pause;
mod recording;
