//! Which requests are profiled: the secret of a trigger, the chance of a request,
//! and the text that patterns are compared with.

use std::hint::black_box;

use crate::patterns;

/// Whether both are equal, in a time that depends only on the length of `given`.
#[must_use]
pub fn is_secret(given: &[u8], secret: &[u8]) -> bool {
    let mut difference = u8::from(given.len() != secret.len());
    for (index, byte) in given.iter().enumerate() {
        let other = secret.get(index % secret.len().max(1)).unwrap_or(&0);
        difference = black_box(difference | (byte ^ other));
    }
    black_box(difference) == 0
}

/// Whether a request with that random number is one of the fraction.
#[must_use]
pub fn is_chosen(random: u64, fraction: f64) -> bool {
    // An f64 holds 53 bits exactly.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let number = (random >> 11) as f64 / (1_u64 << 53) as f64;
    number < fraction
}

/// A request or a script, as the patterns of `xhprof.match` see it.
#[derive(Debug)]
pub struct Subject {
    /// The host in lower case without its port, and the path.
    text: Vec<u8>,
    /// Where the path begins.
    path: usize,
}

impl Subject {
    /// A request.
    #[must_use]
    pub fn request(host: &[u8], path: &[u8]) -> Self {
        let mut text = host.to_ascii_lowercase();
        // Not the colons of an IPv6 address in brackets.
        if let Some(colon) = text.iter().rposition(|&byte| byte == b':')
            && !text.iter().skip(colon).any(|&byte| byte == b']')
        {
            text.truncate(colon);
        }
        let host = text.len();
        text.extend(path);
        Self { text, path: host }
    }

    /// A script of the command line.
    #[must_use]
    pub fn script(path: Vec<u8>) -> Self {
        Self {
            text: path,
            path: 0,
        }
    }

    /// Why `patterns` leave the request out: none if they do not. Those with a `!` before
    /// them say what is not profiled; of the others one must match, if there are any.
    #[must_use]
    pub fn left_out_by<'p>(&self, patterns: &'p [String]) -> Option<LeftOut<'p>> {
        let (unwanted, wanted): (Vec<&str>, Vec<&str>) = patterns
            .iter()
            .map(String::as_str)
            .partition(|pattern| pattern.starts_with('!'));
        if !wanted.is_empty() && self.first_match(wanted).is_none() {
            return Some(LeftOut::NoMatch);
        }
        let unwanted = unwanted
            .into_iter()
            .map(|pattern| pattern.trim_start_matches('!'));
        self.first_match(unwanted).map(LeftOut::By)
    }

    /// The first pattern that matches. One that begins with a slash is compared with
    /// the path alone: no host does.
    fn first_match<'p>(&self, patterns: impl IntoIterator<Item = &'p str>) -> Option<&'p str> {
        patterns.into_iter().find(|pattern| {
            let is_path = pattern.starts_with('/');
            let (_, path) = self.text.split_at(self.path);
            patterns::matches(pattern.as_bytes(), if is_path { path } else { &self.text })
        })
    }
}

/// Why a request is not profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut<'p> {
    /// No pattern matches it.
    NoMatch,
    /// This pattern with a `!`, without that.
    By(&'p str),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_whole_secret_is_right() {
        assert!(is_secret(b"secret", b"secret"));
        for wrong in [
            &b""[..],
            b"secre",
            b"secrets",
            b"Secret",
            b"secretsecret",
            b"secret\0",
        ] {
            assert!(!is_secret(wrong, b"secret"), "{}", wrong.escape_ascii());
        }
        // The caller refuses an empty secret before.
        assert!(!is_secret(b"x", b""));
    }

    #[test]
    fn none_and_all_of_the_requests_are_exact() {
        for random in [0, 1, u64::MAX / 2, u64::MAX] {
            assert!(!is_chosen(random, 0.0) && is_chosen(random, 1.0));
        }
        assert!(is_chosen(0, f64::MIN_POSITIVE));
    }

    #[test]
    fn a_fraction_is_that_share_of_all_numbers() {
        let numbers = (0..1_000_u64).map(|part| part * (u64::MAX / 1_000));
        let chosen = numbers.filter(|&random| is_chosen(random, 0.1)).count();
        assert!((100..=101).contains(&chosen), "{chosen}");
    }

    #[test]
    fn the_port_and_the_case_of_a_host_do_not_count() {
        let text = |host: &str, path: &str| {
            let subject = Subject::request(host.as_bytes(), path.as_bytes());
            String::from_utf8(subject.text).unwrap()
        };
        assert_eq!(text("Shop.Example:8080", "/A"), "shop.example/A");
        assert_eq!(text("shop.example", "/a:b"), "shop.example/a:b");
        assert_eq!(text("[2001:DB8::1]:443", "/"), "[2001:db8::1]/");
        assert_eq!(text("[2001:db8::1]", "/"), "[2001:db8::1]/");
        assert_eq!(text("", "/"), "/");
        assert_eq!(text(":", ""), "");
    }

    #[test]
    fn a_pattern_that_begins_with_a_slash_is_compared_with_the_path() {
        let request = Subject::request(b"shop.example", b"/health/db");
        let is_matched = |pattern: &str| request.first_match([pattern]).is_some();
        for pattern in ["/health*", "/health/db", "*/health*", "shop.example/*", "*"] {
            assert!(is_matched(pattern), "{pattern}");
        }
        for pattern in ["/health", "/db", "health*", "shop.example", ""] {
            assert!(!is_matched(pattern), "{pattern}");
        }
        assert_eq!(request.first_match(["x*", "*/db", "*"]), Some("*/db"));
        assert_eq!(request.first_match([]), None);
        let script = Subject::script(b"/srv/bin/console".to_vec());
        assert_eq!(script.first_match(["/bin/*", "/srv/*"]), Some("/srv/*"));
    }

    #[test]
    fn a_pattern_with_an_exclamation_mark_leaves_out_and_wins() {
        let request = Subject::request(b"shop.example", b"/health/db");
        let left_out = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.into()).collect();
            request.left_out_by(&patterns).map(|why| match why {
                LeftOut::NoMatch => String::new(),
                LeftOut::By(pattern) => pattern.to_owned(),
            })
        };
        assert_eq!(left_out(&[]), None);
        assert_eq!(left_out(&["/health/*"]), None);
        assert_eq!(left_out(&["!/other"]), None);
        assert_eq!(left_out(&["/other"]).as_deref(), Some(""));
        assert_eq!(left_out(&["!/health/*"]).as_deref(), Some("/health/*"));
        assert_eq!(left_out(&["*", "!*/db"]).as_deref(), Some("*/db"));
        assert_eq!(left_out(&["/other", "!*/db"]).as_deref(), Some(""));
    }

    proptest! {
        #[test]
        fn a_secret_is_compared_as_by_equality(
            given in any::<Vec<u8>>(), secret in any::<Vec<u8>>()
        ) {
            prop_assert_eq!(is_secret(&given, &secret), given == secret);
            prop_assert!(is_secret(&secret, &secret));
        }

        #[test]
        fn what_a_smaller_fraction_chooses_a_larger_one_does_too(
            random in any::<u64>(), one in 0.0..=1.0_f64, other in 0.0..=1.0_f64
        ) {
            let (less, more) = (one.min(other), one.max(other));
            prop_assert!(!is_chosen(random, less) || is_chosen(random, more));
        }
    }
}
