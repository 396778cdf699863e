//! Certificates of authorities that are not public.

use std::path::Path;

use ureq::tls::TlsConfig;

use crate::{Error, Result};

/// What trusts the authorities of a file, and no other.
pub(crate) fn of_authorities(file: &Path) -> Result<TlsConfig> {
    authorities::read(file)
        .map_err(|reason| Error::Query(format!("ca_file={}: {reason}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named() {
        let missing = of_authorities(Path::new("/no/such.pem")).unwrap_err();
        assert!(missing.to_string().contains("ca_file=/no/such.pem"));
    }
}
