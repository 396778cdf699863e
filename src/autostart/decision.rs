//! The decision about a request, and its text in `xhprof_status()['decision']`
//! and in the line of `xhprof.debug`.

use std::fmt;

use super::remote::Asked;
use crate::settings;

/// Whether a request is profiled, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The request is profiled.
    Profiled(Reason),
    /// The request is not profiled.
    NotProfiled(Rule),
}

/// Why a request is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// `XHPROF=1` on the command line.
    Environment,
    /// The request has a valid trigger.
    Trigger,
    /// `xhprof attach --trace` asked for it.
    Remote(Asked),
    /// `xhprof.auto_enable = 1`, and no rule excludes the request.
    Rules,
}

impl Reason {
    /// Whether the user asked for this profile, so that it is written however
    /// short the request was.
    pub(super) fn is_explicit(self) -> bool {
        self != Self::Rules
    }
}

/// Why a request is not profiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `XHPROF=0` on the command line.
    Environment,
    /// `xhprof.auto_enable = 0` or `never`.
    Off,
    /// `xhprof.auto_enable = trigger`, and there is none in the request.
    NoTrigger,
    /// The trigger has no secret in php.ini.
    NoSecret,
    /// The trigger's value is not the secret.
    WrongSecret,
    /// A limit in php.ini is not valid.
    InvalidLimit,
    /// `xhprof.rate`.
    Rate,
    /// No pattern of `xhprof.match` fits.
    Match,
    /// This pattern of `xhprof.match` with a `!` fits.
    LeftOut(String),
    /// `xhprof.max_per_minute`.
    MaxPerMinute,
    /// Nothing can be recorded or written; the text is the reason.
    Problem(String),
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profiled(reason) => write!(f, "profiled: {reason}"),
            Self::NotProfiled(rule) => write!(f, "not profiled: {rule}"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "XHPROF=1",
            Self::Trigger => "xhprof.trigger",
            Self::Remote(_) => "xhprof attach --trace",
            Self::Rules => "xhprof.auto_enable = 1",
        })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("XHPROF=0"),
            Self::Off => {
                let value = settings::value(&settings::AUTO_ENABLE);
                let value = settings::AUTO_ENABLE.parser.print(&value);
                write!(f, "{} = {value}", settings::AUTO_ENABLE.name())
            }
            Self::NoTrigger => {
                let name = settings::value(&settings::TRIGGER);
                if name.is_empty() {
                    f.write_str("xhprof.auto_enable = trigger, but xhprof.trigger is empty")
                } else {
                    write!(
                        f,
                        "xhprof.auto_enable = trigger, and the request has no {name}"
                    )
                }
            }
            Self::NoSecret => {
                f.write_str("xhprof.auto_enable = trigger, but xhprof.trigger_secret is empty")
            }
            Self::WrongSecret => f.write_str("xhprof.trigger, with a wrong secret"),
            Self::InvalidLimit => f.write_str("a limit in php.ini is not valid"),
            Self::Rate => f.write_str("xhprof.rate"),
            Self::Match => f.write_str("xhprof.match"),
            Self::LeftOut(pattern) => write!(f, "xhprof.match, by !{pattern}"),
            Self::MaxPerMinute => f.write_str("xhprof.max_per_minute"),
            Self::Problem(problem) => f.write_str(problem),
        }
    }
}
