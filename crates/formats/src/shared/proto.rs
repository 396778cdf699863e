//! Fields of a protocol buffer.

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

/// Appends a message.
pub(crate) fn put(field: u32, message: &impl Message, out: &mut Vec<u8>) {
    begin(field, message.encoded_len(), out);
    message.encode_raw(out);
}

/// Appends bytes.
pub(crate) fn put_bytes(field: u32, bytes: &[u8], out: &mut Vec<u8>) {
    begin(field, bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Appends the beginning of a field of that many bytes.
pub(crate) fn begin(field: u32, length: usize, out: &mut Vec<u8>) {
    encode_key(field, WireType::LengthDelimited, out);
    encode_varint(length as u64, out);
}
