//! Parsers: each reads the text of a setting, prints a value as such a text, and
//! says which texts are valid.
//!
//! **Invariant:** a parser accepts what it prints, and reads the same value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::file_name;
use crate::{Flags, Text, is_text};

/// Reads and prints the values of a setting.
pub trait Parser<T>: Sync {
    /// The value; none if the text is not valid.
    fn parse(&self, text: &str) -> Option<T>;

    /// A text of that value, as php.ini has it.
    fn print(&self, value: &T) -> String;

    /// The valid texts, in words: "xhprof.x must be …".
    fn expected(&self) -> String;
}

/// A boolean, as php.ini spells it.
#[must_use]
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "on" | "yes" | "true" => Some(true),
        "" | "0" | "off" | "no" | "false" | "none" => Some(false),
        _ => None,
    }
}

/// The words of a list, which are separated by commas or white space.
#[must_use]
pub fn list(text: &str) -> Vec<String> {
    text.split([' ', ',', '\t', '\r', '\n'])
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// On or off.
pub(super) struct Switch;

impl Parser<bool> for Switch {
    fn parse(&self, text: &str) -> Option<bool> {
        boolean(text)
    }

    fn print(&self, value: &bool) -> String {
        if *value { "1" } else { "0" }.to_owned()
    }

    fn expected(&self) -> String {
        "0 or 1".to_owned()
    }
}

/// One of several words, in any case. If `0` or `1` is a word, all of php.ini's
/// spellings of a boolean are.
pub(super) struct Words<T: 'static>(pub(super) &'static [(&'static str, T)]);

impl<T: Copy> Words<T> {
    fn find(&self, text: &str) -> Option<T> {
        let found = self.0.iter().find(|(word, _)| *word == text);
        found.map(|&(_, value)| value)
    }
}

impl<T: Copy + PartialEq + Sync> Parser<T> for Words<T> {
    fn parse(&self, text: &str) -> Option<T> {
        let word = text.trim().to_ascii_lowercase();
        let of_boolean = || self.find(if boolean(&word)? { "1" } else { "0" });
        self.find(&word).or_else(of_boolean)
    }

    fn print(&self, value: &T) -> String {
        let found = self.0.iter().find(|(_, known)| known == value);
        debug_assert!(found.is_some(), "each value has a word");
        found.map_or_else(String::new, |(word, _)| (*word).to_owned())
    }

    fn expected(&self) -> String {
        let words = self.0.iter().map(|(word, _)| *word);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        match words.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => words.concat(),
        }
    }
}

/// A whole number within limits.
pub(super) struct Number<T> {
    /// "a number", or the unit and a comma.
    pub(super) what: &'static str,
    pub(super) limits: RangeInclusive<T>,
}

impl<T: Copy + Display + FromStr + PartialOrd + Sync> Parser<T> for Number<T> {
    fn parse(&self, text: &str) -> Option<T> {
        let number = text.trim().parse().ok()?;
        self.limits.contains(&number).then_some(number)
    }

    fn print(&self, value: &T) -> String {
        value.to_string()
    }

    fn expected(&self) -> String {
        let (least, most) = (self.limits.start(), self.limits.end());
        format!("{} from {least} to {most}", self.what)
    }
}

/// A number that is raised to `least` if it is smaller.
pub(super) struct Raised {
    pub(super) least: u64,
    pub(super) number: Number<u64>,
}

impl Parser<u64> for Raised {
    fn parse(&self, text: &str) -> Option<u64> {
        Some(self.number.parse(text)?.max(self.least))
    }

    fn print(&self, value: &u64) -> String {
        self.number.print(value)
    }

    fn expected(&self) -> String {
        self.number.expected()
    }
}

/// A number of milliseconds.
pub(super) struct Milliseconds {
    pub(super) limits: RangeInclusive<u64>,
}

impl Milliseconds {
    fn number(&self) -> Number<u64> {
        Number {
            what: "milliseconds,",
            limits: self.limits.clone(),
        }
    }
}

impl Parser<Duration> for Milliseconds {
    fn parse(&self, text: &str) -> Option<Duration> {
        self.number().parse(text).map(Duration::from_millis)
    }

    fn print(&self, value: &Duration) -> String {
        value.as_millis().to_string()
    }

    fn expected(&self) -> String {
        self.number().expected()
    }
}

/// A number of bytes, with PHP's suffixes `K`, `M` and `G`, and `T`.
pub(super) struct Size {
    /// Zero is valid, and means no limit.
    pub(super) may_be_zero: bool,
}

impl Size {
    /// The smallest limit, in bytes.
    pub(super) const LEAST: u64 = 64 << 10;
    const SUFFIXES: [(u8, u32); 4] = [(b'T', 40), (b'G', 30), (b'M', 20), (b'K', 10)];
}

impl Parser<u64> for Size {
    fn parse(&self, text: &str) -> Option<u64> {
        let text = text.trim();
        if text == "0" && self.may_be_zero {
            return Some(0);
        }
        let last = text.as_bytes().last()?.to_ascii_uppercase();
        let suffix = Self::SUFFIXES.iter().find(|(suffix, _)| *suffix == last);
        let (digits, shift) = match suffix {
            Some((_, shift)) => (text.get(..text.len() - 1)?, *shift),
            None => (text, 0),
        };
        let number: u64 = digits.trim().parse().ok()?;
        let size = number.checked_mul(1 << shift)?;
        (size >= Self::LEAST).then_some(size)
    }

    fn print(&self, value: &u64) -> String {
        let fits = |shift: u32| *value != 0 && value.trailing_zeros() >= shift;
        let suffix = Self::SUFFIXES.iter().find(|(_, shift)| fits(*shift));
        match suffix {
            Some((suffix, shift)) => format!("{}{}", value >> shift, char::from(*suffix)),
            None => value.to_string(),
        }
    }

    fn expected(&self) -> String {
        let zero = if self.may_be_zero { "0, or " } else { "" };
        let least = self.print(&Self::LEAST);
        format!("{zero}a size of at least {least}, as in 256M or 1G")
    }
}

/// A fraction from 0 to 1.
pub(super) struct Fraction;

impl Parser<f64> for Fraction {
    fn parse(&self, text: &str) -> Option<f64> {
        let fraction = text.trim().parse().ok()?;
        (0.0..=1.0).contains(&fraction).then_some(fraction)
    }

    fn print(&self, value: &f64) -> String {
        value.to_string()
    }

    fn expected(&self) -> String {
        "a number from 0 to 1, as in 0.01".to_owned()
    }
}

/// Permissions of a file that allow at least the owner to read and write.
pub(super) struct Permissions;

impl Parser<u32> for Permissions {
    fn parse(&self, text: &str) -> Option<u32> {
        let text = text.trim();
        let is_octal =
            (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let mode = u32::from_str_radix(text, 8).ok().filter(|_| is_octal)?;
        (mode <= 0o777 && mode & 0o600 == 0o600).then_some(mode)
    }

    fn print(&self, value: &u32) -> String {
        format!("{value:04o}")
    }

    fn expected(&self) -> String {
        "octal permissions from 0600 to 0777, as in 0640".to_owned()
    }
}

/// The words of [`Flags`].
pub(super) struct FlagWords;

impl Parser<Flags> for FlagWords {
    fn parse(&self, text: &str) -> Option<Flags> {
        Flags::from_words(text)
    }

    fn print(&self, value: &Flags) -> String {
        value.words()
    }

    fn expected(&self) -> String {
        format!("any of the words {}", Flags::all_words())
    }
}

/// Any text without a NUL.
pub(super) struct AnyText {
    pub(super) expected: &'static str,
}

impl Parser<Text> for AnyText {
    fn parse(&self, text: &str) -> Option<Text> {
        is_text(text).then(|| Text::Owned(text.to_owned()))
    }

    fn print(&self, value: &Text) -> String {
        value.as_ref().to_owned()
    }

    fn expected(&self) -> String {
        self.expected.to_owned()
    }
}

/// A list of words; see [`list`].
pub(super) struct List {
    pub(super) is_valid: fn(&str) -> bool,
    pub(super) expected: &'static str,
}

impl Parser<Vec<String>> for List {
    fn parse(&self, text: &str) -> Option<Vec<String>> {
        let words = list(text);
        words
            .iter()
            .all(|word| (self.is_valid)(word))
            .then_some(words)
    }

    fn print(&self, value: &Vec<String>) -> String {
        value.join(" ")
    }

    fn expected(&self) -> String {
        self.expected.to_owned()
    }
}

/// The name of an input of a request, or nothing.
pub(super) struct InputName;

impl InputName {
    /// Whether `text` is a valid name.
    pub(super) fn is_valid(text: &str) -> bool {
        let is_letter =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        (1..=64).contains(&text.len()) && text.bytes().all(is_letter)
    }
}

impl Parser<Text> for InputName {
    fn parse(&self, text: &str) -> Option<Text> {
        let is_valid = text.is_empty() || Self::is_valid(text);
        is_valid.then(|| Text::Owned(text.to_owned()))
    }

    fn print(&self, value: &Text) -> String {
        value.as_ref().to_owned()
    }

    fn expected(&self) -> String {
        "a name of letters, digits, _, - and .".to_owned()
    }
}

/// A pattern of file names; see [`file_name`].
pub(super) struct FileName;

impl Parser<Text> for FileName {
    fn parse(&self, text: &str) -> Option<Text> {
        file_name::is_pattern(text).then(|| Text::Owned(text.to_owned()))
    }

    fn print(&self, value: &Text) -> String {
        value.as_ref().to_owned()
    }

    fn expected(&self) -> String {
        let letters: Vec<String> = file_name::PLACEHOLDERS
            .chars()
            .map(|letter| format!("%{letter}"))
            .collect();
        let (last, others) = letters
            .split_last()
            .map_or(("", &[][..]), |(last, others)| (last, others));
        let others = others.join(" ");
        format!(
            "a file's name without slash or ending, in which {others} and {last} stand for something"
        )
    }
}
