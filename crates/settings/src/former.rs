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
    Former::new(
        c"xhprof.compensate",
        "times contain the profiler's own cost; for shares without it, set xhprof.mode=sample",
    ),
    Former::new(
        c"xhprof.ignored_functions",
        "set xhprof.exclude, which leaves functions out of every profile",
    ),
    Former::new(
        c"xhprof.keep_errors",
        "requests that fail are written however short they were, whatever xhprof.min_duration says",
    ),
    Former::new(
        c"xhprof.pin_cpu",
        "set xhprof.clock=pinned to stay on one CPU, or xhprof.clock=monotonic never to",
    ),
    Former::new(
        c"xhprof.route",
        "set the route in the program, by xhprof_tag('route', …)",
    ),
    Former::new(
        c"xhprof.sampling_depth",
        "xhprof.max_depth limits the frames of a sample, too",
    ),
    Former::new(
        c"xhprof.skip",
        "add the patterns to xhprof.match, each with a ! before it",
    ),
    Former::new(c"xhprof.spans", "set xhprof.collect_additional_info"),
    Former::new(
        c"xhprof.template_names",
        "the program names templates, by the files that they are compiled to",
    ),
    Former::new(
        c"xhprof.timing",
        "every call is timed; where reading the clock is slow, set xhprof.mode=sample",
    ),
];

impl Former {
    const fn new(name: &'static CStr, instead: &'static str) -> Self {
        Self { name, instead }
    }

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
    use crate::{all, named};

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
