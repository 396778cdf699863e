//! Secrets in files.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The text of a file that only its owner may read.
pub(crate) fn secret(file: &Path) -> Result<String> {
    let named = || format!("cannot read the secret in {}", file.display());
    let mode = std::fs::metadata(file)
        .with_context(named)?
        .permissions()
        .mode();
    if mode & 0o077 != 0 {
        bail!(
            "{}: others may read it (mode {:04o}); chmod 600 changes that",
            file.display(),
            mode & 0o7777
        );
    }
    let text = std::fs::read_to_string(file).with_context(named)?;
    let secret = text.trim_end_matches(['\n', '\r']);
    if secret.is_empty() || secret.contains(char::is_control) || secret.len() > 4096 {
        bail!("{}: it has not one line of text", file.display());
    }
    Ok(secret.to_owned())
}
