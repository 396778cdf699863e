//! The classic array as JSON, alone or as XHGui's upload.
//!
//! Read and written as a stream, so that a file's order and not a map's is
//! kept. JSON has text where PHP has bytes: an invalid byte of a name becomes
//! U+FFFD on writing, and two names that differ in nothing else become one.

use std::fmt;
use std::io::{self, BufRead, Write};

use profile::classic::{self, Builder, EntryCost};
use profile::{Meta, Profile};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// The classic array as JSON, or one line of XHGui's.
#[derive(Debug, Clone, Copy)]
pub struct XhprofJson;

/// The largest document that is read, in bytes: 512 MiB.
const MAX_LENGTH: u64 = 512 << 20;

/// How far to look for a key that only a profile has.
const LOOK: usize = 64 * 1024;

impl Format for XhprofJson {
    fn id(&self) -> &'static str {
        "xhprof-json"
    }

    fn name(&self) -> &'static str {
        "XHProf JSON"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["json", "xhprof.json"]
    }

    fn holds(&self) -> Option<Holds> {
        crate::xhprof::Xhprof.holds()
    }

    fn detect(&self, head: &[u8]) -> Detection {
        let head = head.trim_ascii_start();
        match head {
            [] | [b'['] => Detection::NeedMore,
            [b'[', rest @ ..] => match rest.trim_ascii_start() {
                [b']', ..] => Detection::Yes,
                [] => Detection::NeedMore,
                _ => Detection::No,
            },
            [b'{', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..]) => {
                let seen = head.get(..LOOK).unwrap_or(head);
                let has = |text: &[u8]| seen.windows(text.len()).any(|window| window == text);
                if has(b"==>") || has(b"\"main()\"") || has(b"==\\u003E") || has(b"==\\u003e") {
                    Detection::Yes
                } else if head.len() < LOOK {
                    Detection::NeedMore
                } else {
                    Detection::No
                }
            }
            _ => Detection::No,
        }
    }

    fn read(&self, input: &mut dyn BufRead) -> Result<Profile, ReadError> {
        let input = crate::whole(input, MAX_LENGTH)?;
        let mut document = Document::default();
        let mut json = serde_json::Deserializer::from_slice(&input);
        let rows = Rows {
            document: &mut document,
            may_be_wrapped: true,
        };
        let outcome = rows.deserialize(&mut json);
        // What is wrong with the rows says more than where it was noticed.
        if let Some(error) = document.error {
            return Err(ReadError::Rows(error));
        }
        outcome?;
        if let Err(error) = json.end() {
            return Err(if is_another_line(&input) {
                ReadError::Several
            } else {
                ReadError::Json(error)
            });
        }
        let mut profile = document.rows.finish()?;
        // Samples know their own beginning.
        let started_unix_us = profile.meta.started_unix_us;
        profile.meta = Meta {
            mode: profile.meta.mode,
            ..document.meta
        };
        if started_unix_us.is_some() {
            profile.meta.started_unix_us = started_unix_us;
        }
        Ok(profile)
    }

    /// One line.
    fn write(
        &self,
        profile: &Profile,
        _options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let mut outcome = Ok(());
        let mut separator = "{";
        classic::for_each_row(profile, |key, cost| {
            if outcome.is_ok() {
                outcome = write_row(out, separator, key, cost);
                separator = ",";
            }
        });
        outcome?;
        Ok(out.write_all(b"}\n")?)
    }
}

fn write_row(
    out: &mut dyn Write,
    separator: &str,
    key: &[u8],
    cost: &classic::ClassicCost,
) -> io::Result<()> {
    out.write_all(separator.as_bytes())?;
    serde_json::to_writer(&mut *out, &String::from_utf8_lossy(key))?;
    let mut separator = ":{";
    for (name, value) in cost.metrics() {
        write!(out, "{separator}\"{name}\":{value}")?;
        separator = ",";
    }
    out.write_all(b"}")
}

/// Whether the input is one JSON object a line.
fn is_another_line(input: &[u8]) -> bool {
    let mut lines = input
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    lines.clone().count() > 1 && lines.all(|line| line.trim_ascii_start().starts_with(b"{"))
}

#[derive(Debug, Default)]
struct Document {
    rows: Builder,
    meta: Meta,
    error: Option<classic::Error>,
}

impl Document {
    fn add(&mut self, key: &str, entry: &Value) -> Result<(), classic::Error> {
        let key = key.as_bytes();
        match entry {
            Value::String(stack) => self.rows.add_sample(key, stack.as_bytes()),
            Value::Object(metrics) => self.rows.add_row(key, entry_cost(metrics)),
            // An entry without a single metric, as PHP writes it.
            Value::Array(list) if list.is_empty() => self.rows.add_row(key, EntryCost::default()),
            _ => Err(classic::Error::Entry { key: key.into() }),
        }
    }

    /// Notes why the rows are wrong, and stops the parser.
    fn stop<E: de::Error>(&mut self, error: classic::Error) -> E {
        let message = E::custom(&error);
        self.error = Some(error);
        message
    }
}

fn entry_cost(metrics: &serde_json::Map<String, Value>) -> EntryCost {
    let mut cost = EntryCost::default();
    for (metric, value) in metrics {
        if let Some(value) = value.as_i64() {
            cost.set_int(metric.as_bytes(), value);
        } else if let Some(value) = value.as_f64() {
            cost.set_float(metric.as_bytes(), value);
        }
    }
    cost
}

