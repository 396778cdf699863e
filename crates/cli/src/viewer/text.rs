//! Bytes and names as text of a page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub(super) use formats::visible::html as escaped;

/// Base64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
