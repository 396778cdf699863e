//! The recorder, driven by hand.

mod adaptive;
mod adaptive_costs;
mod adaptive_early_ends;
mod adaptive_machine;
mod adaptive_programs;
mod amount;
mod early_ends;
mod events;
mod laws;
mod pause;
mod recording;
