//! HTML pages that are a single file.
//!
//! A page is its text, its data as JSON and its script. The
//! Content-Security-Policy in its head allows only that script, by its hash,
//! and forbids loading anything: the data can be displayed, but never executed.
//!
//! **Invariant:** the data in the page contains no `<`, so that it cannot end
//! its element.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// The parts of a page.
pub(crate) struct Page<'p> {
    /// The title of the window.
    pub title: &'p str,
    /// Style sheets, in their order.
    pub styles: &'p [&'static str],
    /// Scripts, in their order, joined into one.
    pub scripts: &'p [&'static str],
    /// The HTML in the page before its script runs.
    pub body: &'p str,
}

impl Page<'_> {
    /// Writes the page around the data, which `data` writes as JSON with
    /// [`text`] and plain numbers.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        data: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let style = format!("\n{}", self.styles.concat());
        let script = format!("\n\"use strict\";\n{}", self.scripts.concat());
        writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; \
             form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>",
            base64(&Sha256::digest(&script)),
            base64(&Sha256::digest(&style)),
            escaped(self.title)
        )?;
        writeln!(
            out,
            "<style>{style}</style>\n</head>\n<body>\n{}",
            self.body
        )?;
        out.write_all(b"<script type=\"application/json\" id=\"data\">")?;
        data(out)?;
        writeln!(
            out,
            "</script>\n<script>{script}</script>\n</body>\n</html>"
        )
    }
}

/// Text for the content of an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            control if control.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A string of JSON without a `<`.
pub(crate) fn text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let json = serde_json::to_string(text)?;
    out.write_all(json.replace('<', "\\u003c").as_bytes())
}

/// A list of JSON.
pub(crate) fn list<T>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    let mut separator = "[";
    for item in items {
        out.write_all(separator.as_bytes())?;
        write(out, item)?;
        separator = ",";
    }
    out.write_all(if separator == "[" { b"[]" } else { b"]" })
}

/// A list of strings.
pub(crate) fn texts<T: AsRef<str>>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    list(out, items, |out, item| text(out, item.as_ref()))
}

/// A list of numbers.
pub(crate) fn numbers<T: std::fmt::Display>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    list(out, items, |out, item| write!(out, "{item}"))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, place| {
            bits << 8 | chunk.get(place).map_or(0, |byte| usize::from(*byte))
        });
        for place in 0..4 {
            let letter = LETTERS.get(bits >> (18 - 6 * place) & 63);
            let is_there = place <= chunk.len();
            text.push(
                letter
                    .filter(|_| is_there)
                    .map_or('=', |byte| char::from(*byte)),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_base64() {
        let text = [&b""[..], b"f", b"fo", b"foo", b"foob\xff"].map(base64);
        assert_eq!(text, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYv8="]);
    }

    #[test]
    fn no_name_ends_the_script_it_is_in() {
        let mut out = Vec::new();
        texts(&mut out, ["</script><!--", "\u{1}\"\\\u{2028}"]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "[\"\\u003c/script>\\u003c!--\",\"\\u0001\\\"\\\\\u{2028}\"]"
        );
    }
}
