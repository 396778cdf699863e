//! The certificate of HTTPS.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// Reads a chain of certificates and the key of the first one, both as PEM.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let named = |path: &Path, reason: &dyn std::fmt::Display| {
        io::Error::other(format!("{}: {reason}", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain: Vec<_> = chain.map_err(|error| named(certificate, &error))?;
    if chain.is_empty() {
        return Err(named(certificate, &"it has no certificate in PEM"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        Error::NoItemsFound => named(key, &"it has no private key in PEM"),
        error => named(key, &error),
    })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| named(key, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
