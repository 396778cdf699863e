//! The data, their operations and the native file, from outside.

mod amount;
mod laws;
mod native;
mod ops;
mod strategies;
