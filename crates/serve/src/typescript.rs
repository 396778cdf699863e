//! The TypeScript definitions of the API's answers.

use std::path::Path;

use ts_rs::{Config, ExportError, TS};

use crate::api::{self, pages};

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
    store::Facets::export_all(&config)?;
    store::Removed::export_all(&config)?;
    api::Session::export_all(&config)?;
    api::ShownToken::export_all(&config)?;
    api::WebhookTest::export_all(&config)?;
    pages::HomePage::export_all(&config)?;
    pages::Series::export_all(&config)?;
    pages::RunContext::export_all(&config)?;
    pages::RoutesPage::export_all(&config)?;
    pages::RouteOfRuns::export_all(&config)?;
    pages::FunctionOfRuns::export_all(&config)?;
    pages::ComparisonPage::export_all(&config)?;
    pages::Proposals::export_all(&config)?;
    pages::RegressionsPage::export_all(&config)?;
    pages::ProfileNow::export_all(&config)?;
    pages::Ticket::export_all(&config)?;
    pages::SettingsPage::export_all(&config)?;
    pages::SearchFound::export_all(&config)?;
    Ok(())
}
