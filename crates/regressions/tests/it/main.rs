//! The detector on applications whose changes are known.

mod behaviour;
mod demo;
mod error_rates;
mod reading;
mod simulator;