/// What XHGui knows about a run, as far as a profile has a place for it.
fn xhgui_meta(meta: &Value) -> Meta {
    let started = |time: &Value| {
        let seconds = time.get("sec")?.as_u64()?.checked_mul(1_000_000)?;
        seconds.checked_add(time.get("usec")?.as_u64()?)
    };
    Meta {
        title: meta.get("url").and_then(Value::as_str).map(str::to_owned),
        started_unix_us: meta.get("request_ts_micro").and_then(started),
        ..Meta::default()
    }
}

/// The classic array, or the object that XHGui has around it. Entry by entry:
/// a whole document as values would take many times its size.
struct Rows<'d> {
    document: &'d mut Document,
    may_be_wrapped: bool,
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an XHProf array")
    }

    /// PHP writes an empty array as `[]`, whatever it would have held.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        match list.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(de::Error::custom("a list is no XHProf array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let document = self.document;
        let mut is_wrapped = false;
        let mut stray = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "profile" if self.may_be_wrapped => {
                    is_wrapped = true;
                    map.next_value_seed(Rows {
                        document: &mut *document,
                        may_be_wrapped: false,
                    })?;
                }
                "meta" if self.may_be_wrapped => document.meta = xhgui_meta(&map.next_value()?),
                key if !self.may_be_wrapped || is_row(key) => {
                    let entry = map.next_value()?;
                    if let Err(error) = document.add(key, &entry) {
                        return Err(document.stop(error));
                    }
                }
                // XHGui and Buggregator have more fields around the array.
                key => {
                    stray = Some(key.as_bytes().into());
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match stray {
            Some(key) if !is_wrapped => Err(document.stop(classic::Error::Key { key })),
            _ => Ok(()),
        }
    }
}

/// Whether a key is one of the classic array's, and not of what is around it.
fn is_row(key: &str) -> bool {
    key == "main()" || key.contains("==>") || key.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Result<Profile, ReadError> {
        XhprofJson.read(&mut input.as_bytes())
    }

    fn profile(input: &str) -> Profile {
        read(input).unwrap()
    }

    #[test]
    fn json_is_recognized_by_what_only_a_profile_has() {
        let detect = |head: &str| XhprofJson.detect(head.as_bytes());
        for head in [
            " {\n \"a==>b\": {",
            r#"{"main()":{"#,
            "[]",
            "[ ]",
            r#"{"meta":{},"profile":{"main()":"#,
        ] {
            assert_eq!(detect(head), Detection::Yes, "{head}");
        }
        for head in ["", " ", "{", "[", "{\"a", "{}"] {
            assert_eq!(detect(head), Detection::NeedMore, "{head}");
        }
        for head in ["x", "[1", "{1", &format!("{{\"{}", "a".repeat(LOOK))] {
            assert_eq!(detect(head), Detection::No, "{head}");
        }
    }

    #[test]
    fn nothing_recorded_is_an_empty_profile() {
        for input in ["[]", "{}", " [ ] ", r#"{"profile":[],"meta":{}}"#] {
            assert_eq!(profile(input), Profile::empty(), "{input}");
        }
    }

    #[test]
    fn an_order_no_map_would_keep_is_kept() {
        let input =
            r#"{"z==>a":{"ct":1,"wt":1},"main()==>z":{"ct":1,"wt":2},"main()":{"ct":1,"wt":3}}"#;
        let mut written = Vec::new();
        XhprofJson
            .write(&profile(input), &WriteOptions::default(), &mut written)
            .unwrap();
        assert_eq!(String::from_utf8(written).unwrap().trim_end(), input);
    }

    #[test]
    fn bytes_that_are_no_text_are_written_as_replacement_characters() {
        let mut profile = profile(r#"{"main()==>f":{"wt":1},"main()":{"wt":1}}"#);
        profile.symbols[1].name = (*b"caf\xe9\"").into();
        let mut written = Vec::new();
        XhprofJson
            .write(&profile, &WriteOptions::default(), &mut written)
            .unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(
            written.starts_with("{\"main()==>caf\u{fffd}\\\"\":{\"ct\":0,\"wt\":1}"),
            "{written}"
        );
    }

    #[test]
    fn broken_input_is_refused_with_a_reason() {
        let reason = |input: &str| {
            let error = read(input).unwrap_err();
            let source = std::error::Error::source(&error).map(ToString::to_string);
            source.unwrap_or_else(|| error.to_string())
        };
        assert_eq!(
            reason(r#"{"main()":{"wt":1}"#),
            "EOF while parsing an object at line 1 column 18"
        );
        assert_eq!(
            reason("[1]"),
            "a list is no XHProf array at line 1 column 3"
        );
        assert_eq!(
            reason(r#"{"main()":7}"#),
            "`main()` has neither costs nor a stack"
        );
        assert_eq!(
            reason(r#"{"a==>b":{"wt":1}}"#).get(..18),
            Some("no `main()` entry:")
        );
        assert_eq!(
            reason(r#"{"name":"x","version":1}"#),
            "`version` does not name a caller and a callee"
        );
        assert_eq!(
            reason(r#"{"main()":{"wt":-1}}"#),
            "`main()` has an impossible `wt`"
        );
        let line = r#"{"main()":{"wt":1}}"#;
        assert_eq!(
            reason(&format!("{line}\n{line}\n")),
            "more than one profile: give one line at a time"
        );
    }
}
