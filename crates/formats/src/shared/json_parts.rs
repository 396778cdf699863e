//! Reads parts of JSON documents of unknown size: used values are kept, and the
//! rest is skipped.
//!
//! A document as a tree of values takes up to a hundred times its length. So a
//! row keeps only its costs, and only the requested keys around the rows are
//! kept.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::rows::EntryCost;

/// The value of a key of the classic array.
#[derive(Debug, PartialEq)]
pub(crate) enum Entry {
    /// All costs that are numbers.
    Row(EntryCost),
    /// A stack, of the sampled array.
    Stack(String),
    /// Neither.
    Other,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("costs or a stack")
    }

    fn visit_str<E>(self, stack: &str) -> Result<Entry, E> {
        Ok(Entry::Stack(stack.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut cost = EntryCost::default();
        while let Some(metric) = map.next_key::<Cow<'de, str>>()? {
            let Scalar(value) = map.next_value()?;
            let metric = metric.as_bytes();
            match value {
                Some(Value::Number(number)) => {
                    if let Some(value) = number.as_i64() {
                        cost.set_int(metric, value);
                    } else if let Some(value) = number.as_f64() {
                        cost.set_float(metric, value);
                    }
                }
                Some(Value::String(text)) => cost.set_text(metric, text.as_bytes()),
                _ => {}
            }
        }
        Ok(Entry::Row(cost))
    }

    /// An entry without a single metric, as PHP writes it.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
        let mut is_empty = true;
        while list.next_element::<IgnoredAny>()?.is_some() {
            is_empty = false;
        }
        Ok(if is_empty {
            Entry::Row(EntryCost::default())
        } else {
            Entry::Other
        })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Entry, E> {
        Ok(Entry::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Entry, E> {
        Ok(Entry::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Entry, E> {
        Ok(Entry::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Entry, E> {
        Ok(Entry::Other)
    }

    fn visit_unit<E>(self) -> Result<Entry, E> {
        Ok(Entry::Other)
    }
}

/// A value that is no list and no object; none if it is one.
struct Scalar(Option<Value>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let left = Cell::new(0);
        let kept = Kept {
            keys: Some(&[]),
            left: &left,
        };
        let value = kept.deserialize(json)?;
        Ok(Self(
            Some(value).filter(|value| !value.is_array() && !value.is_object()),
        ))
    }
}

/// A value that may be kept in part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept<'k> {
    /// The keys of objects to keep; none for all of them.
    pub(crate) keys: Option<&'k [&'k str]>,
    /// How many more elements of lists, and of objects without a list of keys,
    /// may be kept.
    pub(crate) left: &'k Cell<usize>,
}

impl Kept<'_> {
    fn takes_one_more(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

impl<'de> DeserializeSeed<'de> for Kept<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Kept<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while self.takes_one_more() {
            match list.next_element_seed(self)? {
                Some(value) => kept.push(value),
                None => return Ok(Value::Array(kept)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let is_kept = match self.keys {
                Some(keys) => keys.contains(&&*key),
                None => self.takes_one_more(),
            };
            if is_kept {
                let value = map.next_value_seed(self)?;
                kept.insert(key.into_owned(), value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(json: &str, keys: Option<&[&str]>, left: usize) -> String {
        let left = Cell::new(left);
        let kept = Kept { keys, left: &left };
        let mut json = serde_json::Deserializer::from_str(json);
        kept.deserialize(&mut json).unwrap().to_string()
    }

    #[test]
    fn keys_that_are_not_asked_for_are_passed_over() {
        let json = r#"{"env":{"a":[1,{"b":2}]},"url":"/x","at":{"sec":1,"url":[3],"no":4}}"#;
        assert_eq!(
            kept(json, Some(&["url", "at", "sec"]), 0),
            r#"{"at":{"sec":1,"url":[]},"url":"/x"}"#
        );
    }

    #[test]
    fn so_many_elements_are_kept_and_no_more() {
        assert_eq!(kept(r#"[1,[2,[3]],{"a":4},5]"#, None, 5), "[1,[2,[3]]]");
        assert_eq!(kept(r#"{"a":1,"b":2,"c":3}"#, None, 2), r#"{"a":1,"b":2}"#);
    }

    #[test]
    fn an_entry_is_costs_or_a_stack() {
        let entry = |json: &str| serde_json::from_str::<Entry>(json).unwrap();
        let mut cost = EntryCost::default();
        cost.set_int(b"wt", 7);
        cost.set_float(b"cpu", 1.5);
        for json in [
            r#"{"wt":7,"x":[{"y":1}],"cpu":1.5,"ct":null}"#,
            r#"{"wt":"7","cpu":"1.5","ct":"many"}"#,
        ] {
            assert_eq!(entry(json), Entry::Row(cost), "{json}");
        }
        assert_eq!(entry(r#""a==>b""#), Entry::Stack("a==>b".to_owned()));
        for other in ["[1]", "null", "5", "true", "-1.5"] {
            assert_eq!(entry(other), Entry::Other, "{other}");
        }
    }
}
