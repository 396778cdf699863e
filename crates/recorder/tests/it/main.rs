//! The recorder, driven by hand.

mod events;
mod laws;
mod pause;
mod recording;
