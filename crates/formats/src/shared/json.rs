//! Reads JSON as a stream: objects key by key, arrays element by element, and
//! used values one at a time. A file of any length takes the memory of its
//! longest value.
//!
//! **Invariants:** skipped values are not stored; nesting never causes
//! recursion here; a stored value has a maximum length.

use std::io::BufRead;

use profile::{Budget, allocated};
use serde::de::DeserializeOwned;

use crate::ReadError;

/// The maximum length of a stored value, in bytes. Names can be very long;
/// screenshots in traces are longer.
const MAX_VALUE: usize = 16 << 20;

/// A stream of JSON.
pub(crate) struct Json<'i> {
    input: &'i mut dyn BufRead,
    format: &'static str,
    budget: Budget,
    offset: u64,
    value: Vec<u8>,
    is_at_end: bool,
    /// Some writers end before the last bracket, or write a comma before it.
    takes_cut: bool,
    is_cut: bool,
}

/// The state of the scan inside of a value.
#[derive(Debug, Default)]
struct Scan {
    depth: u64,
    in_string: bool,
    is_escaped: bool,
}

/// The effect of a byte on a value.
enum Step {
    /// The byte belongs to the value, which continues.
    Inside,
    /// It is the last one of the value.
    Last,
    /// It comes after the value.
    Behind,
}

impl Scan {
    fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.in_string = false;
                    if self.depth == 0 {
                        return Step::Last;
                    }
                }
                _ => {}
            }
            return Step::Inside;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth == 0 => return Step::Behind,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Step::Last;
                }
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return Step::Behind,
            _ => {}
        }
        Step::Inside
    }
}

impl<'i> Json<'i> {
    /// Reads JSON from an input; `format` is the name in error messages.
    pub(crate) fn new(input: &'i mut dyn BufRead, format: &'static str, budget: &Budget) -> Self {
        Self {
            input,
            format,
            budget: budget.clone(),
            offset: 0,
            value: Vec::new(),
            is_at_end: false,
            takes_cut: false,
            is_cut: false,
        }
    }

    /// Accepts a file that ends early, see [`is_cut`](Self::is_cut), and arrays
    /// with a comma before the bracket.
    pub(crate) fn taking_cut(mut self) -> Self {
        self.takes_cut = true;
        self
    }

    /// Whether the file ended before it was complete.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The error for broken input at this position.
    pub(crate) fn error(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Offset {
            format: self.format,
            offset: self.offset,
            reason: reason.into(),
        }
    }

    /// The next byte that is no white space; none at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let block = self.input.fill_buf()?;
            if block.is_empty() {
                self.is_at_end = true;
                return Ok(None);
            }
            let is_space = |byte: &&u8| byte.is_ascii_whitespace();
            let spaces = block.iter().take_while(is_space).count();
            let next = block.get(spaces).copied();
            self.take(spaces);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    fn take(&mut self, count: usize) {
        self.input.consume(count);
        self.offset += count as u64;
    }

    /// The next byte that is no white space, or an error at the end.
    pub(crate) fn next_kind(&mut self) -> Result<u8, ReadError> {
        self.peek()?.ok_or_else(|| self.ends_early())
    }

    fn ends_early(&self) -> ReadError {
        self.error("it ends early")
    }

    fn expect(&mut self, wanted: u8, what: &str) -> Result<(), ReadError> {
        if self.next_kind()? != wanted {
            return Err(self.error(format!("{what} is missing")));
        }
        self.take(1);
        Ok(())
    }

    /// Skips the next value, and stores its bytes if `keep` is set.
    fn raw(&mut self, keep: bool) -> Result<(), ReadError> {
        self.value.clear();
        self.next_kind()?;
        let mut scan = Scan::default();
        loop {
            let block = self.input.fill_buf()?;
            if block.is_empty() {
                self.is_at_end = true;
                // A number has no end mark.
                let is_whole = scan.depth == 0 && !scan.in_string && !self.value.is_empty();
                return if is_whole {
                    Ok(())
                } else {
                    Err(self.ends_early())
                };
            }
            let mut length = block.len();
            let mut is_over = false;
            for (index, &byte) in block.iter().enumerate() {
                match scan.step(byte) {
                    Step::Inside => continue,
                    Step::Last => length = index + 1,
                    Step::Behind => length = index,
                }
                is_over = true;
                break;
            }
            if keep {
                let stored = &block[..length];
                self.value.extend_from_slice(stored);
            }
            let is_empty = length == 0 && is_over;
            self.take(length);
            if self.value.len() > MAX_VALUE {
                return Err(self.error("a value of more than 16 MiB"));
            }
            if is_over {
                return if is_empty && keep && self.value.is_empty() {
                    Err(self.error("a value is missing"))
                } else {
                    Ok(())
                };
            }
        }
    }

