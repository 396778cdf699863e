//! The text above a graph: title, date, and warnings.

use std::borrow::Cow;

use profile::{Date, Meta, Mode, Profile};

use crate::WriteOptions;
use crate::shared::text;

/// The title: the requested one, the profile's own, or the kind of page.
pub(crate) fn title(profile: &Profile, options: &WriteOptions, otherwise: &str) -> String {
    let own = options.title.as_ref().or(profile.meta.title.as_ref());
    let title = own.filter(|title| !title.trim().is_empty());
    let title = title.map_or(Cow::Borrowed(otherwise), |title| {
        text::lossy(title.as_bytes())
    });
    text::shortened(&title, 200).into_owned()
}

/// The warning about a profile whose end is missing. Files do not tell a limit
/// of the recording from a program that was killed.
pub const INCOMPLETE: &str = "incomplete: a limit was reached, or the file was cut off";

/// Warnings about the accuracy of the numbers.
pub(crate) fn warnings(meta: &Meta) -> Vec<&'static str> {
    let mut warnings = Vec::new();
    if meta.is_estimated {
        warnings.push("estimated from call graph");
    }
    if meta.is_truncated {
        warnings.push(INCOMPLETE);
    }
    if meta.mode == Mode::Sampled {
        warnings.push("sampled");
    }
    warnings
}

/// Microseconds since 1970 as `2023-11-14 22:13:20 UTC`.
#[must_use]
pub fn moment(unix_us: u64) -> String {
    let seconds = unix_us / 1_000_000;
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let date = Date::of_seconds(seconds);
    format!("{date} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(moment(951_782_399_000_000), "2000-02-28 23:59:59 UTC");
        assert_eq!(moment(951_782_400_000_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(moment(1_700_000_000_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(moment(4_102_444_800_000_000), "2100-01-01 00:00:00 UTC");
    }

    #[test]
    fn a_title_without_letters_is_none() {
        let mut profile = Profile::empty();
        profile.meta.title = Some(" ".to_owned());
        let options = WriteOptions::default();
        assert_eq!(title(&profile, &options, "Flame graph"), "Flame graph");
        profile.meta.title = Some("/a\nb".to_owned());
        assert_eq!(title(&profile, &options, "Flame graph"), "/a b");
    }
}
