//! Which other extensions make calls slower, or files faster: Xdebug, pcov and
//! `OPcache`, as tags.
//!
//! Asked once a process, but for whether `OPcache` is on, which a request may
//! change.

use std::ffi::CStr;
use std::sync::OnceLock;

use profile::Meta;

use crate::zend;

/// The tag of what slows down calls: `xdebug 3.2.0 (develop)`.
pub(super) const LOADED: &str = "loaded";
/// The tag of the compiler's cache: `on` or `off`.
pub(super) const OPCACHE: &str = "opcache";

/// Adds both tags; `loaded` only if something is.
pub(super) fn describe(meta: &mut Meta) {
    static SLOW: OnceLock<String> = OnceLock::new();
    let slow = SLOW.get_or_init(slow_extensions);
    if !slow.is_empty() {
        meta.set_tag(LOADED, slow.as_str());
    }
    meta.set_tag(OPCACHE, if is_opcache_on() { "on" } else { "off" });
}

fn slow_extensions() -> String {
    let known: [(&CStr, fn() -> String); 2] = [(c"xdebug", xdebug_modes), (c"pcov", pcov_mode)];
    let loaded = known.iter().filter_map(|(name, mode)| {
        let version = zend::module_version(name)?;
        Some(format!("{} {version} ({})", name.to_string_lossy(), mode()))
    });
    loaded.collect::<Vec<_>>().join(", ")
}

/// The modes that are on: `develop+trace`, or `off`. The variable `XDEBUG_MODE`
/// takes the setting's place; words that are no modes are left out.
fn xdebug_modes() -> String {
    let of_environment = std::env::var("XDEBUG_MODE").ok();
    let setting = zend::ini::value(c"xdebug.mode");
    let setting = String::from_utf8_lossy(&setting);
    let modes = of_environment.filter(|modes| !modes.is_empty());
    let modes = modes.as_deref().unwrap_or(&setting);
    let known = [
        "coverage", "debug", "develop", "gcstats", "profile", "trace",
    ];
    let modes = modes.split(',').map(str::trim);
    let on: Vec<&str> = modes.filter(|mode| known.contains(mode)).collect();
    if on.is_empty() {
        return "off".to_owned();
    }
    on.join("+")
}

fn pcov_mode() -> String {
    let is_on = is_true(c"pcov.enabled");
    if is_on { "on" } else { "off" }.to_owned()
}

fn is_opcache_on() -> bool {
    zend::has_opcache()
        && is_true(c"opcache.enable")
        && (!zend::is_command_line() || is_true(c"opcache.enable_cli"))
}

/// As PHP has it: a number that is not zero, or a word for yes.
fn is_true(name: &CStr) -> bool {
    let value = zend::ini::value(name).trim_ascii().to_ascii_lowercase();
    let words: [&[u8]; 3] = [b"on", b"yes", b"true"];
    let number: Option<i64> = str::from_utf8(&value)
        .ok()
        .and_then(|value| value.parse().ok());
    words.contains(&value.as_slice()) || number.is_some_and(|number| number != 0)
}
