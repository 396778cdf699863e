//! The address of a run's trace, by a template.
//!
//! A run's trace is in its tags `trace_id` and `span_id`, in hexadecimal as in W3C's trace
//! context.

use std::ops::RangeInclusive;

use store::RunInfo;

/// The tag with the id of the trace, 32 digits.
pub(crate) const TRACE: &str = "trace_id";

/// The tag with the id of the span, 16 digits.
const SPAN: &str = "span_id";

/// An address with `{trace_id}`, and maybe `{span_id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceUrl(String);

impl std::str::FromStr for TraceUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_http = text.starts_with("https://") || text.starts_with("http://");
        if !is_http || !text.contains("{trace_id}") || text.contains(char::is_control) {
            return Err(
                "use an address with {trace_id}, as https://tempo.example.com/trace/{trace_id}"
                    .to_owned(),
            );
        }
        Ok(Self(text.to_owned()))
    }
}

impl TraceUrl {
    /// The address of a run's trace; none if the run is in none, or if the template has a span
    /// and the run has not.
    pub(crate) fn of(&self, run: &RunInfo) -> Option<String> {
        let id = |name: &str, digits: usize| {
            let (_, value) = run.tags.iter().find(|(known, _)| known == name)?;
            let digits = digits..=digits;
            hexadecimal(value, digits)
        };
        let url = self.0.replace("{trace_id}", &id(TRACE, 32)?);
        if url.contains("{span_id}") {
            return Some(url.replace("{span_id}", &id(SPAN, 16)?));
        }
        Some(url)
    }
}

/// A number in lower case; none if it is no number of so many digits, or zero.
pub(crate) fn hexadecimal(text: &str, digits: RangeInclusive<usize>) -> Option<String> {
    let is_number = digits.contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte != b'0');
    is_number.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_an_address_with_a_place_for_the_trace() {
        for wrong in [
            "tempo/{trace_id}",
            "javascript:{trace_id}",
            "https://tempo/",
            "https://tempo/\n{trace_id}",
        ] {
            assert!(wrong.parse::<TraceUrl>().is_err(), "{wrong}");
        }
        assert!(
            "https://tempo/{trace_id}?s={span_id}"
                .parse::<TraceUrl>()
                .is_ok()
        );
    }

    #[test]
    fn ids_are_numbers_in_lower_case() {
        let id = |text| hexadecimal(text, 1..=32);
        assert_eq!(id("4BF92").as_deref(), Some("4bf92"));
        for wrong in [
            "",
            "0",
            "000",
            "xyz",
            "4bf92f3577b34da6a3ce929d0e0e47361",
            "*",
        ] {
            assert_eq!(id(wrong), None, "{wrong}");
        }
    }
}
