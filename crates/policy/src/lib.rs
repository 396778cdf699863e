//! The rules of the extension that need no PHP: the settings and their values,
//! which requests and functions are recorded, what a profile's file is called, and
//! what is removed from a text.
//!
//! The extension asks these rules with what it reads from PHP; the program
//! `xhprof` uses the settings. This crate opens no file, reads no clock and knows
//! no PHP.
//!
//! Its main types: [`settings::Setting`], [`trigger::Subject`] for which requests are
//! profiled, and [`exclusions::Exclusions`] for which functions are.
//!
//! ```
//! use policy::settings::{self, AutoEnable};
//! use policy::trigger::Subject;
//!
//! assert!(settings::AUTO_ENABLE.default == AutoEnable::Never);
//! assert!(settings::named("xhprof.rate").is_some_and(|rate| !rate.is_valid("two")));
//!
//! let request = Subject::request(b"Example.com:8080", b"/cart/7");
//! assert!(request.left_out_by(&["*/cart/*".to_owned()]).is_none());
//! assert!(request.left_out_by(&["!example.com/*".to_owned()]).is_some());
//! ```

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
