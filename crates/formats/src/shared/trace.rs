//! The trace that a run is part of: its tags `trace_id` and `span_id`, in hexadecimal as in
//! W3C's trace context.

use profile::Meta;

/// The trace and the span; none if one of them is not set, no number of its length, or zero.
pub(crate) fn of(meta: &Meta) -> Option<([u8; 16], [u8; 8])> {
    Some((
        number(meta.tag("trace_id")?)?,
        number(meta.tag("span_id")?)?,
    ))
}

fn number<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (digits, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let mut bytes = [0; N];
    if digits.len() != N {
        return None;
    }
    for (byte, &[high, low]) in bytes.iter_mut().zip(digits) {
        let digit = |letter: u8| char::from(letter).to_digit(16);
        *byte = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
    }
    (bytes != [0; N]).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_of_their_length() {
        assert_eq!(number("00Ff"), Some([0, 255]));
        for wrong in ["0000", "", "00f", "00fff", "0xff", "é0", "+1+1"] {
            assert_eq!(number::<2>(wrong), None, "{wrong}");
        }
    }
}
