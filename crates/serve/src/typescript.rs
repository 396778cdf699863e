//! The TypeScript definitions of the API's answers.

use std::path::Path;

use ts_rs::{Config, ExportError, TS};

use crate::api;

/// Writes them into a folder.
///
/// # Errors
///
/// Those of the file system.
pub fn write_types(folder: &Path) -> Result<(), ExportError> {
    // Numbers come as JSON, which has doubles; costs stay below 2^53.
    let config = Config::new().with_out_dir(folder).with_large_int("number");
    store::RunPage::export_all(&config)?;
    store::RunSort::export_all(&config)?;
    api::Session::export_all(&config)?;
    Ok(())
}
