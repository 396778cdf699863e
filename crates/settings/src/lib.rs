//! The settings in php.ini. Each is one typed static, and stands nowhere else:
//! the extension registers them with PHP, `xhprof doctor` looks them up, and
//! `tests/it/documents.rs` compares the tables of the documents with them.
//!
//! A setting is validated when it is set, by php.ini, `-d` or `ini_set()`: an
//! invalid value gives one warning, and the old value, or the default, stays. So
//! reading a setting cannot fail.
//!
//! ```
//! assert_eq!(settings::RATE.parse("0.01"), Some(0.01));
//! assert_eq!(settings::RATE.parse("2"), None);
//! assert!(settings::named("xhprof.rate").is_some());
//! ```
//!
//! The main types are [`Setting`], [`Definition`] and [`Parser`].

#![forbid(unsafe_code)]

mod choices;
mod everyday;
mod expert;
pub mod file_name;
mod former;
mod limits;
mod parser;

use std::borrow::Cow;
use std::ffi::CStr;

pub use choices::{
    AutoEnable, ClockChoice, ClosureNames, EngineChoice, Flags, Mode, OutputFormat, SampledClock,
};
pub use everyday::*;
pub use expert::*;
pub use former::{FORMER, Former};
pub use limits::*;
pub use parser::{Parser, boolean, list};

use parser::{AnyText, List};

/// The value of a setting that is any text.
pub type Text = Cow<'static, str>;

/// A setting whose values are of type `T`.
pub struct Setting<T: 'static> {
    /// The name in php.ini.
    pub name: &'static CStr,
    /// The value if php.ini has none, or an invalid one.
    pub default: T,
    /// Where the setting can be changed.
    pub scope: Scope,
    /// What is special about the setting.
    pub kind: Kind,
    /// Reads and prints the values, and knows their limits.
    pub parser: &'static dyn Parser<T>,
    /// The values and their meaning, in docs/settings.md.
    pub about: &'static str,
    /// The comment in scripts/xhprof.ini; empty if the comment above is for both.
    pub comment: &'static str,
}

/// Where a setting can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere, `ini_set()` included.
    Anywhere,
    /// php.ini, the server's configuration, `.user.ini`.
    PerDirectory,
    /// php.ini and the command line only.
    System,
}

/// What is special about a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// The value is never shown.
    Secret,
    /// A directory. A program's value must be allowed by `open_basedir`, and is made
    /// absolute when it is set.
    Directory,
    /// A limit: an invalid value must not disable it.
    Limit,
}

/// A setting, whatever the type of its values.
pub trait Definition: Sync {
    /// The name, as PHP takes it.
    fn c_name(&self) -> &'static CStr;
    /// The default, as php.ini has it.
    fn default_text(&self) -> String;
    /// Where the setting can be changed.
    fn scope(&self) -> Scope;
    /// What is special about the setting.
    fn kind(&self) -> Kind;
    /// Whether a value is valid.
    fn is_valid(&self, text: &str) -> bool;
    /// The valid values, in words: "xhprof.x must be …".
    fn expected(&self) -> String;
    /// The values and their meaning, in docs/settings.md.
    fn about(&self) -> &'static str;
    /// The comment in scripts/xhprof.ini.
    fn comment(&self) -> &'static str;

    /// The name.
    fn name(&self) -> &'static str {
        self.c_name().to_str().unwrap_or_default()
    }
}

impl<T: Clone + Sync> Definition for Setting<T> {
    fn c_name(&self) -> &'static CStr {
        self.name
    }

    fn default_text(&self) -> String {
        self.parser.print(&self.default)
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn is_valid(&self, text: &str) -> bool {
        self.parser.parse(text).is_some()
    }

    fn expected(&self) -> String {
        self.parser.expected()
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn comment(&self) -> &'static str {
        self.comment
    }
}

impl<T> Setting<T> {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or_default()
    }
}

impl<T: Clone> Setting<T> {
    /// The value of that text; none if it is not valid.
    #[must_use]
    pub fn parse(&self, text: &str) -> Option<T> {
        self.parser.parse(text)
    }

    /// The value of that text, or else the default.
    #[must_use]
    pub fn value_of(&self, text: &[u8]) -> T {
        let value = str::from_utf8(text).ok().and_then(|text| self.parse(text));
        value.unwrap_or_else(|| self.default.clone())
    }
}

/// Every setting, in the order of the documents.
pub fn all() -> impl Iterator<Item = &'static &'static dyn Definition> {
    EVERYDAY.iter().chain(LIMITS).chain(EXPERT)
}

/// The setting of that name. Names are case-sensitive, as in PHP.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Definition> {
    all().copied().find(|setting| setting.name() == name)
}

const DIRECTORY: &AnyText = &AnyText {
    expected: "a directory",
};

const PATTERNS: &List = &List {
    is_valid: is_text,
    expected: "patterns, with spaces or commas between them",
};

fn is_text(text: &str) -> bool {
    !text.contains('\0')
}
