//! What stands beside a profile's calls, and how many files a directory takes.

pub mod annotations;
pub mod ledger;