    /// Puts a value into a list, within the budget.
    #[inline]
    pub(crate) fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<(), ReadError> {
        self.budget.room(list, "values")?;
        list.push(value);
        Ok(())
    }

    /// Takes the bytes of a stored text from the budget.
    pub(crate) fn keep(&self, text: &str) -> Result<(), ReadError> {
        Ok(self.budget.take(allocated(text.len()), "names")?)
    }

    /// Skips the next value.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        self.raw(false)
    }

    /// The next value.
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Result<T, ReadError> {
        let start = self.offset;
        self.raw(true)?;
        serde_json::from_slice(&self.value).map_err(|error| ReadError::Offset {
            format: self.format,
            offset: start,
            reason: error.to_string(),
        })
    }

    /// The next value if it is text; skips any other.
    pub(crate) fn text(&mut self) -> Result<Option<String>, ReadError> {
        if self.next_kind()? == b'"' {
            return self.value().map(Some);
        }
        self.skip()?;
        Ok(None)
    }

    /// The next value, an integer. Columns of tables have millions of them: a
    /// short one that ends in this block is parsed in place.
    #[inline]
    pub(crate) fn integer(&mut self) -> Result<i64, ReadError> {
        match self.short_integer()? {
            Some(number) => Ok(number),
            None => self.value(),
        }
    }

    /// The next value, a number.
    #[inline]
    pub(crate) fn float(&mut self) -> Result<f64, ReadError> {
        match self.short_integer()? {
            // Any number of 15 digits fits.
            #[expect(clippy::cast_precision_loss, reason = "less than 2^53")]
            Some(number) => Ok(number as f64),
            None => self.value(),
        }
    }

    /// Takes a number that has at most 15 digits and is followed by a delimiter;
    /// otherwise returns none and takes nothing.
    #[inline]
    pub(crate) fn short_integer(&mut self) -> Result<Option<i64>, ReadError> {
        self.next_kind()?;
        let block = self.input.fill_buf()?;
        let digits = block.iter().take_while(|byte| byte.is_ascii_digit());
        let count = digits.count();
        let (Some(number), Some(end)) = (block.get(..count), block.get(count)) else {
            return Ok(None);
        };
        let is_short = matches!(number, [b'0'] | [b'1'..=b'9', ..]) && count <= 15;
        if !is_short || !matches!(end, b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n') {
            return Ok(None);
        }
        let number = number
            .iter()
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        self.take(count);
        Ok(Some(number))
    }

    /// The next value if it is a number, also one in quotes; skips any other.
    pub(crate) fn number(&mut self) -> Result<Option<f64>, ReadError> {
        Ok(match self.next_kind()? {
            b'"' => self.value::<String>()?.trim().parse().ok(),
            b'-' | b'0'..=b'9' => Some(self.float()?),
            _ => {
                self.skip()?;
                None
            }
        })
    }

    /// Calls `each` with every key of the next value, an object. `each` must
    /// take the key's value, or skip it.
    pub(crate) fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.expect(b'{', "an object")?;
        self.items(b'}', |json| {
            if json.next_kind()? != b'"' {
                return Err(json.error("a key is missing"));
            }
            let key: String = json.value()?;
            json.expect(b':', "a colon")?;
            each(json, &key)
        })
    }

    /// Calls `each` before every element of the next value, an array. `each`
    /// must take the element, or skip it.
    pub(crate) fn array(
        &mut self,
        each: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.expect(b'[', "an array")?;
        self.items(b']', each)
    }

    fn items(
        &mut self,
        end: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut is_first = true;
        loop {
            let item = self.item(end, is_first, &mut each);
            is_first = false;
            match item {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(_) if self.is_at_end && self.takes_cut => {
                    self.is_cut = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes one item, if there is one left.
    fn item(
        &mut self,
        end: u8,
        is_first: bool,
        each: &mut impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        let mut next = self.next_kind()?;
        if !is_first && next == b',' {
            self.take(1);
            next = self.next_kind()?;
            if next == end && !self.takes_cut {
                return Err(self.error("a comma before the end"));
            }
        } else if !is_first && next != end {
            return Err(self.error("a comma is missing"));
        }
        if next == end {
            self.take(1);
            return Ok(false);
        }
        each(self)?;
        Ok(true)
    }

    /// Checks that only white space is left.
    pub(crate) fn finish(&mut self) -> Result<(), ReadError> {
        match self.peek()? {
            None => Ok(()),
            Some(_) if self.takes_cut => Ok(()),
            Some(_) => Err(self.error("there is data after the end")),
        }
    }
}

/// Whether `head` has `key` as the key of an object.
pub(crate) fn has_key(head: &[u8], key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    let mut rest = head;
    while let Some(place) = find(rest, quoted.as_bytes()) {
        rest = &rest[place + quoted.len()..];
        if rest.trim_ascii_start().first() == Some(&b':') {
            return true;
        }
    }
    false
}

/// The position of `wanted` in `bytes`.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

/// Whether `head` begins with `open`, behind white space.
pub(crate) fn begins_with(head: &[u8], open: u8) -> bool {
    head.trim_ascii_start().first() == Some(&open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// All numbers of an object of arrays, through blocks of `block` bytes.
    fn numbers(text: &str, block: usize, takes_cut: bool) -> Result<(Vec<f64>, bool), ReadError> {
        let mut input = BufReader::with_capacity(block, text.as_bytes());
        let mut json = Json::new(&mut input, "test", &Budget::unlimited());
        if takes_cut {
            json = json.taking_cut();
        }
        let mut all = Vec::new();
        json.object(|json, key| match key {
            "n\"" => json.array(|json| {
                all.extend(json.number()?);
                Ok(())
            }),
            _ => json.skip(),
        })?;
        json.finish()?;
        Ok((all, json.is_cut()))
    }

    #[test]
    fn values_are_found_wherever_a_block_ends() {
        let text = " {\"a\" : {\"]\\\"}\":[[{}],\"\\\\\"]}, \"n\\\"\":[1 ,\"2.5\",null, -3e0,[7],{}],\"z\":0 }\n";
        for block in 1..40 {
            let (all, is_cut) = numbers(text, block, false).unwrap();
            assert_eq!((all, is_cut), (vec![1.0, 2.5, -3.0], false), "{block}");
        }
    }

    #[test]
    fn integers_are_those_of_json() {
        for block in 1..9 {
            let integers = |text: &str| {
                let mut input = BufReader::with_capacity(block, text.as_bytes());
                let mut json = Json::new(&mut input, "test", &Budget::unlimited());
                let mut all = Vec::new();
                json.array(|json| {
                    all.push(json.integer()?);
                    Ok(())
                })?;
                json.finish()?;
                Ok::<_, ReadError>(all)
            };
            let text = "[0, 7,-5 ,123456789012345,1234567890123456,10\n,9]";
            let expected = [0, 7, -5, 123_456_789_012_345, 1_234_567_890_123_456, 10, 9];
            assert_eq!(integers(text).unwrap(), expected, "{block}");
            for broken in [
                "[01]", "[1.5]", "[1e3]", "[1 2]", "[+1]", "[1x]", "[1", "[-]",
            ] {
                assert!(integers(broken).is_err(), "{broken}");
            }
        }
    }

    #[test]
    fn what_is_cut_is_refused_unless_it_is_asked_for() {
        let text = "{\"n\\\"\":[1,20,3],\"b\":{\"c\":\"d\"}}";
        for end in 0..text.len() {
            assert!(numbers(&text[..end], 64, false).is_err(), "{end}");
            if end > 0 {
                let (all, is_cut) = numbers(&text[..end], 64, true).unwrap();
                assert!(is_cut && all.len() <= 3, "{end}");
            }
        }
        for broken in [
            "{\"n\\\"\":[1,]}",
            "{\"a\" 1}",
            "{1:2}",
            "{\"a\":1 \"b\":2}",
            "{} x",
            "[]",
        ] {
            assert!(numbers(broken, 64, false).is_err(), "{broken}");
        }
        assert_eq!(numbers("{\"n\\\"\":[1,]}", 64, true).unwrap().0, [1.0]);
    }

    #[test]
    fn nesting_without_end_takes_no_stack() {
        let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
        assert!(numbers(&deep, 64, false).is_err());
    }

    #[test]
    fn a_key_is_no_value() {
        assert!(has_key(b"{\"x\":\"ph\",\"ph\" : 1", "ph"));
        assert!(!has_key(b"{\"x\":\"ph\",\"y\":1", "ph"));
        assert!(begins_with(b"\n [", b'['));
    }
}
