//! The questions of a viewer and their answers.

mod amount;
mod documents;
mod hints;
mod laws;
mod reshape;
mod sources;
mod totals;
