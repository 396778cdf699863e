//! Redacts URLs: scheme, host and port stay, and so do plain words in the path
//! and the names of query parameters.
//!
//! **Invariant:** possibly private parts, also in a path, become `?`:
//! credentials, values, numbers, tokens. A name that is spelled like a word
//! (`/users/john`) cannot be recognized, and stays.

use super::{MAX_LEN, shorten};

/// A segment with more letters is not a word.
const LONGEST_WORD: usize = 32;
/// A word may end in a version.
const MOST_DIGITS: usize = 2;
/// The minimum length of a hash that may contain few digits.
const SHORTEST_HEX: usize = 4;

/// Removes credentials, query values and the fragment from a URL, and
/// everything but plain words from its path. The names of query parameters
/// stay: `https://h/p?id=?&page=?`.
///
/// ```
/// let url = b"https://me:secret@example.org:81/user/17?id=7&x#top";
/// assert_eq!(redact::address(url), b"https://example.org:81/user/??id=?&?");
/// ```
#[must_use]
pub fn address(url: &[u8]) -> Vec<u8> {
    let place = url.split(|&byte| byte == b'#').next().unwrap_or(url);
    let mut parts = place.splitn(2, |&byte| byte == b'?');
    let (base, query) = (parts.next().unwrap_or(b""), parts.next());
    let mut clean = Vec::with_capacity(url.len().min(MAX_LEN));
    push_base(base, has_late_at(url), &mut clean);
    let pairs = query
        .into_iter()
        .flat_map(|part| part.split(|&byte| byte == b'&'));
    let mut separator = b'?';
    for pair in pairs {
        clean.push(separator);
        separator = b'&';
        let mut halves = pair.splitn(2, |&byte| byte == b'=');
        let (name, value) = (halves.next().unwrap_or(b""), halves.next());
        // A parameter without a value may be a value itself.
        push_word(if value.is_some() { name } else { b"?" }, &mut clean);
        if value.is_some() {
            clean.extend_from_slice(b"=?");
        }
        if clean.len() > MAX_LEN {
            break;
        }
    }
    shorten(&mut clean);
    clean
}

/// Scheme, host, port and path of a URL: credentials, query and fragment are
/// removed, and everything but plain words in the path.
///
/// ```
/// let url = b"https://me:secret@example.org:81/user/17?id=7&x#top";
/// assert_eq!(redact::place(url), b"https://example.org:81/user/?");
/// ```
#[must_use]
pub fn place(url: &[u8]) -> Vec<u8> {
    let end = url.iter().position(|byte| matches!(byte, b'?' | b'#'));
    let base = end.and_then(|end| url.get(..end)).unwrap_or(url);
    let mut clean = Vec::with_capacity(base.len().min(MAX_LEN));
    push_base(base, has_late_at(url), &mut clean);
    shorten(&mut clean);
    clean
}

/// Scheme, host and path, without the text before the last `@` of the
/// authority; a URL without a scheme may have credentials too.
///
/// With an `@` further on, an apparent port may be the beginning of a password.
fn push_base(base: &[u8], has_late_at: bool, clean: &mut Vec<u8>) {
    let scheme_end = base.windows(3).position(|window| window == b"://");
    let (scheme, rest) = base.split_at(scheme_end.unwrap_or(0));
    if scheme_end.is_some() {
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let is_scheme = scheme.len() <= LONGEST_WORD && scheme.iter().all(is_part);
        clean.extend_from_slice(if is_scheme { scheme } else { b"?" });
        clean.extend_from_slice(b"://");
    }
    let rest = rest.strip_prefix(b"://").unwrap_or(rest);
    let mut segments = rest.split(|&byte| byte == b'/');
    let authority = segments.next().unwrap_or(b"");
    let host = authority.rsplit(|&byte| byte == b'@').next();
    let host = host.unwrap_or(authority);
    let is_sure = !has_late_at || !host.contains(&b':');
    clean.extend_from_slice(if is_sure && is_host(host) { host } else { b"?" });
    for segment in segments {
        clean.push(b'/');
        push_word(segment, clean);
        if clean.len() > MAX_LEN {
            break;
        }
    }
}

/// Whether there is an `@` after the host, where it does not end a user name.
fn has_late_at(url: &[u8]) -> bool {
    let begin = url.windows(3).position(|window| window == b"://");
    let rest = url.get(begin.map_or(0, |at| at + 3)..).unwrap_or_default();
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    end.and_then(|end| rest.get(end..))
        .is_some_and(|authority| authority.contains(&b'@'))
}

