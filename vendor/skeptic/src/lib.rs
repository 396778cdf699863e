//! Stands in for the crate `skeptic`, which makes tests of the examples in Markdown files.
//!
//! The build script of ext-php-rs 0.16 calls it for a guide that its package on crates.io
//! does not have. The real crate brings 24 packages to each build of the extension.
//! `[patch.crates-io]` in our Cargo.toml puts this one in its place.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

/// The Markdown files of a folder: there are none.
#[must_use]
pub fn markdown_files_of_directory(_folder: &str) -> Vec<PathBuf> {
    Vec::new()
}

/// Makes no test.
pub fn generate_doc_tests<T: Clone + AsRef<Path>>(_files: &[T]) {}
