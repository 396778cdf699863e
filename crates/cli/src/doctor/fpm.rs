//! Finds php-fpm if `--php-fpm` is given without a path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Directories with php-fpm besides the `PATH`, which often lacks `sbin`.
const DEFAULT_DIRECTORIES: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/sbin", "/usr/local/bin"];

/// The binary that was named, or the newest php-fpm installed.
pub(super) fn binary(asked_for: &OsStr) -> Result<OsString> {
    if !asked_for.is_empty() {
        return Ok(asked_for.to_owned());
    }
    match newest(versions(directories())) {
        Some(binary) => Ok(binary.into_os_string()),
        None => {
            bail!("php-fpm is not in the PATH: give its path, as in --php-fpm=/usr/sbin/php-fpm8.2")
        }
    }
}

/// Every php-fpm of this machine.
pub(crate) fn every() -> Vec<PathBuf> {
    let found = versions(directories()).into_iter();
    found.map(|(_, path)| path).collect()
}

fn directories() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    path.into_iter()
        .chain(DEFAULT_DIRECTORIES.map(PathBuf::from))
}

fn versions(directories: impl Iterator<Item = PathBuf>) -> Vec<(Version, PathBuf)> {
    let entries = directories.flat_map(|directory| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    });
    let versions = entries.filter_map(|path| Some((version(&path)?, path)));
    versions.collect()
}

fn newest(versions: Vec<(Version, PathBuf)>) -> Option<PathBuf> {
    // Of equal versions, the first is the one that the shell finds.
    let versions = versions.into_iter().rev();
    versions
        .max_by(|one, other| one.0.cmp(&other.0))
        .map(|(_, path)| path)
}

/// Whether it is in no name, else its parts.
type Version = (bool, Vec<u32>);

/// The version in a name: 8, 2 for `php-fpm8.2` and `php8.2-fpm`; 82 for
/// `php-fpm82`. A name without a version is preferred.
fn version(path: &Path) -> Option<Version> {
    let name = path.file_name()?.to_str()?.strip_prefix("php")?;
    let version = match (name.strip_prefix("-fpm"), name.strip_suffix("-fpm")) {
        (Some(version), _) | (None, Some(version)) => version,
        (None, None) => return None,
    };
    if version.is_empty() {
        return Some((true, Vec::new()));
    }
    let parts: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
    Some((false, parts.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_php_fpm_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let found = |names: &[&str]| {
            for name in names {
                std::fs::write(directory.path().join(name), "").unwrap();
            }
            let path = newest(versions([directory.path().to_owned()].into_iter()))?;
            Some(path.file_name()?.to_str()?.to_owned())
        };
        assert_eq!(found(&["php", "php-fpm.conf", "php8.2"]), None);
        assert_eq!(
            found(&["php-fpm8.2", "php-fpm8.10"]).as_deref(),
            Some("php-fpm8.10")
        );
        assert_eq!(found(&["php-fpm"]).as_deref(), Some("php-fpm"));
    }
}