/// Whether it is a host, with or without a port. `me:secret/…` is not.
fn is_host(text: &[u8]) -> bool {
    let port = text.iter().rposition(|&byte| byte == b':');
    let (name, port) = text.split_at(port.unwrap_or(text.len()));
    if let Some(inner) = text
        .strip_prefix(b"[")
        .and_then(|rest| rest.split(|&byte| byte == b']').next())
    {
        let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
        let port = text.get(inner.len() + 2..).unwrap_or_default();
        return inner.iter().all(is_part) && is_port(port);
    }
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | 0x80..);
    name.iter().all(is_part) && is_port(port)
}

/// Empty, or `:81`.
fn is_port(text: &[u8]) -> bool {
    match text.split_first() {
        Some((colon, digits)) => {
            *colon == b':' && digits.len() <= 5 && digits.iter().all(u8::is_ascii_digit)
        }
        None => true,
    }
}

/// Writes a word of a path or the name of a parameter, or `?` for possibly
/// private text: a number, a date, a token, an address, escapes.
fn push_word(word: &[u8], clean: &mut Vec<u8>) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = word
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    let is_hex = word.len() >= SHORTEST_HEX && word.iter().all(u8::is_ascii_hexdigit);
    // `v2`, `oauth2`, `index.html`.
    let is_word = word.len() <= LONGEST_WORD
        && word.iter().all(is_part)
        && digits <= MOST_DIGITS
        && (digits == 0 || letters > 0 && !is_hex)
        && !is_mixed(word);
    clean.extend_from_slice(if is_word { word } else { b"?" });
}

/// Whether case alternates as in `aXkQzPwB`, which is no ordinary name.
fn is_mixed(word: &[u8]) -> bool {
    let goes_up =
        |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let count = word.windows(2).filter(|pair| goes_up(pair)).count();
    count > 2 && count * 4 > word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(url: &str) -> String {
        String::from_utf8(address(url.as_bytes())).unwrap()
    }

    #[test]
    fn credentials_are_taken_out_even_when_they_hold_an_at_sign() {
        assert_eq!(clean("ftp://a:p@ss@host/x"), "ftp://host/x");
        assert_eq!(clean("user:pw@host"), "host");
        assert_eq!(clean("http://host/mail@example"), "http://host/?");
        assert_eq!(clean("//user:pw@host/x"), "//?/x");
        assert_eq!(clean("http:/user:pw@host/x"), "?/?/x");
        assert_eq!(clean("http://user:12/34@host/x"), "http://?/?/x");
        assert_eq!(clean("http://user:12?34@host/x"), "http://???");
        assert_eq!(clean("http://user:pa/ss@host/x"), "http://?/?/x");
        assert_eq!(clean("a://b://user:pw@host/x"), "a://?//?/x");
    }

    #[test]
    fn query_values_are_taken_out_and_their_names_stay() {
        assert_eq!(clean("http://h/?a=1&b=&c&d=x=y"), "http://h/?a=?&b=?&?&d=?");
        assert_eq!(clean("http://h?a=http://u:p@x/"), "http://h?a=?");
    }

    #[test]
    fn the_fragment_is_taken_out() {
        assert_eq!(clean("http://h/#access_token=abc"), "http://h/");
        assert_eq!(clean("http://h/?a=1#b?c=2"), "http://h/?a=?");
    }

    #[test]
    fn of_a_path_only_words_stay() {
        assert_eq!(clean("http://h/api/v2/users"), "http://h/api/v2/users");
        assert_eq!(
            clean("http://h/oauth2/index.html"),
            "http://h/oauth2/index.html"
        );
        assert_eq!(clean("http://h/user/17/edit"), "http://h/user/?/edit");
        for secret in [
            "17",
            "2024-05-01",
            "3f2a9c",
            "0b7e3f52-6a3d-4a71-9a4e-2f0f0d8a1c55",
            "me@example.org",
            "john%20doe",
            "x;jsessionid=abc",
            "aXkQzPwBtRcDvY",
            "abcdefghijklmnopqrstuvwxyzabcdefghi",
            "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        ] {
            assert_eq!(
                clean(&format!("http://h/reset/{secret}")),
                "http://h/reset/?"
            );
        }
        assert_eq!(clean("http://h/?token4711&a4711b=1"), "http://h/??&?=?");
    }

    #[test]
    fn hosts_have_ports() {
        assert_eq!(clean("http://127.0.0.1:81/"), "http://127.0.0.1:81/");
        assert_eq!(clean("http://u:p@[::1]:81/x"), "http://[::1]:81/x");
    }

    #[test]
    fn what_is_no_host_becomes_a_placeholder() {
        assert_eq!(clean("http://h/a\nb\0c"), "http://h/?");
        assert_eq!(clean("http://user:secret"), "http://?");
        assert_eq!(clean("http://\0secret"), "http://?");
    }
}
