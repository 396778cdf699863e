//! Comments, which are removed, including those of single dialects.

use super::strings::may_open;
use super::{Dialect, Scanner};

impl Scanner<'_> {
    /// `--` or `#`: to the end of the line, in some dialects.
    pub(super) fn line_comment(&mut self, sign: u8) {
        let is_spaced = self.rest.get(2).is_none_or(|byte| *byte <= b' ');
        let is_comment = match (self.dialect, sign) {
            (Dialect::MySql, b'#') => true,
            (Dialect::MySql, _) if is_spaced => true,
            (Dialect::Postgres, b'#') | (Dialect::MySql, _) => return self.sign(sign),
            (Dialect::Postgres, _) => true,
            (Dialect::Sqlite, b'#') => {
                self.skip_rest();
                return;
            }
            (Dialect::Sqlite, _) => true,
            (Dialect::Unknown, sign) => {
                sign == b'-' && self.rest.get(2).is_none_or(u8::is_ascii_whitespace)
            }
        };
        let ends_line =
            |byte: &u8| *byte == b'\n' || *byte == b'\r' && self.dialect == Dialect::Postgres;
        let len = self.rest.iter().position(ends_line);
        let len = len.unwrap_or(self.rest.len());
        let line = self.rest.get(sign_len(sign)..len).unwrap_or_default();
        // PostgreSQL ends it at a carriage return.
        let text = line.strip_suffix(b"\r").unwrap_or(line);
        let ends_earlier = self.dialect == Dialect::Unknown && text.contains(&b'\r');
        if !is_comment || ends_earlier {
            if may_open(Some(line)) {
                return self.skip_rest();
            }
            self.place.forget();
        }
        self.advance(len.max(1));
        self.blank();
    }

    /// `/* … */`. `MySQL` executes the text in `/*! … */`, and some dialects
    /// nest comments.
    pub(super) fn block_comment(&mut self) {
        let end = self
            .rest
            .windows(2)
            .skip(2)
            .position(|window| window == b"*/");
        let body = self.rest.get(2..end.map_or(self.rest.len(), |end| end + 2));
        let body = body.unwrap_or_default();
        let is_run = matches!(self.dialect, Dialect::Unknown | Dialect::MySql)
            && (body.starts_with(b"!") || body.starts_with(b"M!"));
        let has_comment = self
            .rest
            .get(2..end.map_or(self.rest.len(), |end| end + 4))
            .is_some_and(|comment| comment.windows(2).any(|window| window == b"/*"));
        if has_comment || is_run && may_open(Some(body)) {
            return self.skip_rest();
        }
        if is_run {
            self.place.forget();
        }
        self.advance(end.map_or(self.rest.len(), |end| end + 4));
        self.blank();
    }
}

/// The length of `--` and `#`.
fn sign_len(sign: u8) -> usize {
    if sign == b'-' { 2 } else { 1 }
}
