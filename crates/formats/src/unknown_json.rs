//! The error for unknown JSON: its keys, and the JSON formats that can be read.

use serde::de::IgnoredAny;

use crate::{FORMATS, ReadError};

/// How many keys are named, and the maximum length of each.
const MAX_KEYS: usize = 8;
const MAX_KEY_LENGTH: usize = 40;

/// The error for an input that begins with `head`; none if it is no JSON.
pub(crate) fn error(head: &[u8]) -> Option<ReadError> {
    let keys = keys(head)?;
    let known = known();
    Some(ReadError::UnknownJson { keys, known })
}

/// The keys of the object that `head` begins with, as far as it is complete;
/// none if it is no JSON. For a list, the keys of its first object.
fn keys(head: &[u8]) -> Option<Vec<String>> {
    let text = head.trim_ascii_start();
    let object = match text {
        [b'[', rest @ ..] => rest.trim_ascii_start(),
        text => text,
    };
    match object {
        [b'{', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..]) => {
            Some(keys_of(rest))
        }
        // A list of something else, or of nothing yet.
        _ if text.starts_with(b"[") && !object.starts_with(b"[") && is_json(text) => {
            Some(Vec::new())
        }
        _ => None,
    }
}

/// Whether `text` begins with a whole JSON value, or with the first part of one
/// that its end cuts. Lines of a log may begin with `[` and a date.
fn is_json(text: &[u8]) -> bool {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => {
            let rest = text.get(values.byte_offset()..).unwrap_or_default();
            matches!(rest.trim_ascii_start(), [] | [b'[' | b'{', ..])
        }
        Some(Err(error)) => error.is_eof(),
        None => true,
    }
}

fn keys_of(object: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = object;
    let (mut depth, mut is_key) = (0_usize, true);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let Some(end) = end_of_string(rest) else {
                    break;
                };
                let (string, after) = rest.split_at_checked(end).unwrap_or_default();
                rest = after.get(1..).unwrap_or_default();
                if depth == 0 && is_key {
                    let text = String::from_utf8_lossy(string);
                    keys.push(text.chars().take(MAX_KEY_LENGTH).collect());
                    if keys.len() == MAX_KEYS {
                        break;
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            b':' if depth == 0 => is_key = false,
            b',' if depth == 0 => is_key = true,
            _ => {}
        }
    }
    keys
}

fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// The names of the formats that are JSON and can be read, each once.
fn known() -> Vec<&'static str> {
    let is_json = |ending: &&str| ending.ends_with("json") || ending.ends_with("cpuprofile");
    let read = FORMATS.iter().filter(|format| format.reads.is_some());
    let mut names = Vec::new();
    for format in read.filter(|format| format.endings.iter().any(is_json)) {
        // A form of a format, as `speedscope, evented`, is recognized as that.
        let name = format.name.split(',').next().unwrap_or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Option<String> {
        keys(json.as_bytes()).map(|keys| keys.join(" "))
    }

    #[test]
    fn the_keys_of_the_outermost_object_are_found() {
        let json = r#"{"nodes":[{"id":1,"x":"{"}],"a\"b" : {"c":2}, "t":3,"cut":[{"d"#;
        assert_eq!(found(json).unwrap(), r#"nodes a\"b t cut"#);
        assert_eq!(
            found(r#" [ {"name":"x","ph":"B"},{"z":1}]"#).unwrap(),
            "name ph"
        );
        assert_eq!(found("{}").unwrap(), "");
        assert_eq!(found("[1,2]").unwrap(), "");
        let many: String = (0..20).map(|number| format!("\"k{number}\":1,")).collect();
        assert_eq!(found(&format!("{{{many}")).unwrap().split(' ').count(), 8);
        for list in ["[", "[1, 2.5, null, {\"", "[\"a\"]\n[1]", "[-1e5", "[]\n"] {
            assert_eq!(found(list).unwrap(), "", "{list}");
        }
        for other in ["", "x", "a;b 1", "{x}", "[x]", "[[[x", "{1"] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn a_log_is_no_json() {
        for log in [
            "[2026-11-22T19:00:00] local.ERROR: x {\"a\":1}\n",
            "[22-Nov-2026 19:00:00 UTC] PHP Warning:  x\n",
            "[22/Nov/2026:19:00:00 +0000] \"GET /\"\n",
            "[17] child exited\n",
            "[] nothing\n",
            "[\"GET\" 200]\n",
        ] {
            assert_eq!(found(log), None, "{log}");
        }
    }

    #[test]
    fn formats_of_json_are_named_once_and_only_if_they_are_read() {
        let known = known();
        for name in ["speedscope", "PerfView JSON", "XHProf JSON", "XHGui"] {
            let times = known.iter().filter(|key| **key == name).count();
            assert_eq!(times, 1, "{name}");
        }
        assert!(known.iter().all(|name| !name.contains(',')), "{known:?}");
        assert!(!known.contains(&"pprof"));
    }
}
