//! Which requests are profiled: the secret of a trigger, the chance of a request,
//! and the text that patterns are compared with.

use std::hint::black_box;

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

/// The text for patterns of requests: the host in lower case without its port, and
/// the path.
#[must_use]
pub fn host_and_path(host: &[u8], path: &[u8]) -> Vec<u8> {
    let mut text = host.to_ascii_lowercase();
    // Not the colons of an IPv6 address in brackets.
    if let Some(colon) = text.iter().rposition(|&byte| byte == b':')
        && !text.iter().skip(colon).any(|&byte| byte == b']')
    {
        text.truncate(colon);
    }
    text.extend(path);
    text
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
            String::from_utf8(host_and_path(host.as_bytes(), path.as_bytes())).unwrap()
        };
        assert_eq!(text("Shop.Example:8080", "/A"), "shop.example/A");
        assert_eq!(text("shop.example", "/a:b"), "shop.example/a:b");
        assert_eq!(text("[2001:DB8::1]:443", "/"), "[2001:db8::1]/");
        assert_eq!(text("[2001:db8::1]", "/"), "[2001:db8::1]/");
        assert_eq!(text("", "/"), "/");
        assert_eq!(text(":", ""), "");
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
