//! Filters as people type them: `route:/cart* wall:>200ms release:2026.11`.

use std::time::{SystemTime, UNIX_EPOCH};

use profile::Date;
use store::{Selection, Status};

/// The selection of a filter.
///
/// Words are separated by blanks; `"…"` keeps blanks. `key:value` is a
/// condition, any other word a part of the title. Keys: `app`, `route`,
/// `release`, `host`, `status`, `label`, `wall` (`>200ms`, `<1s`), `since` and
/// `until` (`7d`, `12h`, `2026-11-22`), `run` (an id; several are any of them),
/// and `tag.NAME`.
///
/// # Errors
///
/// A sentence that names the word, for the user.
pub fn selection(filter: &str) -> Result<Selection, String> {
    let mut selection = Selection::default();
    let mut title = Vec::new();
    for word in words(filter)? {
        let (key, value) = match word.split_once(':') {
            Some((key, value))
                if !key.is_empty() && !value.starts_with("//") && !key.contains('/') =>
            {
                (key, value)
            }
            _ => {
                title.push(word);
                continue;
            }
        };
        let value = value.to_owned();
        match key {
            "app" => selection.app = Some(value),
            "route" => selection.routes.push(value),
            "release" => selection.releases.push(value),
            "host" => selection.hosts.push(value),
            "label" => selection.label = Some(value),
            "run" => selection.ids.push(value.parse()?),
            "status" => selection
                .statuses
                .push(Status::try_from(value).map_err(|error| error.to_string())?),
            "wall" => match value.split_at_checked(1) {
                Some((">", limit)) => selection.min_wall = Some(duration(limit)?),
                Some(("<", limit)) => selection.max_wall = Some(duration(limit)?),
                _ => return Err(format!("{word}: use wall:>200ms or wall:<1s")),
            },
            "since" => selection.since_us = Some(instant(&value)?),
            "until" => selection.until_us = Some(instant(&value)?),
            key => match key.strip_prefix("tag.") {
                Some(name) => selection.tags.push((name.to_owned(), value)),
                None => {
                    return Err(format!(
                        "{word}: no such key; there are app, route, release, host, status, \
                         label, wall, since, until, run and tag.NAME"
                    ));
                }
            },
        }
    }
    if !title.is_empty() {
        selection.title = Some(title.join(" "));
    }
    Ok(selection)
}

fn words(filter: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    for character in filter.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            blank if blank.is_whitespace() && !is_quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            other => word.push(other),
        }
    }
    if is_quoted {
        return Err("a quotation mark is missing at the end".to_owned());
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

/// A time in nanoseconds: `200ms`, `1.5s`, `80us`.
fn duration(text: &str) -> Result<u64, String> {
    let place = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(place);
    let factor = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" | "" => 1e6,
        "s" => 1e9,
        _ => return Err(format!("{text}: not a time; use 80us, 200ms or 1.5s")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{text}: not a time; use 200ms"))?;
    if !(0.0..1e9).contains(&number) {
        return Err(format!("{text}: not a time; use 200ms"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked right above"
    )]
    Ok((number * factor) as u64)
}

/// An instant in microseconds since 1970: `7d` ago, `12h` ago, or a day of UTC.
fn instant(text: &str) -> Result<u64, String> {
    let error = || format!("{text}: not a time; use 7d, 12h, 30m or 2026-11-22");
    if let Some(seconds) = date(text) {
        return Ok(seconds * 1_000_000);
    }
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(error)?;
    let seconds = match unit {
        "d" => 86_400,
        "h" => 3600,
        "m" => 60,
        _ => return Err(error()),
    };
    let number: u64 = number.parse().map_err(|_| error())?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    // In whole days, so that whole days are compared.
    let now = if unit == "d" {
        now / 86_400 * 86_400 + 86_400
    } else {
        now
    };
    let ago = number.checked_mul(seconds).ok_or_else(error)?;
    Ok(now.saturating_sub(ago) * 1_000_000)
}

/// The seconds since 1970 of the beginning of a day.
fn date(text: &str) -> Option<u64> {
    Date::parse(text).map(|date| date.days() * 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_people_type_them() {
        let found = selection(
            "route:/cart* wall:>200ms release:2026.11 tag.branch:\"a b\" status:5xx slow page",
        )
        .unwrap();
        assert_eq!(found.routes, ["/cart*"]);
        assert_eq!(found.min_wall, Some(200_000_000));
        assert_eq!(found.releases, ["2026.11"]);
        assert_eq!(found.tags, [("branch".to_owned(), "a b".to_owned())]);
        assert_eq!(found.statuses, [Status::Class('5')]);
        assert_eq!(found.title.as_deref(), Some("slow page"));
        assert_eq!(
            selection("https://x/y").unwrap().title.as_deref(),
            Some("https://x/y")
        );
        assert_eq!(selection("").unwrap(), Selection::default());
    }

    #[test]
    fn what_is_no_filter_is_named() {
        for (text, part) in [
            ("colour:red", "colour:red"),
            ("wall:200ms", "wall:>200ms"),
            ("wall:>x", "x"),
            ("since:tomorrow", "tomorrow"),
            ("status:ok", "ok"),
            ("\"a", "quotation"),
            ("since:99999999999999999999d", "not a time"),
            ("since:é", "not a time"),
            ("wall:é", "wall"),
        ] {
            let error = selection(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
