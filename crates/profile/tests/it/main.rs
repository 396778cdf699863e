//! The data, their operations and the native file, from outside.

mod amount;
mod laws;
mod long_names;
mod native;
mod ops;
mod strategies;
