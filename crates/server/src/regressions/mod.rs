//! `xhprof regressions --store`, and the same findings for pages and webhooks.

mod notice;
mod pages;
mod stored;

use anyhow::Result;
use cli::args::RegressionsArguments;

pub(crate) use notice::notices;
pub(crate) use pages::findings;
pub(crate) use stored::of_store;

/// Prints what releases made slower.
pub(crate) fn run(arguments: &RegressionsArguments) -> Result<()> {
    let Some(folder) = &arguments.store else {
        return cli::regressions::run(arguments);
    };
    let findings = stored::of_folder(folder, arguments.app.as_deref(), arguments.since)?;
    cli::regressions::print(&findings, arguments.format)
}
