//! Reads a whole input, for formats that cannot be read as a stream.

use std::io::BufRead;

use profile::Budget;

use crate::ReadError;

/// Reads all of an input, for a format that cannot be read as a stream.
pub(crate) fn whole(input: &mut dyn BufRead, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    loop {
        let part = input.fill_buf()?;
        let length = part.len();
        if length == 0 {
            return Ok(bytes);
        }
        budget.room_for(&mut bytes, length, "unpacked bytes")?;
        bytes.extend_from_slice(part);
        input.consume(length);
    }
}
