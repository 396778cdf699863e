//! Settings of earlier versions. PHP ignores names that it does not know, so php.ini
//! may still have them: PHP's log then names what there is instead.

use std::ffi::CStr;

/// A setting that there was.
pub struct Former {
    /// The name in php.ini.
    pub name: &'static CStr,
    /// What there is instead, as the end of a sentence.
    instead: &'static str,
}

/// All of them, by name.
pub static FORMER: &[Former] = &[
    Former {
        name: c"xhprof.compensate",
        instead: "times contain the profiler's own cost; for shares without it, set xhprof.mode=sample",
    },
    Former {
        name: c"xhprof.timing",
        instead: "every call is timed; where reading the clock is slow, set xhprof.mode=sample",
    },
];

impl Former {
    /// The line for PHP's log.
    #[must_use]
    pub fn sentence(&self) -> String {
        let name = self.name.to_string_lossy();
        format!("{name} has no effect any more: {}", self.instead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{all, named};

    #[test]
    fn no_setting_is_both_there_and_gone() {
        for former in FORMER {
            assert!(named(&former.name.to_string_lossy()).is_none());
        }
    }

    #[test]
    fn what_there_is_instead_exists() {
        for former in FORMER {
            let words = former
                .instead
                .split(|letter: char| !(letter.is_alphanumeric() || "._".contains(letter)));
            for name in words.filter(|word| word.starts_with("xhprof.")) {
                assert!(all().any(|setting| setting.name() == name), "{name}");
            }
        }
    }
}
