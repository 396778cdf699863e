//! Reads PerfView's JSON, sample by sample.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

use profile::{Budget, Profile};
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::reader::Source;
use crate::format::Detection;
use crate::shared::whole;
use crate::{HEAD, ReadError};

pub(super) const NAME: &str = "PerfView JSON";

pub(super) fn detect(head: &[u8]) -> Detection {
    let text = head.trim_ascii_start();
    if !text.starts_with(b"{") {
        return Detection::No;
    }
    let word = b"\"StackSource\"";
    if text.windows(word.len()).any(|window| window == word) {
        Detection::Yes
    } else if head.len() < HEAD
        && matches!(
            text.get(1..).unwrap_or_default().trim_ascii_start(),
            [] | [b'"', ..]
        )
    {
        Detection::NeedMore
    } else {
        Detection::No
    }
}

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let input = whole::whole_json(input, NAME, budget)?;
    let broken = |error: &serde_json::Error| ReadError::Line {
        format: NAME,
        line: error.line() as u64,
        reason: error.to_string(),
    };
    let mut source = Source::within(budget);
    let mut json = serde_json::Deserializer::from_slice(&input);
    let seed = Object {
        source: &mut source,
        level: Level::Document,
    };
    let outcome = seed.deserialize(&mut json);
    whole::check(budget, input.len())?;
    let has_samples = outcome.map_err(|error| broken(&error))?;
    json.end().map_err(|error| broken(&error))?;
    let reason = if has_samples {
        match source.finish() {
            Ok(profile) => return Ok(profile),
            Err(reason) => reason,
        }
    } else {
        "it contains no StackSource with Samples".to_owned()
    };
    Err(ReadError::Line {
        format: NAME,
        line: 1,
        reason,
    })
}

/// Reads the document, or the source in it. Returns whether it contains
/// samples.
struct Object<'s> {
    source: &'s mut Source,
    level: Level,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Document,
    StackSource,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let mut has_samples = false;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match (self.level, &*key) {
                (Level::Document, "StackSource") => {
                    has_samples |= map.next_value_seed(Object {
                        source: &mut *self.source,
                        level: Level::StackSource,
                    })?;
                }
                (Level::Document, "Notes") => {
                    if let serde_json::Value::String(notes) = map.next_value()? {
                        self.source.set_notes(notes);
                    }
                }
                (Level::StackSource, "Samples") => {
                    map.next_value_seed(Samples {
                        source: &mut *self.source,
                    })?;
                    has_samples = true;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(has_samples)
    }
}

struct Samples<'s> {
    source: &'s mut Source,
}

impl<'de> DeserializeSeed<'de> for Samples<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(sample) = list.next_element::<Sample<'de>>()? {
            let time = sample.time.as_ref().map(Number::text);
            let metric = sample.metric.as_ref().map(Number::text);
            let names = sample.stack.iter().map(|name| &*name.0);
            self.source
                .add_named(time.as_deref(), metric.as_deref(), names)
                .map_err(de::Error::custom)?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Sample<'a> {
    #[serde(rename = "Time")]
    time: Option<Number>,
    #[serde(rename = "Metric")]
    metric: Option<Number>,
    #[serde(rename = "Stack", borrow)]
    stack: Vec<Name<'a>>,
}

/// A name, which borrows from the input where it can.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// A number, or a string that holds one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(serde_json::Number),
    Text(String),
}

impl Number {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }
}
