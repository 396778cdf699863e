//! Filters as people type them: `route:/cart* wall:>200ms release:2026.11`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use profile::quantities::{Since, parse_duration};
use store::{Selection, Status};

/// The selection of a filter.
///
/// Words are separated by blanks; `"…"` keeps blanks, and has `\"` and `\\` for a quotation mark
/// and a backslash. Elsewhere a backslash is one, as in `App\Cart`. `key:value` is a
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
    let (words, is_open) = words(filter);
    if is_open {
        return Err("a quotation mark is missing at the end".to_owned());
    }
    for Word {
        text: word, colon, ..
    } in words
    {
        let Some((key, value)) = parted(&word, colon) else {
            title.push(word);
            continue;
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

const KEYS: &[&str] = &[
    "app", "route", "release", "host", "status", "label", "wall", "since", "until", "run",
];

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

/// A word of a filter.
struct Word<'a> {
    /// As it is written.
    raw: &'a str,
    /// Without the quotation marks.
    text: String,
    /// The first colon of the text that is not between them.
    colon: Option<usize>,
}

/// The words, and whether a quotation mark is missing at the end.
fn words(filter: &str) -> (Vec<Word<'_>>, bool) {
    let mut words = Vec::new();
    let mut is_quoted = false;
    let mut rest = filter.char_indices().peekable();
    let (mut begin, mut text, mut colon) = (0, String::new(), None);
    while let Some((place, character)) = rest.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => {
                let escaped = rest.next_if(|(_, next)| matches!(next, '"' | '\\'));
                text.push(escaped.map_or('\\', |(_, next)| next));
            }
            blank if blank.is_whitespace() && !is_quoted => {
                let raw = filter.get(begin..place).unwrap_or_default();
                begin = place + blank.len_utf8();
                let (text, colon) = (std::mem::take(&mut text), colon.take());
                words.push(Word { raw, text, colon });
            }
            other => {
                if other == ':' && !is_quoted {
                    colon.get_or_insert(text.len());
                }
                text.push(other);
            }
        }
    }
    let raw = filter.get(begin..).unwrap_or_default();
    words.push(Word { raw, text, colon });
    words.retain(|word| !word.text.is_empty());
    (words, is_quoted)
}

/// The key and the value of a condition; none if the word is a part of a title, such as an address.
fn parted(word: &str, colon: Option<usize>) -> Option<(&str, &str)> {
    let (key, value) = match colon {
        Some(colon) => (word.get(..colon)?, word.get(colon + 1..)?),
        None => word.split_once(':')?,
    };
    let is_title = key.is_empty() || value.starts_with("//") || key.contains('/');
    (KEYS.contains(&key) || key.starts_with("tag.") || !is_title).then_some((key, value))
}

/// A condition of a filter, with any value.
#[must_use]
pub fn condition(key: &str, value: &str) -> String {
    // A tag may have any name.
    let key = match key.contains(':') {
        true => in_quotes(key),
        false => quoted(key),
    };
    format!("{key}:{}", quoted(value))
}

/// The text in quotation marks, if a word has to have them.
fn quoted(text: &str) -> String {
    // JavaScript counts the byte order mark as a blank.
    let is_blank = |character: char| character.is_whitespace() || character == '\u{feff}';
    if text.is_empty() || text.contains('"') || text.contains(is_blank) {
        return in_quotes(text);
    }
    text.to_owned()
}

fn in_quotes(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// The filter with these times in the place of its own.
pub(crate) fn in_time(filter: &str, times: &str) -> String {
    let is_time = |word: &Word<'_>| {
        let key = parted(&word.text, word.colon).map(|(key, _)| key);
        matches!(key, Some("since" | "until"))
    };
    let (words, _) = words(filter);
    let kept = words.iter().filter(|word| !is_time(word));
    let kept: Vec<&str> = kept.map(|word| word.raw).chain([times]).collect();
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

    /// The cases that web/src/api/filter.test.ts reads, too: a key, a value, and the condition.
    const CASES: &str = include_str!("../tests/filter-cases.json");

    /// What a condition selects.
    fn read(written: &str) -> (String, String) {
        let mut found = selection(written).unwrap();
        match found.tags.pop() {
            Some((name, value)) => (format!("tag.{name}"), value),
            None => ("route".to_owned(), found.routes.remove(0)),
        }
    }

    #[test]
    fn conditions_are_written_as_the_pages_write_them() {
        let cases: Vec<[String; 3]> = serde_json::from_str(CASES).unwrap();
        for [key, value, written] in cases {
            assert_eq!(condition(&key, &value), written);
            assert_eq!(read(&written), (key, value), "{written}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_asked_for(
            name in "(\\PC|[\"\\\\: \t\u{85}]){1,8}",
            value in "(\\PC|[\"\\\\:/* \t\u{85}\u{feff}]){0,12}",
            other in "(\\PC|[\"\\\\: ]){0,12}",
        ) {
            let key = format!("tag.{name}");
            let written = format!("{} {}", condition("route", &other), condition(&key, &value));
            let found = selection(&written).unwrap();
            proptest::prop_assert_eq!(found.routes, [other]);
            proptest::prop_assert_eq!(found.tags, [(name, value)]);
            let in_time = in_time(&written, "since:1d");
            proptest::prop_assert_eq!(in_time, format!("{written} since:1d"));
        }

        #[test]
        fn no_filter_panics(filter in "(\\PC|[\"\\\\: ]){0,20}") {
            let _ = selection(&filter);
            let _ = in_time(&filter, "since:1d");
        }
    }

    #[test]
    fn quotation_marks_and_backslashes_are_escaped_between_quotation_marks_only() {
        for (filter, route) in [
            (r"route:App\Cart", r"App\Cart"),
            (r#"route:"App\Cart x""#, r"App\Cart x"),
            (r#"route:"a \"b\" \\""#, r#"a "b" \"#),
            ("route://x", "//x"),
            (r#""route:/a b""#, "/a b"),
        ] {
            assert_eq!(selection(filter).unwrap().routes, [route], "{filter}");
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
