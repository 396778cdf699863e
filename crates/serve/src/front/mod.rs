//! The app's page: one small document for each address of a page, and the files that `./x web` built.
//!
//! The document has no data. It names what the app asks the API first, whose rules say who sees what.
//!
//! **Invariant:** no script or style stands in the document, so its policy allows files of this server only.

mod document;
mod files;

pub(crate) use document::{page, problem};
pub(crate) use files::file;
