//! Recognizes pprof by the structure of the first fields.
//!
//! The format has no magic number, and writers order fields differently: Go's
//! runtime begins with the time or with the period, others with the value
//! types. So the first fields must all be fields of a profile, of the right
//! types.

use super::fields::{Message, Value, varint};
use super::messages::field;
use crate::HEAD;
use crate::format::Detection;

/// The maximum number of fields that are examined.
const LOOKAHEAD: usize = 16;

/// How many fields are enough if none of them is a value type.
const ENOUGH: usize = 4;

pub(super) fn detect(head: &[u8]) -> Detection {
    let mut rest = head;
    let (mut fields, mut has_types, mut has_messages) = (0, false, false);
    while fields < LOOKAHEAD && !rest.is_empty() {
        let before = rest;
        match field_of_a_profile(&mut rest) {
            Some(Known::Type) => has_types = true,
            Some(Known::Message) => has_messages = true,
            Some(Known::Other) => {}
            Some(Known::No) => return Detection::No,
            None => {
                rest = before;
                break;
            }
        }
        fields += 1;
    }
    let is_whole = rest.is_empty() && head.len() < HEAD;
    match fields {
        2.. if has_types => Detection::Yes,
        ENOUGH.. if has_messages => Detection::Yes,
        // Cut off in its second field, or a file of one field.
        1.. if has_types && !is_whole => Detection::NeedMore,
        _ => Detection::No,
    }
}

/// The classification of a field.
enum Known {
    /// A value type, which every profile has.
    Type,
    /// A message with the expected structure, not empty.
    Message,
    Other,
    /// Not a field of a profile.
    No,
}

/// The class of the field at the beginning of `rest`; none if it is cut off.
fn field_of_a_profile(rest: &mut &[u8]) -> Option<Known> {
    let key = varint(rest)?;
    let number = u32::try_from(key >> 3).unwrap_or(0);
    match (key & 7, number) {
        (
            0,
            field::DROP_FRAMES
            | field::KEEP_FRAMES
            | field::TIME_NANOS
            | field::DURATION_NANOS
            | field::PERIOD
            | field::COMMENT
            | field::DEFAULT_SAMPLE_TYPE
            | field::DOC_URL,
        ) => {
            varint(rest)?;
            Some(Known::Other)
        }
        (2, field::SAMPLE_TYPE..=field::STRING_TABLE | field::PERIOD_TYPE | field::COMMENT) => {
            let length = usize::try_from(varint(rest)?).ok()?;
            let (message, after) = rest.split_at_checked(length)?;
            *rest = after;
            Some(of_message(number, message))
        }
        _ => Some(Known::No),
    }
}

fn of_message(number: u32, message: &[u8]) -> Known {
    // The field numbers in the message, by wire type.
    let (numbers, bytes, most): (&[u64], &[u64], usize) = match number {
        field::SAMPLE_TYPE | field::PERIOD_TYPE => (&[1, 2], &[], 22),
        field::SAMPLE => (&[1, 2], &[1, 2, 3], usize::MAX),
        field::MAPPING => (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[], usize::MAX),
        field::LOCATION => (&[1, 2, 3, 5], &[4], usize::MAX),
        field::FUNCTION => (&[1, 2, 3, 4, 5], &[], usize::MAX),
        _ => return Known::Other,
    };
    let is_known = |field| match field {
        Ok((number, Value::Number(_))) => numbers.contains(&number),
        Ok((number, Value::Bytes(_))) => bytes.contains(&number),
        _ => false,
    };
    if message.len() > most || !Message(message).all(is_known) {
        return Known::No;
    }
    match (number, message) {
        (field::SAMPLE_TYPE, []) => Known::No,
        (field::SAMPLE_TYPE, _) => Known::Type,
        (_, []) => Known::Other,
        _ => Known::Message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Go's runtime writes a CPU profile: the time, the value types, the
    /// duration, the period; then functions, locations and samples in the order
    /// of their first use.
    const GO_CPU: &[u8] = b"\x48\x80\x80\x9a\xa6\xea\xaf\xe3\x8a\x17\x0a\x04\x08\x01\x10\x02\
        \x0a\x04\x08\x03\x10\x04\x50\x80\xe4\x97\xd0\x12\x5a\x04\x08\x03\x10\x04\x60\x80\xad\xe2\x04";

    /// A heap profile: the period first.
    const GO_HEAP: &[u8] = b"\x5a\x04\x08\x01\x10\x02\x60\x80\x80\x20\x0a\x04\x08\x03\x10\x04";

    #[test]
    fn profiles_are_recognized_in_the_order_of_every_writer() {
        for head in [
            GO_CPU,
            GO_HEAP,
            // Value types first, as most writers order them; then a sample.
            b"\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x01\x12\x01\x07",
            // Samples, a location, a function, then an unknown field.
            b"\x12\x06\x0a\x01\x01\x12\x01\x07\x12\x06\x0a\x01\x01\x12\x01\x07\
              \x22\x06\x08\x01\x22\x02\x08\x01\x2a\x04\x08\x01\x10\x05",
        ] {
            assert_eq!(detect(head), Detection::Yes, "{head:?}");
        }
    }

    #[test]
    fn a_profile_cut_in_its_second_field_may_be_one() {
        assert_eq!(detect(&GO_HEAP[..6]), Detection::No);
        assert_eq!(detect(&GO_CPU[10..17]), Detection::NeedMore);
        assert_eq!(detect(b""), Detection::No);
    }

    #[test]
    fn text_and_other_messages_are_not_taken_for_one() {
        for head in [
            &b"hello, world; 1\n"[..],
            b"PaPbPcPdPePf",
            b"main();a;b 1\n",
            b"\n\n\n\n\n\n",
            b"{\"a\":1}",
            b"a:1:{s:6:\"main()\";",
            // A value type of four fields, or a number where a message is
            // expected.
            b"\x0a\x06\x08\x01\x10\x02\x18\x03\x0a\x04\x08\x01\x10\x02",
            b"\x08\x04\x08\x01\x10\x02",
            // OTLP: a resource, which is longer than any value type.
            b"\x0a\x30\x0a\x2e\x0a\x2c\x0a\x0c",
            b"\x0a\x00\x0a\x00\x0a\x00\x0a\x00",
            b"\x32\x00\x32\x00\x32\x00\x32\x00\x32\x00\x32\x00",
        ] {
            assert_eq!(detect(head), Detection::No, "{head:?}");
        }
    }
}
