//! Filters as people type them: `route:/cart* wall:>200ms release:2026.11`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use profile::quantities::{Since, parse_duration};
use store::{Selection, Status};

/// The selection of a filter.
///
/// Words are separated by blanks; `"…"` keeps blanks. `key:value` is a
/// condition, any other word a part of the title. Keys: `app`, `route`,
/// `release`, `host`, `status`, `label`, `wall` (`>200ms`, `<1s`), `since` and
/// `until` (`7d`, `12h`, `2026-11-22`), `run` (an id; several are any of them),
/// and `tag.NAME`. Several of `route`, `release`, `host` and `status` are any of them, too;
/// of the others there is one.
///
/// # Errors
///
/// A sentence that names the word, for the user.
pub fn selection(filter: &str) -> Result<Selection, String> {
    let mut selection = Selection::default();
    let mut title = Vec::new();
    let mut single: Vec<(String, String)> = Vec::new();
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
        if let Some(condition) = single_condition(key, &value) {
            match single.iter().find(|(known, _)| *known == condition) {
                Some((_, before)) if *before != value => {
                    return Err(format!(
                        "{key}:{before} and {key}:{value} contradict each other; use one of them"
                    ));
                }
                Some(_) => {}
                None => single.push((condition, value.clone())),
            }
        }
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

/// The name of a condition that a filter has only once: a second value would contradict the
/// first, or say less.
fn single_condition(key: &str, value: &str) -> Option<String> {
    match key {
        "wall" => Some(format!("wall{}", value.chars().next().unwrap_or_default())),
        "app" | "label" | "since" | "until" => Some(key.to_owned()),
        tag if tag.starts_with("tag.") => Some(tag.to_owned()),
        _ => None,
    }
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

/// A condition of a filter, with a value that may have blanks.
#[must_use]
pub fn condition(key: &str, value: &str) -> String {
    let value = value.replace('"', "");
    if value.is_empty() || value.contains(char::is_whitespace) {
        format!("{key}:\"{value}\"")
    } else {
        format!("{key}:{value}")
    }
}

/// The filter with these times in the place of its own.
pub(crate) fn in_time(filter: &str, times: &str) -> String {
    let mut kept = Vec::new();
    let (mut begin, mut is_quoted) = (0, false);
    let ends = filter.char_indices().filter_map(|(place, character)| {
        is_quoted ^= character == '"';
        (character.is_whitespace() && !is_quoted).then_some(place)
    });
    for end in ends.chain([filter.len()]).collect::<Vec<_>>() {
        let word = filter.get(begin..end).unwrap_or_default().trim();
        begin = end;
        let plain = word.replace('"', "");
        let is_time = plain.starts_with("since:") || plain.starts_with("until:");
        if !word.is_empty() && !is_time {
            kept.push(word);
        }
    }
    kept.push(times);
    kept.join(" ")
}

/// A time in nanoseconds.
fn duration(text: &str) -> Result<u64, String> {
    parse_duration(text).map_err(|error| format!("{text}: {error}"))
}

/// An instant in microseconds since 1970.
fn instant(text: &str) -> Result<u64, String> {
    const DAY: Duration = Duration::from_secs(86_400);
    let since: Since = text.parse().map_err(|error| format!("{text}: {error}"))?;
    let mut now = SystemTime::now();
    // Whole days are compared with whole days: they are counted from the end of this one.
    if text.ends_with(['d', 'w'])
        && let Ok(time) = now.duration_since(UNIX_EPOCH)
    {
        now = UNIX_EPOCH + DAY * u32::try_from(time.as_secs() / 86_400 + 1).unwrap_or(u32::MAX);
    }
    Ok(since.microseconds(now))
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
        for text in [
            "wall:>80us",
            "wall:>80µs",
            "wall:>80\u{3bc}s",
            "wall:>0.08ms",
        ] {
            assert_eq!(selection(text).unwrap().min_wall, Some(80_000), "{text}");
        }
        // What does not contradict itself is as before.
        let found = selection("app:a app:a wall:>1s wall:<2s route:/a route:/b tag.a:1 tag.b:2");
        let found = found.unwrap();
        assert_eq!((found.routes.len(), found.tags.len()), (2, 2));
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
            ("since:2026-02-31", "not a time"),
            ("app:a app:b", "app:a and app:b contradict"),
            ("wall:>1s wall:>2s", "contradict"),
            ("since:7d since:2d", "contradict"),
            ("tag.a:1 tag.a:2", "contradict"),
        ] {
            let error = selection(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn times_of_a_filter_are_replaced() {
        for (filter, expected) in [
            ("", "since:1d"),
            (
                "route:/a since:30d  until:2d slow",
                "route:/a slow since:1d",
            ),
            (
                "tag.x:\"a since:b\" \"since:7d\"",
                "tag.x:\"a since:b\" since:1d",
            ),
        ] {
            let replaced = in_time(filter, "since:1d");
            assert_eq!(replaced, expected);
            selection(&replaced).unwrap();
        }
    }
}
