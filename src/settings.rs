//! The current values of the settings in php.ini. [`policy::settings`] defines the
//! settings.

pub(crate) use policy::settings::*;

use crate::zend::ini;

/// The setting's current value. An invalid one cannot have been set, so this is
/// the default at worst.
pub(crate) fn value<T: Clone>(setting: &Setting<T>) -> T {
    ini::parsed(setting)
}
