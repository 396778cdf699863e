//! The current values of the settings in php.ini. [`::settings`] defines the
//! settings.

pub(crate) use ::settings::*;

use std::sync::OnceLock;

use crate::log_throttled::{Problem, log_throttled};
use crate::zend::ini;

/// The setting's current value. An invalid one cannot have been set, so this is
/// the default at worst.
pub(crate) fn value<T: Clone>(setting: &Setting<T>) -> T {
    ini::parsed(setting)
}

/// RINIT: says in PHP's log which settings of php.ini have no effect any more.
pub(crate) fn report_former() {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let former = FORMER
            .iter()
            .filter(|former| ini::is_configured(former.name));
        let sentences: Vec<String> = former.map(Former::sentence).collect();
        (!sentences.is_empty()).then(|| sentences.join("; "))
    });
    if let Some(found) = found {
        log_throttled(Problem::FormerSetting, found);
    }
}
