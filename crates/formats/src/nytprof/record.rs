//! The fields of records, and their encoding.
//!
//! `u32` is big-endian after a prefix for its length; `nv` is the machine's
//! double; `str` is a tag, a length and bytes.

/// The beginning of a file of the supported version.
pub(super) const MAGIC: &[u8] = b"NYTProf 5 ";

/// The records' tags.
pub(super) mod tag {
    pub(crate) const COMMENT: u8 = b'#';
    pub(crate) const ATTRIBUTE: u8 = b':';
    pub(crate) const OPTION: u8 = b'!';
    pub(crate) const COMPRESSED: u8 = b'z';
    pub(crate) const PROCESS_START: u8 = b'P';
    pub(crate) const PROCESS_END: u8 = b'p';
    pub(crate) const FILE: u8 = b'@';
    pub(crate) const TIME_LINE: u8 = b'+';
    pub(crate) const TIME_BLOCK: u8 = b'*';
    pub(crate) const DISCOUNT: u8 = b'-';
    pub(crate) const SUB_ENTRY: u8 = b'>';
    pub(crate) const SUB_RETURN: u8 = b'<';
    pub(crate) const SUB_INFO: u8 = b's';
    pub(crate) const SUB_CALLERS: u8 = b'c';
    pub(crate) const SOURCE_LINE: u8 = b'S';
    pub(crate) const STRING: u8 = b'\'';
    pub(crate) const STRING_UTF8: u8 = b'"';
}

pub(super) fn put_u32(number: u32, out: &mut Vec<u8>) {
    let [a, b, c, d] = number.to_be_bytes();
    match number {
        0..0x80 => out.push(d),
        0x80..0x4000 => out.extend([c | 0x80, d]),
        0x4000..0x20_0000 => out.extend([b | 0xC0, c, d]),
        0x20_0000..0x1000_0000 => out.extend([a | 0xE0, b, c, d]),
        _ => out.extend([0xFF, a, b, c, d]),
    }
}

pub(super) fn put_nv(number: f64, out: &mut Vec<u8>) {
    out.extend(number.to_le_bytes());
}

/// Bytes, even if they are UTF-8: the tools print UTF-8 text as Latin-1.
pub(super) fn put_string(string: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
    let string = string.get(..length as usize).unwrap_or(string);
    out.push(tag::STRING);
    put_u32(length, out);
    out.extend_from_slice(string);
}

/// The number of bytes after the first byte of a `u32`, and that byte's bits of
/// the number.
pub(super) fn u32_head(first: u8) -> (usize, u32) {
    match first {
        0..0x80 => (0, u32::from(first)),
        0x80..0xC0 => (1, u32::from(first & 0x3F)),
        0xC0..0xE0 => (2, u32::from(first & 0x1F)),
        0xE0..0xFF => (3, u32::from(first & 0x0F)),
        0xFF => (4, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_at_every_length() {
        let edges = [0x80, 0x4000, 0x20_0000, 0x1000_0000_u32];
        let around = edges.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]);
        for number in around.chain([0, 1, u32::MAX]) {
            let mut out = Vec::new();
            put_u32(number, &mut out);
            let (more, head) = u32_head(out[0]);
            assert_eq!(out.len(), 1 + more, "{number:x}");
            let read = out[1..]
                .iter()
                .fold(head, |sum, &byte| sum << 8 | u32::from(byte));
            assert_eq!(read, number);
        }
    }
}
