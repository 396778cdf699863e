//! Certificates of authorities that are not public.

use std::path::Path;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::{Error, Result};

/// The largest file of certificates.
const MAX_FILE: u64 = 4 << 20;

/// What trusts the authorities of a file, and no other.
pub(crate) fn of_authorities(file: &Path) -> Result<TlsConfig> {
    let wrong = |reason: &dyn std::fmt::Display| {
        Error::Query(format!("ca_file={}: {reason}", file.display()))
    };
    let metadata = std::fs::metadata(file).map_err(|error| wrong(&error))?;
    if metadata.len() > MAX_FILE {
        return Err(wrong(&"it is too large for certificates"));
    }
    let bytes = std::fs::read(file).map_err(|error| wrong(&error))?;
    let items = parse_pem(&bytes).collect::<std::result::Result<Vec<_>, _>>();
    let items = items.map_err(|error| wrong(&error))?;
    let found = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let found: Vec<Certificate<'static>> = found.collect();
    if found.is_empty() {
        return Err(wrong(&"it has no certificate in PEM"));
    }
    let roots = RootCerts::new_with_certs(&found);
    Ok(TlsConfig::builder().root_certs(roots).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_named() {
        let missing = of_authorities(Path::new("/no/such.pem")).unwrap_err();
        assert!(missing.to_string().contains("ca_file=/no/such.pem"));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "no certificate").unwrap();
        let empty = of_authorities(file.path()).unwrap_err().to_string();
        assert!(empty.contains("no certificate in PEM"), "{empty}");
    }
}
