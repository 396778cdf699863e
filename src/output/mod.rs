//! A profile on its way out: as a PHP array, or as a file.

mod arrays;
mod encode;
mod events;
mod file;
mod name;
mod whence;

pub(crate) use arrays::return_array;
pub(crate) use events::{EventFile, Failure};
pub(crate) use file::{dump, write_file};
pub(crate) use name::is_pattern;
