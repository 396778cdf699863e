//! The settings, from outside: their texts, their documents and the names of files.

mod documents;
mod file_name;
mod settings;
