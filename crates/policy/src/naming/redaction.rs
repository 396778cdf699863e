//! What is removed from the text of a call that waits, before it is recorded.

use redact::Dialect;

use super::details::{Detail, Text};

/// How much of a statement is read for a span, in bytes.
pub const MAX_READ: usize = 64 << 10;

/// The text without literals, URL queries and passwords.
///
/// A span keeps the place of a URL; a function's name keeps the keys of its query,
/// too.
#[must_use]
pub fn redacted(detail: Option<Detail>, dialect: Dialect, is_span: bool, text: &[u8]) -> Vec<u8> {
    let Some(Detail::Waits { text: source, .. }) = detail else {
        return statement(dialect, is_span, text);
    };
    match source {
        Text::Handle | Text::Url(_) if is_span => redact::place(text),
        Text::Handle | Text::Url(_) => redact::address(text),
        // `details::command` has removed the arguments.
        Text::CommandIn(_) => text.to_vec(),
        Text::Statement(_)
        | Text::QueryString
        | Text::Prepared(_)
        | Text::Command
        | Text::Unknown => statement(dialect, is_span, text),
    }
}

fn statement(dialect: Dialect, is_span: bool, text: &[u8]) -> Vec<u8> {
    let most = if is_span { MAX_READ } else { usize::MAX };
    redact::statement_with(text, dialect, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naming::details::detail_of;

    fn text_of(function: &[u8], is_span: bool, text: &[u8]) -> String {
        let detail = detail_of(function);
        assert!(detail.is_some());
        let text = redacted(detail, Dialect::Unknown, is_span, text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_statement_loses_its_literals() {
        let sql = b"SELECT * FROM users WHERE mail = 'ann@example.org' AND age > 30";
        for is_span in [false, true] {
            let text = text_of(b"PDO::query", is_span, sql);
            assert!(!text.contains("ann") && !text.contains("30"), "{text}");
            assert!(text.contains("FROM users"), "{text}");
        }
    }

    #[test]
    fn a_url_loses_its_password_and_its_values() {
        let url = b"https://ann:secret@example.org/orders/17?token=abc#part";
        for is_span in [false, true] {
            let text = text_of(b"curl_exec", is_span, url);
            for private in ["ann", "secret", "17", "abc", "part"] {
                assert!(!text.contains(private), "{text}");
            }
            assert!(text.contains("example.org"), "{text}");
            assert_eq!(text.contains("token"), !is_span, "{text}");
        }
    }

    #[test]
    fn no_more_of_a_statement_is_read_for_a_span_than_the_limit() {
        let long = [
            b"/*".to_vec(),
            vec![b'x'; MAX_READ],
            b"*/ SELECT a FROM b".to_vec(),
        ];
        let long = long.concat();
        assert!(!text_of(b"PDO::query", true, &long).contains("FROM b"));
        assert!(text_of(b"PDO::query", false, &long).contains("FROM b"));
    }

    #[test]
    fn a_command_stays() {
        assert_eq!(text_of(b"Redis::rawCommand", true, b"HGETALL"), "HGETALL");
    }
}
