//! What the simulators make.

mod fleet;
mod shop;
