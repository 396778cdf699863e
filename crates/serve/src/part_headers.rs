//! The metadata in the headers of an upload, or of a part of one.

use std::path::Path;

use axum::http::HeaderMap;

use crate::metadata::Metadata;
use crate::problem::Problem;

/// The metadata in an upload's headers.
pub(crate) fn metadata(headers: &HeaderMap) -> Result<Metadata, Problem> {
    let text = |name: &str| -> Result<Option<String>, Problem> {
        let Some(value) = headers.get(name) else {
            return Ok(None);
        };
        let text = std::str::from_utf8(value.as_bytes());
        let text = text.map_err(|_| Problem::bad(format!("the header {name} is not text")))?;
        Ok(Some(text.to_owned()))
    };
    let mut metadata = Metadata {
        host: text("x-xhprof-host")?,
        title: text("x-xhprof-title")?,
        ..Metadata::default()
    };
    if let Some(name) = text("x-xhprof-file")? {
        metadata = metadata.of_file(Path::new(&name));
    }
    for name in ["app", "route", "release", "rate"] {
        if let Some(value) = text(&format!("x-xhprof-{name}"))? {
            metadata.tags.push((name.to_owned(), value));
        }
    }
    for tag in headers.get_all("x-xhprof-tag") {
        let tag = std::str::from_utf8(tag.as_bytes())
            .ok()
            .and_then(|tag| tag.split_once('='));
        let (name, value) = tag.ok_or_else(|| Problem::bad("X-Xhprof-Tag is not name=value"))?;
        metadata.tags.push((name.to_owned(), value.to_owned()));
    }
    Ok(metadata)
}
