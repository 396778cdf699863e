//! Where a profile comes from: the request, as far as it is nobody's secret.
//!
//! Never what a query, a cookie, a body or the environment holds, but for what
//! `xhprof.capture` lists.

use std::ffi::CStr;

use profile::Meta;

use super::tags;
use crate::zend;

/// Says of the request that runs now what a profile's reader will want to know.
pub(super) fn describe(meta: &mut Meta) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let script = zend::script_path().map(text);
    let path = zend::request_path().map(text);
    let method = zend::request_method().map(text);
    meta.title = match (&method, &path) {
        (Some(method), Some(path)) => Some(format!("{method} {path}")),
        _ => script.clone(),
    };
    meta.host = host();
    meta.process = Some(std::process::id());
    meta.sapi = Some(zend::sapi_name().to_owned());
    meta.php_version = zend::php_version();
    meta.creator = Some(concat!("xhprof ", env!("CARGO_PKG_VERSION")).to_owned());
    if let Some(method) = method {
        let status = zend::response_status();
        meta.set_tag("method", method);
        if status > 0 {
            meta.set_tag("status", status.to_string());
        }
        if let Some(host) = zend::http_host() {
            meta.set_tag("http_host", text(host));
        }
        if let Some(path) = path {
            meta.set_tag("path", path);
        }
        if let Some(script) = script {
            meta.set_tag("script", script);
        }
    } else {
        meta.set_tag("exit_status", zend::exit_status().to_string());
    }
    if zend::ended_badly() {
        meta.set_tag("failed", "1");
    }
    let (_, peak) = zend::memory();
    meta.peak_memory = u64::try_from(peak).ok();
    tags::describe(meta);
}

/// The machine's name.
fn host() -> Option<String> {
    let mut name = [0_u8; 256];
    zend::host_name(&mut name).then_some(())?;
    let name = CStr::from_bytes_until_nul(&name).ok()?;
    Some(name.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}
