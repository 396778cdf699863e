//! The rules of the extension that need no PHP, so that they can be tested without it.
//!
//! The folders are called like those of the extension that ask them: with what it has
//! read from PHP. This crate opens no file, reads no clock and knows no PHP.
//!
//! ```
//! use policy::requests::trigger::Subject;
//!
//! let request = Subject::request(b"shop.example", b"/health");
//! assert!(request.left_out_by(&["!/health*".to_owned()]).is_some());
//! ```
//!
//! The main types are [`Exclusions`](naming::exclusions::Exclusions),
//! [`Subject`](requests::trigger::Subject) and [`Counts`](output::ledger::Counts).

#![forbid(unsafe_code)]

pub mod naming;
pub mod output;
pub mod patterns;
pub mod php_faults;
pub mod requests;
pub mod suggest;
