//! The data, their operations and the native file, from outside.

mod amount;
mod laws;
mod lines;
mod native;
mod ops;
mod strategies;
