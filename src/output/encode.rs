//! A profile as bytes, in the formats that the extension writes.

use profile::{Profile, classic, native};

use crate::settings::OutputFormat;

/// The initial capacity, in bytes: enough for the profile of a small request.
const SMALL: usize = 4096;

/// The file name extension of a format.
pub(super) fn ending(format: OutputFormat) -> &'static str {
    match format {
        OutputFormat::Native => "xhp",
        OutputFormat::Xhprof => "xhprof",
        OutputFormat::Json => "json",
    }
}

/// The format of a file name extension.
pub(super) fn of_ending(text: &str) -> Option<OutputFormat> {
    [
        OutputFormat::Native,
        OutputFormat::Xhprof,
        OutputFormat::Json,
    ]
    .into_iter()
    .find(|&format| ending(format) == text)
}

/// The profile in that format.
pub(super) fn encode(format: OutputFormat, profile: &Profile) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(SMALL);
    match format {
        OutputFormat::Native => native::write(profile, &mut bytes)?,
        OutputFormat::Xhprof => classic::write_serialized(profile, &mut bytes),
        OutputFormat::Json => classic::write_json(profile, &mut bytes)?,
    }
    Ok(bytes)
}
