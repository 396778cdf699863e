//! Reads Protobuf field by field, without building messages: a message of two
//! bytes takes no memory of its own.

use prost::encoding::decode_varint;

use crate::Detection;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

impl<'b> Value<'b> {
    /// The bytes of a message or a text.
    pub(super) fn bytes(self) -> Result<&'b [u8], String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) => Err("a number in place of a message".to_owned()),
        }
    }

    /// A number as an index into a table.
    pub(super) fn index(self) -> Result<u32, String> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| format!("{number} is not an index"))
    }

    /// A number.
    pub(super) fn number(self) -> Result<u64, String> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Bytes(_) => Err("a message in place of a number".to_owned()),
        }
    }
}

/// Calls `visit` with each field of a message.
pub(super) fn fields<'b>(
    mut bytes: &'b [u8],
    mut visit: impl FnMut(u64, Value<'b>) -> Result<(), String>,
) -> Result<(), String> {
    while !bytes.is_empty() {
        let (number, value) = field(&mut bytes)?;
        visit(number, value)?;
    }
    Ok(())
}

fn field<'b>(bytes: &mut &'b [u8]) -> Result<(u64, Value<'b>), String> {
    let key = varint(bytes)?;
    let fixed = |bytes: &[u8]| {
        let all = bytes.iter().rev();
        all.fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let value = match key & 7 {
        0 => Value::Number(varint(bytes)?),
        1 => Value::Number(fixed(take(bytes, 8)?)),
        5 => Value::Number(fixed(take(bytes, 4)?)),
        2 => {
            let length = varint(bytes)?;
            Value::Bytes(take(bytes, length)?)
        }
        _ => return Err("a field of an unknown type".to_owned()),
    };
    Ok((key >> 3, value))
}

fn take<'b>(bytes: &mut &'b [u8], length: u64) -> Result<&'b [u8], String> {
    let length = usize::try_from(length).ok();
    let (taken, rest) = length
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or("it ends early")?;
    *bytes = rest;
    Ok(taken)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    decode_varint(bytes).map_err(|error| error.to_string())
}

/// Calls `visit` with each number of a field that may be packed, several in one.
pub(super) fn numbers(
    value: Value<'_>,
    mut visit: impl FnMut(u64) -> Result<(), String>,
) -> Result<(), String> {
    match value {
        Value::Number(number) => visit(number),
        Value::Bytes(mut bytes) => {
            while !bytes.is_empty() {
                visit(varint(&mut bytes)?)?;
            }
            Ok(())
        }
    }
}

/// The format has no magic number, so the first message must be one with
/// profiles of a resource, as far as it is in the head: known field numbers of
/// the right types, properly nested.
pub(super) fn detect(head: &[u8]) -> Detection {
    let Some((inner, is_whole)) = message(head, 0x0a) else {
        return Detection::No;
    };
    let mut rest = inner;
    let mut has_profiles = false;
    while let Some(&key) = rest.first() {
        let number = key >> 3;
        let Some((part, part_is_whole)) = message(rest, key).filter(|_| key & 7 == 2) else {
            return Detection::No;
        };
        let is_known = match number {
            1 => looks_like(part, &[(1, 2), (2, 0), (3, 2)]),
            2 => looks_like(part, &[(1, 2), (2, 2), (3, 2)]),
            3 => true,
            _ => false,
        };
        if !is_known || !part_is_whole && is_whole {
            return Detection::No;
        }
        has_profiles |= number == 2 && !part.is_empty();
        if !part_is_whole {
            break;
        }
        rest = after(rest, part);
    }
    match (has_profiles, is_whole) {
        (true, _) => Detection::Yes,
        (false, true) => Detection::No,
        (false, false) => Detection::NeedMore,
    }
}

/// The message at the beginning of `bytes`, as far as it is there, and whether
/// it is complete.
fn message(bytes: &[u8], key: u8) -> Option<(&[u8], bool)> {
    let mut rest = bytes.strip_prefix(&[key])?;
    let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
    Some(match rest.split_at_checked(length) {
        Some((message, _)) => (message, true),
        None => (rest, false),
    })
}

/// The bytes after `part`, which is a part of `bytes`.
fn after<'b>(bytes: &'b [u8], part: &[u8]) -> &'b [u8] {
    let mut rest = bytes.get(1..).unwrap_or_default();
    let _ = decode_varint(&mut rest);
    rest.get(part.len()..).unwrap_or_default()
}

/// Whether the first field is one of `known`, numbers and kinds.
fn looks_like(message: &[u8], known: &[(u8, u8)]) -> bool {
    let fits = |key: &u8| known.contains(&(key >> 3, key & 7));
    message.first().is_none_or(fits)
}
