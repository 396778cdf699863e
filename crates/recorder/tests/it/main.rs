//! The recorder, driven by hand.

mod amount;
mod events;
mod hooks;
mod laws;
mod pause;
mod recording;
