//! XHProf's rows, `caller==>callee`, read from any encoding.

mod entry_cost;
mod error;
mod labels;
mod read;

pub(crate) use entry_cost::EntryCost;
pub use error::RowsError;
pub(crate) use read::{Builder, read_serialized};
