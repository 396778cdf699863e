//! An answer of a tool: a text, the same as data, and what to ask next.
//!
//! **Invariant:** text and data are below 4,000 tokens each, whatever the profile holds: a token
//! took 2.7 to 2.9 bytes in reports of real profiles, so each has at most [`LONGEST`] bytes.

use serde_json::{Map, Value, json};

use crate::report::Rows;
use crate::terminal::{printable, short};

/// The bytes of the text, and of the data.
pub(super) const LONGEST: usize = 10_800;
/// Those that lists leave to the notes and questions at the end.
const NOTES: usize = 1_800;
/// The bytes of a text of a row, and of one deeper in it.
const TEXT: [usize; 2] = [300, 150];
/// The texts of a list within a row, and the keys of an object.
const VALUES: usize = 12;
/// The objects of a list within a row.
const OBJECTS: usize = 3;

/// An answer in the making.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    data: Map<String, Value>,
    size: usize,
    next: Vec<Value>,
}

impl Answer {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Adds a value to the data.
    pub(super) fn put(&mut self, name: &str, value: Value) {
        let value = bounded(value, 1);
        self.size += name.len() + value.to_string().len() + 4;
        self.data.insert(name.to_owned(), value);
    }

    /// Adds the values of an object.
    pub(super) fn put_all(&mut self, object: Value) {
        if let Value::Object(object) = object {
            for (name, value) in object {
                self.put(&name, value);
            }
        }
    }

    /// Adds a list from its row number `first` on, in a share of the room that is left. The
    /// end says how many rows there are more.
    pub(super) fn list(&mut self, name: &str, rows: Rows, first: usize, share: f64) {
        let room = |used: usize| share_of(LONGEST.saturating_sub(NOTES + used), share);
        let (mut text_room, mut room) = (room(self.text.len()), room(self.size));
        let all = rows.rows.len() + rows.others;
        let mut shown = Vec::new();
        for (line, value) in rows.rows.into_iter().skip(first) {
            let (mut line, mut value) = (line, bounded(value, 0));
            let mut size = value.to_string().len() + 1;
            if line.len() > text_room || size > room {
                if !shown.is_empty() {
                    break;
                }
                // One row is always shown, so that the next page is another one.
                line = short(line.trim_end(), TEXT[0]) + "\n";
                value = plain(value);
                size = value.to_string().len() + 1;
            }
            self.text.push_str(&line);
            text_room = text_room.saturating_sub(line.len());
            room = room.saturating_sub(size);
            shown.push(value);
        }
        let next = first + shown.len();
        let more = all.saturating_sub(next);
        if all == 0 && self.text.ends_with("\n\n") {
            self.text.push_str("- none\n");
        } else if more > 0 && !shown.is_empty() {
            self.text
                .push_str(&format!("- … {more} more; ask with offset {next}\n"));
        } else if shown.is_empty() && all > 0 {
            self.text.push_str(&format!(
                "- nothing from offset {first} on: there are {all}\n"
            ));
        }
        self.put_list(name, shown, more);
    }

    /// Adds call paths, which are cut at their end: a page of a tree has no beginning.
    pub(super) fn paths(&mut self, rows: Rows, how_to_see_more: &str) {
        let start = self.text.len();
        self.list("paths", rows, 0, 1.0);
        if let Some(place) = self
            .text
            .get(start..)
            .and_then(|text| text.find("; ask with offset"))
        {
            self.text.truncate(start + place);
            self.text.push_str(&format!("; {how_to_see_more}\n"));
        }
    }

    fn put_list(&mut self, name: &str, shown: Vec<Value>, more: usize) {
        self.size += shown
            .iter()
            .map(|value| value.to_string().len() + 1)
            .sum::<usize>();
        self.data.insert(name.to_owned(), shown.into());
        self.put(&format!("more_{name}"), more.into());
    }

    /// A question that leads on.
    pub(super) fn suggest(&mut self, tool: &str, arguments: Value, why: &str) {
        let is_known = self.next.iter().any(|next| {
            next.get("tool").is_some_and(|known| known == tool)
                && next.get("arguments") == Some(&arguments)
        });
        if !is_known && self.next.len() < 4 {
            let mut next = json!({ "tool": tool, "why": why });
            next["arguments"] = arguments;
            self.next.push(next);
        }
    }

    /// The result of `tools/call`.
    pub(super) fn result(mut self) -> Value {
        self.next.retain(|next| next.to_string().len() < 400);
        if !self.next.is_empty() {
            self.text.push_str("\nNext:\n");
        }
        for next in &self.next {
            let of = |name: &str| match next.get(name) {
                Some(Value::String(text)) => text.clone(),
                Some(value) => printable(value.to_string().as_bytes()),
                None => String::new(),
            };
            let (tool, arguments, why) = (of("tool"), of("arguments"), of("why"));
            self.text
                .push_str(&format!("- {tool} {arguments}: {why}\n"));
        }
        self.data.insert("next".to_owned(), self.next.into());
        json!({
            "content": [{ "type": "text", "text": self.text }],
            "structuredContent": self.data,
            "isError": false,
        })
    }
}

/// The result of `tools/call` for an error, which the assistant reads.
pub(super) fn error(message: &str) -> Value {
    let text = short(&printable(message.as_bytes()), 2_000);
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

/// A value with short texts and short lists.
fn bounded(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) => short(&text, TEXT[usize::from(depth > 1)]).into(),
        Value::Array(values) => {
            let has_objects = values.first().is_some_and(Value::is_object);
            let most = if has_objects { OBJECTS } else { VALUES };
            let values = values.into_iter().take(most);
            let values = values.map(|value| bounded(value, depth + 1));
            values.collect::<Vec<_>>().into()
        }
        Value::Object(object) => {
            let values = object.into_iter().take(VALUES + OBJECTS);
            let values = values.map(|(name, value)| (short(&name, 80), bounded(value, depth + 1)));
            Value::Object(values.collect())
        }
        other => other,
    }
}

/// A row without the lists and objects in it.
fn plain(mut row: Value) -> Value {
    if let Value::Object(row) = &mut row {
        row.retain(|_, value| !value.is_array() && !value.is_object());
    }
    row
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "some thousand bytes"
)]
fn share_of(room: usize, share: f64) -> usize {
    (room as f64 * share) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::shortened;

    #[test]
    fn no_list_makes_a_long_answer_and_the_next_page_goes_on() {
        let row = |number: usize| {
            let name = format!("{number} {}", "Äb\\".repeat(5_000));
            (
                format!("- {}\n", shortened(&name, 160)),
                json!({ "name": name }),
            )
        };
        let mut seen = 0;
        while seen < 200 {
            let mut answer = Answer::new("A head.\n");
            answer.put("tags", json!({ "x": vec!["y".repeat(2_000); 100] }));
            let rows = Rows {
                rows: (0..200).map(row).collect(),
                others: 0,
            };
            answer.list("functions", rows, seen, 1.0);
            answer.suggest("functions", json!({ "filter": "z".repeat(5_000) }), "why");
            let result = answer.result();
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.len() <= LONGEST, "{}", text.len());
            assert!(result["structuredContent"].to_string().len() <= LONGEST);
            let shown = result["structuredContent"]["functions"].as_array().unwrap();
            assert!(
                shown[0]["name"]
                    .as_str()
                    .unwrap()
                    .starts_with(&format!("{seen} "))
            );
            seen += shown.len();
            let more = format!("- … {} more; ask with offset {seen}\n", 200 - seen);
            assert!(seen == 200 || text.contains(&more), "{text}");
        }
    }
}
