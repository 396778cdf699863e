//! The header `traceparent` of W3C's trace context: which trace and span a request is part of.
//!
//! The header comes from outside: only what the specification allows is taken.

/// The ids of a trace and of the caller's span, as in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent<'h> {
    /// 32 digits, in lower case.
    pub trace: &'h str,
    /// 16 digits, in lower case.
    pub span: &'h str,
}

impl<'h> TraceParent<'h> {
    /// Reads `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. A later version may have
    /// more at its end.
    #[must_use]
    pub fn parse(header: &'h [u8]) -> Option<Self> {
        let mut parts = str::from_utf8(header).ok()?.trim_ascii().splitn(4, '-');
        let version = number(parts.next()?, 2)?;
        let (trace, span) = (number(parts.next()?, 32)?, number(parts.next()?, 16)?);
        let rest = parts.next()?;
        let flags = match version {
            "ff" => return None,
            "00" => rest,
            _ => rest.split('-').next()?,
        };
        number(flags, 2)?;
        let is_id = |text: &str| text.bytes().any(|byte| byte != b'0');
        (is_id(trace) && is_id(span)).then_some(Self { trace, span })
    }
}

/// A text of so many digits in lower case.
fn number(text: &str, digits: usize) -> Option<&str> {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (text.len() == digits && text.bytes().all(is_digit)).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    fn parse(header: &str) -> Option<(&str, &str)> {
        let parsed = TraceParent::parse(header.as_bytes())?;
        Some((parsed.trace, parsed.span))
    }

    #[test]
    fn a_header_of_the_specification_has_both_ids() {
        for header in [
            format!("00-{TRACE}-{SPAN}-01"),
            format!(" 00-{TRACE}-{SPAN}-00\t"),
            // Of later versions, what is known of this one is read.
            format!("cc-{TRACE}-{SPAN}-01"),
            format!("cc-{TRACE}-{SPAN}-01-what-will-be"),
        ] {
            assert_eq!(parse(&header), Some((TRACE, SPAN)), "{header}");
        }
    }

    #[test]
    fn what_the_specification_forbids_is_no_trace() {
        for header in [
            String::new(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("cc-{TRACE}-{SPAN}-01.more"),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{TRACE}-{SPAN}-01, 00-{TRACE}-{SPAN}-01"),
            format!("00_{TRACE}_{SPAN}_01"),
        ] {
            assert_eq!(parse(&header), None, "{header}");
        }
    }

    proptest! {
        #[test]
        fn ids_are_hexadecimal_whatever_the_header_is(header in any::<Vec<u8>>()) {
            if let Some(found) = TraceParent::parse(&header) {
                prop_assert_eq!((found.trace.len(), found.span.len()), (32, 16));
            }
        }
    }
}
