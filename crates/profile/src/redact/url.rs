//! URLs: scheme, host, port and path stay; who logs in, what is asked for and
//! the fragment do not.

use super::shorten;

/// Takes credentials, query values and the fragment out of a URL. The names of
/// query parameters stay: `https://h/p?id=?&page=?`.
///
/// ```
/// let url = b"https://me:secret@example.org:81/a/b?id=7&x#top";
/// assert_eq!(profile::redact::address(url), b"https://example.org:81/a/b?id=?&x");
/// ```
#[must_use]
pub fn address(url: &[u8]) -> Vec<u8> {
    let url = url.split(|&byte| byte == b'#').next().unwrap_or(url);
    let mut parts = url.splitn(2, |&byte| byte == b'?');
    let (base, query) = (parts.next().unwrap_or(b""), parts.next());
    let mut clean = Vec::with_capacity(url.len());
    push_clean(without_credentials(base), &mut clean);
    if let Some(query) = query {
        let mut separator = b'?';
        for pair in query.split(|&byte| byte == b'&') {
            clean.push(separator);
            separator = b'&';
            let mut halves = pair.splitn(2, |&byte| byte == b'=');
            push_clean(halves.next().unwrap_or(b""), &mut clean);
            if halves.next().is_some() {
                clean.extend_from_slice(b"=?");
            }
        }
    }
    shorten(&mut clean);
    clean
}

/// Scheme, host, port and path of a URL: credentials, query and fragment go.
///
/// ```
/// let url = b"https://me:secret@example.org:81/a/b?id=7&x#top";
/// assert_eq!(profile::redact::place(url), b"https://example.org:81/a/b");
/// ```
#[must_use]
pub fn place(url: &[u8]) -> Vec<u8> {
    let end = url.iter().position(|byte| matches!(byte, b'?' | b'#'));
    let base = end.and_then(|end| url.get(..end)).unwrap_or(url);
    let mut clean = Vec::with_capacity(base.len());
    push_clean(without_credentials(base), &mut clean);
    shorten(&mut clean);
    clean
}

/// `scheme://user:password@host/…` without what is before the last `@` of the
/// authority; a URL without a scheme may have credentials too.
fn without_credentials(base: &[u8]) -> Vec<u8> {
    let scheme_end = base
        .windows(3)
        .position(|it| it == b"://")
        .map_or(0, |at| at + 3);
    let (scheme, rest) = base.split_at(scheme_end);
    let authority_end = rest
        .iter()
        .position(|&byte| byte == b'/')
        .unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let host = authority
        .rsplit(|&byte| byte == b'@')
        .next()
        .unwrap_or(authority);
    [scheme, host, path].concat()
}

/// Control characters would break the line formats that profiles end up in.
fn push_clean(text: impl AsRef<[u8]>, clean: &mut Vec<u8>) {
    let printable = |&byte: &u8| {
        if byte < b' ' || byte == 0x7f {
            b' '
        } else {
            byte
        }
    };
    clean.extend(text.as_ref().iter().map(printable));
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
        assert_eq!(
            clean("http://host/mail@example"),
            "http://host/mail@example"
        );
    }

    #[test]
    fn query_values_are_taken_out_and_their_names_stay() {
        assert_eq!(clean("http://h/?a=1&b=&c&d=x=y"), "http://h/?a=?&b=?&c&d=?");
        assert_eq!(clean("http://h?a=http://u:p@x/"), "http://h?a=?");
    }

    #[test]
    fn the_fragment_is_taken_out() {
        assert_eq!(clean("http://h/#access_token=abc"), "http://h/");
        assert_eq!(clean("http://h/?a=1#b?c=2"), "http://h/?a=?");
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(clean("http://h/a\nb\0c"), "http://h/a b c");
    }
}
