//! The rules of the extension, from outside.

mod details;
