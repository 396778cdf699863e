//! A profile as bytes, in the formats that the extension writes.

use std::sync::atomic::{AtomicUsize, Ordering};

use profile::{Profile, classic, native};

use crate::settings::OutputFormat;

/// The initial capacity, in bytes: enough for the profile of a small request…
const SMALL: usize = 4096;
/// … and the largest.
const LARGE: usize = 1 << 20;
/// The size of the last profile of this process. The requests of a server's worker are
/// alike, so the next one begins with as much room, and some more.
static LAST_SIZE: AtomicUsize = AtomicUsize::new(0);

/// The profile in that format.
pub(super) fn encode(format: OutputFormat, profile: &Profile) -> std::io::Result<Vec<u8>> {
    let last = LAST_SIZE.load(Ordering::Relaxed);
    let mut bytes = Vec::with_capacity((last + last / 8).clamp(SMALL, LARGE));
    match format {
        OutputFormat::Native => native::write(profile, &mut bytes)?,
        OutputFormat::Xhprof => classic::write_serialized(profile, &mut bytes),
        OutputFormat::Json => classic::write_json(profile, &mut bytes)?,
    }
    LAST_SIZE.store(bytes.len(), Ordering::Relaxed);
    Ok(bytes)
}
