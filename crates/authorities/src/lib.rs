//! Certificates of authorities that are not public, for clients of HTTPS: the agent's
//! `--ca-file` and the store's `ca_file=`.
//!
//! Its result is the [`TlsConfig`] of `ureq`.
//!
//! ```
//! use std::path::Path;
//!
//! // A file without a certificate must not mean that all servers are trusted.
//! assert!(authorities::read(Path::new("Cargo.toml")).is_err());
//! ```

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The largest file of certificates, in bytes. All public authorities need 0.2 MB.
const MAX_FILE: u64 = 4 << 20;

/// What trusts the authorities of a file, and no other.
///
/// # Errors
///
/// The reason, without the file's name: it cannot be read, is no regular file, is
/// larger than 4 MiB, or has no certificate in PEM.
pub fn read(file: &Path) -> Result<TlsConfig, String> {
    let certificates = certificates(&contents(file)?)?;
    let roots = RootCerts::new_with_certs(&certificates);
    Ok(TlsConfig::builder().root_certs(roots).build())
}

fn contents(file: &Path) -> Result<Vec<u8>, String> {
    // A pipe would be waited for while it is opened, a device never ends.
    let metadata = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(file).map_err(|error| error.to_string())?;
    let mut limited = file.take(MAX_FILE + 1);
    let length = limited
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if length as u64 > MAX_FILE {
        return Err("it is too large for certificates".to_owned());
    }
    Ok(bytes)
}

fn certificates(bytes: &[u8]) -> Result<Vec<Certificate<'static>>, String> {
    let items = parse_pem(bytes).collect::<Result<Vec<_>, _>>();
    let items = items.map_err(|error| error.to_string())?;
    let found = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return Err("it has no certificate in PEM".to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_no_certificate_is_refused() {
        let refused = |file: &Path| read(file).unwrap_err();
        assert!(refused(Path::new("/no/such.pem")).contains("No such file"));
        assert_eq!(refused(Path::new("/dev/zero")), "it is no regular file");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "no certificate").unwrap();
        assert_eq!(refused(file.path()), "it has no certificate in PEM");
        file.as_file().set_len(MAX_FILE + 1).unwrap();
        assert_eq!(refused(file.path()), "it is too large for certificates");
    }
}
