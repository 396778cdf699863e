//! Redacts the paths of PHP files. A path may be the URL of a stream, with a user, a
//! password and parameters, and a `data:` URL is code.
//!
//! **Invariant:** a path of the file system stays as it is, also in an archive.

use std::borrow::Cow;

/// Wrappers of PHP behind which a path of the file system follows.
const LOCAL: [&[u8]; 6] = [
    b"file",
    b"phar",
    b"zip",
    b"glob",
    b"compress.zlib",
    b"compress.bzip2",
];
/// What PHP appends to the path for a string that it compiles, behind `(line)`.
const EVALUATED: &[u8] = b" : eval()'d code";
const DATA: &[u8] = b"data:";
const SCHEME_END: &[u8] = b"://";

/// Removes users, passwords, queries and fragments of URLs from the path of a file,
/// and the code of `data:` URLs.
///
/// ```
/// assert_eq!(*redact::file(b"/srv/a@b?c#d.php"), *b"/srv/a@b?c#d.php");
/// assert_eq!(*redact::file(b"tpl://me:secret@shop/a.php?id=7"), *b"tpl://shop/a.php");
/// ```
#[must_use]
pub fn file(path: &[u8]) -> Cow<'_, [u8]> {
    if path.first() == Some(&b'/') || !path.contains(&b':') {
        return Cow::Borrowed(path);
    }
    let (url, evaluated) = split_evaluated(path);
    let url = without_code(url);
    let mut clean = Vec::with_capacity(path.len());
    push_url(url, &mut clean);
    clean.extend_from_slice(evaluated);
    if clean == path {
        return Cow::Borrowed(path);
    }
    Cow::Owned(clean)
}

/// The path, and `(3) : eval()'d code` behind it.
fn split_evaluated(path: &[u8]) -> (&[u8], &[u8]) {
    let end = position(path, EVALUATED);
    let begin = end.and_then(|end| path.get(..end)?.iter().rposition(|&byte| byte == b'('));
    path.split_at(begin.unwrap_or(path.len()))
}

/// The URL without what follows the comma of a `data:` URL.
fn without_code(url: &[u8]) -> &[u8] {
    let is_data = |(at, text): (usize, &[u8])| {
        let is_begin = at == 0 || url.get(at - 1) == Some(&b'=');
        is_begin && text.eq_ignore_ascii_case(DATA)
    };
    let Some(data) = url.windows(DATA.len()).enumerate().position(is_data) else {
        return url;
    };
    let rest = url.get(data..).unwrap_or_default();
    let comma = rest.iter().position(|&byte| byte == b',');
    let length = data + comma.unwrap_or(DATA.len());
    url.get(..length).unwrap_or(url)
}

/// Appends the URL without its private parts. A URL may contain another one:
/// `php://filter/resource=http://host/`.
fn push_url(url: &[u8], clean: &mut Vec<u8>) {
    let mut rest = url;
    let mut is_local = true;
    while let Some(end) = position(rest, SCHEME_END) {
        let (before, behind) = rest.split_at(end);
        rest = behind.get(SCHEME_END.len()..).unwrap_or_default();
        let kept = if is_local { before } else { place(before) };
        clean.extend_from_slice(kept);
        if kept.len() < before.len() {
            return;
        }
        clean.extend_from_slice(SCHEME_END);
        if LOCAL.iter().any(|local| before.eq_ignore_ascii_case(local)) {
            continue;
        }
        is_local = false;
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?' | b'#'));
        let (authority, path) = rest.split_at(length.unwrap_or(rest.len()));
        // What looks like a port may be the beginning of a password.
        if authority.contains(&b':') && path.contains(&b'@') {
            clean.push(b'?');
            return;
        }
        let user = authority.iter().rposition(|&byte| byte == b'@');
        rest = rest.get(user.map_or(0, |at| at + 1)..).unwrap_or_default();
    }
    clean.extend_from_slice(if is_local { rest } else { place(rest) });
}

/// The text before a query or a fragment.
fn place(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'?' | b'#'));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(path: &str) -> String {
        String::from_utf8(file(path.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn paths_of_the_file_system_stay() {
        for path in [
            "",
            "a.php",
            "/srv/a@b?c#d://e:f@g.php",
            "/srv/a.php(3) : eval()'d code",
            "C:\\srv\\a.php",
            "phar:///srv/a.phar/b@c#d.php",
            "zip:///srv/a.zip#b.php",
            "compress.zlib:///srv/a@b.gz",
            "vfs://project/src/A.php",
            "php://stdin",
            "php://filter/read=weave/resource=/srv/src/A.php",
        ] {
            assert_eq!(clean(path), path);
        }
    }

    #[test]
    fn credentials_and_parameters_are_removed() {
        assert_eq!(clean("tpl://u:p@h/a.php?t=1#x"), "tpl://h/a.php");
        assert_eq!(clean("tpl://u@h/a.php#x?t=1"), "tpl://h/a.php");
        assert_eq!(clean("tpl://a@b:c@h/d"), "tpl://h/d");
        assert_eq!(clean("tpl://h?t=u:p@x"), "tpl://h");
        assert_eq!(clean("http://u:1/2@h/a.php"), "http://?");
        assert_eq!(clean("http://u:1?2@h/a.php"), "http://?");
        assert_eq!(clean("http://h/?a=http://u:p@x/"), "http://h/");
        assert_eq!(
            clean("php://filter/read=a/resource=http://u:p@h/a?b"),
            "php://filter/read=a/resource=http://h/a"
        );
        assert_eq!(
            clean("compress.zlib://ftp://u:p@h/a?b"),
            "compress.zlib://ftp://h/a"
        );
        assert_eq!(
            clean("tpl://u:p@h/a?t=1(3) : eval()'d code(4) : eval()'d code"),
            "tpl://h/a(3) : eval()'d code(4) : eval()'d code"
        );
    }

    #[test]
    fn the_code_of_data_urls_is_removed() {
        assert_eq!(clean("data:text/plain,<?php f('x/y');"), "data:text/plain");
        assert_eq!(
            clean("DATA://text/plain;base64,PD9/a"),
            "DATA://text/plain;base64"
        );
        assert_eq!(clean("data:secret"), "data:");
        assert_eq!(
            clean("php://filter/resource=data:,secret"),
            "php://filter/resource=data:"
        );
    }
}
