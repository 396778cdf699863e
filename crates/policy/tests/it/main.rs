//! The rules of the extension, from outside.

mod details;
mod documents;
mod file_name;
mod settings;
