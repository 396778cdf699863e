//! The rules of the extension that need no PHP: the settings and their values,
//! which requests and functions are recorded, what a profile's file is called, and
//! what is removed from a text.
//!
//! The extension asks these rules with what it reads from PHP; the program
//! `xhprof` uses the settings. This crate opens no file, reads no clock and knows
//! no PHP.

#![forbid(unsafe_code)]

pub mod annotations;
pub mod details;
pub mod exclusions;
pub mod file_name;
pub mod inputs;
pub mod ledger;
pub mod names;
pub mod naming;
pub mod patterns;
pub mod redaction;
pub mod settings;
pub mod suggest;
pub mod trigger;
