//! The profile in another format.

use formats::{FORMATS, WriteOptions, by_id};
use serde::{Deserialize, Serialize};

use crate::{Document, Error, MetricName};

/// Which format, and how.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportQuery {
    /// The format's id: `callgrind`.
    pub format: String,
    /// The metric of formats that hold one.
    #[serde(default)]
    pub metric: MetricName,
    /// Whether stacks may be estimated where the format needs them.
    #[serde(default)]
    pub estimate: bool,
}

/// A file to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Exported {
    /// The ending of its name, without the first dot.
    pub ending: String,
    /// Its content. A border that can hand over bytes leaves it out of the
    /// message.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub bytes: Vec<u8>,
}

/// A format that can be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FormatChoice {
    /// What [`ExportQuery::format`] takes.
    pub id: &'static str,
    /// What users call it.
    pub name: &'static str,
    /// It needs whole stacks.
    pub needs_stacks: bool,
}

/// The formats that can be written, for a menu.
#[must_use]
pub fn export_formats() -> Vec<FormatChoice> {
    let written = FORMATS.iter().filter(|format| format.writes.is_some());
    let choices = written.map(|format| FormatChoice {
        id: format.id,
        name: format.name,
        needs_stacks: format.needs_stacks(),
    });
    choices.collect()
}

pub(crate) fn export(document: &mut Document, query: &ExportQuery) -> Result<Exported, Error> {
    let format = by_id(&query.format).ok_or_else(|| Error::UnknownFormat(query.format.clone()))?;
    let options = WriteOptions {
        metric: query.metric.into(),
        estimate: query.estimate,
        ..WriteOptions::default()
    };
    let mut bytes = Vec::new();
    document
        .with_whole_profile(|profile| formats::write(format, profile, &options, &mut bytes))
        .map_err(Error::Write)?;
    let ending = format.endings.first().copied().unwrap_or(format.id);
    Ok(Exported {
        ending: ending.to_owned(),
        bytes,
    })
}
