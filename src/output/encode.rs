//! A profile as bytes, in the formats that the extension writes.

use profile::{Profile, classic, native};

use crate::settings::OutputFormat;

/// The initial capacity, in bytes: enough for the profile of a small request.
const SMALL: usize = 4096;

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
