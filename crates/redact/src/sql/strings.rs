//! Quoted text: where it ends, and whether it is a name.
//!
//! **Invariant:** where two possible dialects disagree about the end, the rest
//! of the statement is removed. A dialect is impossible if it would leave a
//! backslash outside of strings or a string without an end.

use super::{Dialect, Scanner};

impl Scanner<'_> {
    pub(super) fn literal(&mut self, quote: u8) {
        match self.quoted_len(quote) {
            Some(len) => self.advance(len),
            None => self.skip_rest(),
        }
        self.mark();
    }

    /// The length of the quoted text at the start, with its quotes. Doubling or
    /// a backslash escapes a quote; none if dialects disagree on the latter,
    /// and both are possible.
    fn quoted_len(&mut self, quote: u8) -> Option<usize> {
        let mut at = 1;
        while let Some(&byte) = self.rest.get(at) {
            if byte == b'\\' && quote != b'`' {
                at += self.backslashes(at, quote)?;
            } else if byte == quote && self.rest.get(at + 1) == Some(&quote) {
                at += 2;
            } else if byte == quote {
                return Some(at + 1);
            } else {
                at += 1;
            }
        }
        Some(self.rest.len())
    }

    /// The length of the backslashes at `at`, with the quote after them if they
    /// escape it.
    fn backslashes(&mut self, at: usize, quote: u8) -> Option<usize> {
        let behind = self.rest.get(at..).unwrap_or_default();
        let count = behind.iter().take_while(|&&byte| byte == b'\\').count();
        let never = self.dialect == Dialect::Sqlite
            || self.dialect == Dialect::Postgres && quote == b'"'
            || behind.get(count) != Some(&quote);
        if never {
            return Some(count);
        }
        // GBK, Shift JIS and Big5 have characters whose second byte is a
        // backslash.
        let before = at.checked_sub(1).and_then(|at| self.rest.get(at));
        if before.is_some_and(|byte| *byte >= 0x80) {
            return None;
        }
        if count % 2 == 0 {
            return Some(count);
        }
        let escapes = match self.dialect {
            Dialect::MySql => true,
            Dialect::Postgres => self.prefix == Some(b'E'),
            _ => return None,
        };
        // The servers have settings for the opposite.
        let is_always = self.dialect == Dialect::Postgres && escapes;
        if !is_always && !self.is_sure_of_backslashes {
            let skipped = if escapes { count } else { count + 1 };
            let rest = behind.get(skipped..).unwrap_or_default();
            if may_be_read(rest, quote, !escapes, self.is_cut) {
                return None;
            }
            self.is_sure_of_backslashes = true;
        }
        Some(if escapes { count + 1 } else { count })
    }

    /// `"x"`: a string or a name, by the dialect; if that is unknown, a name
    /// only at positions where no string is allowed.
    pub(super) fn double_quoted(&mut self) {
        let Some(len) = self.quoted_len(b'"') else {
            self.skip_rest();
            return self.mark();
        };
        let inner = self.rest.get(1..len.saturating_sub(1)).unwrap_or(b"");
        let is_closed = len > 1 && self.rest.get(len - 1) == Some(&b'"');
        let must_be_name = match self.dialect {
            Dialect::MySql => false,
            Dialect::Postgres => true,
            Dialect::Unknown | Dialect::Sqlite => {
                self.place.is_table_next() || self.has_dot(len) || self.is_a_column(len)
            }
        };
        let is_name = must_be_name && !self.place.is_word_value();
        if is_closed && looks_like_name(inner) && is_name && self.prefix.is_none() {
            self.copy(len);
            self.place.name();
        } else {
            self.advance(len);
            self.mark();
        }
    }

    /// Whether a dot makes the token of that length part of a longer name.
    fn has_dot(&self, len: usize) -> bool {
        let starts_name = |byte: &u8| {
            byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'"' | b'`' | b'[' | b'*' | 0x80..)
        };
        let behind = self.rest.get(len..).unwrap_or_default();
        let dot_behind = behind.first() == Some(&b'.') && behind.get(1).is_some_and(starts_name);
        let ends_name = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'"' | b'`' | b']' | b')' | 0x80..)
        };
        let dot_before = match self.clean.as_slice() {
            [.., before, b'.'] => self.byte_before() == Some(b'.') && ends_name(before),
            _ => false,
        };
        dot_before || dot_behind
    }

    /// Whether it is alone in a list of columns.
    fn is_a_column(&self, len: usize) -> bool {
        let behind = self.rest.get(len..).unwrap_or_default().trim_ascii_start();
        let before = self.clean.trim_ascii_end();
        self.place.is_columns()
            && matches!(behind.first(), Some(b',' | b')'))
            && matches!(before.last(), Some(b',' | b'('))
    }

    /// A name in `MySQL` and `SQLite`. In other dialects it is invalid, and
    /// must not hide strings.
    pub(super) fn in_backticks(&mut self) {
        if self.dialect == Dialect::Postgres {
            return self.sign(b'`');
        }
        let len = self.quoted_len(b'`').unwrap_or(self.rest.len());
        let name = self.rest.get(..len).unwrap_or_default();
        let is_closed = len > 1 && name.ends_with(b"`");
        // Big5 and others have characters whose second byte is a backquote.
        let is_inside =
            self.dialect != Dialect::Sqlite && self.byte_before().is_some_and(|byte| byte >= 0x80);
        let may_be_no_name = self.dialect == Dialect::Unknown && may_open(name.get(1..len - 1));
        if is_closed && !is_inside && !may_be_no_name {
            if self.place.is_word_value() {
                self.advance(len);
                return self.mark();
            }
            self.copy(len);
            self.place.name();
        } else {
            self.skip_rest();
            self.mark();
        }
    }

    /// `[x]`: a name in `SQLite` and SQL Server, with any content; in others an
    /// array index, or array elements.
    pub(super) fn bracket(&mut self) {
        if matches!(self.dialect, Dialect::MySql | Dialect::Postgres) {
            return self.sign(b'[');
        }
        let end = |from: usize| {
            let rest = self.rest.get(from..)?;
            Some(from + rest.iter().position(|&byte| byte == b']')?)
        };
        if self.dialect == Dialect::Sqlite {
            let Some(end) = end(1) else {
                self.skip_rest();
                return self.mark();
            };
            let inner = self.rest.get(1..end).unwrap_or_default();
            if looks_like_name(inner) && !self.place.is_word_value() {
                self.copy(end + 1);
                return self.place.name();
            }
            self.advance(end + 1);
            return self.mark();
        }
        // To the first `]`, and to the first one that is not doubled.
        let mut ends = [end(1), end(1)];
        while let Some(at) = ends[1]
            && self.rest.get(at + 1) == Some(&b']')
        {
            ends[1] = end(at + 2);
        }
        let is_whole = |end: &usize| has_whole_strings(self.rest.get(1..*end).unwrap_or_default());
        if !ends.iter().flatten().all(is_whole) {
            self.skip_rest();
            return self.mark();
        }
        self.sign(b'[');
        self.place.forget();
    }

    /// `$tag$`, which opens a PostgreSQL string.
    fn dollar_tag(&self) -> Option<usize> {
        if matches!(self.dialect, Dialect::MySql | Dialect::Sqlite) {
            return None;
        }
        let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..);
        let rest = self.rest.get(1..)?;
        let len = rest.iter().take_while(|byte| is_tag(byte)).count();
        let starts_with_digit = rest.first().is_some_and(u8::is_ascii_digit);
        (rest.get(len) == Some(&b'$') && !starts_with_digit).then_some(len + 2)
    }

    /// `$tag$…$tag$`, a placeholder `$1`, an amount `$5.20`, or a `$` in a
    /// name.
    pub(super) fn dollar(&mut self) {
        let is_number = self.rest.get(1).is_some_and(u8::is_ascii_digit);
        let Some(len) = self.dollar_tag() else {
            return match self.dialect {
                _ if !is_number => self.sign(b'$'),
                Dialect::Postgres => {
                    let digits = self.rest.get(1..).unwrap_or_default();
                    let count = digits
                        .iter()
                        .take_while(|byte| byte.is_ascii_digit())
                        .count();
                    self.copy(count + 1);
                    self.place.value();
                }
                _ => {
                    self.advance(1);
                    self.number();
                }
            };
        };
        let tag = self.rest.get(..len).unwrap_or(b"$$");
        let body = self.rest.get(len..).unwrap_or(b"");
        let end = body.windows(tag.len()).position(|window| window == tag);
        let is_sure =
            self.dialect == Dialect::Postgres || !may_open(end.and_then(|end| body.get(..end)));
        self.advance(end.map_or(self.rest.len(), |end| end + 2 * len));
        self.mark();
        if !is_sure {
            self.skip_rest();
        } else if self.dialect == Dialect::Unknown {
            self.place.forget();
        }
    }
}

/// Whether the quoted text looks like an ordinary name.
fn looks_like_name(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    text.first().is_some_and(|byte| !byte.is_ascii_digit()) && text.iter().all(is_part)
}

/// Whether a string, a comment or a name may begin in a text.
pub(super) fn may_open(text: Option<&[u8]>) -> bool {
    let text = text.unwrap_or_default();
    text.iter()
        .any(|byte| matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'#' | b'[' | b'*'))
        || text.windows(2).any(|window| window == b"--")
}

/// Whether strings that begin in a text end there, and nothing else begins.
fn has_whole_strings(text: &[u8]) -> bool {
    let mut open = None;
    for (at, &byte) in text.iter().enumerate() {
        let is_doubtful = matches!(byte, b'\\' | b'`' | b'$' | b'#' | b'*')
            || text.get(at..at + 2) == Some(b"--");
        match open {
            _ if is_doubtful => return false,
            Some(quote) if byte == quote => open = None,
            None if matches!(byte, b'\'' | b'"') => open = Some(byte),
            _ => {}
        }
    }
    open.is_none()
}

/// Whether the rest of a statement, from inside a string, can be parsed with
/// backslashes as escapes, or without.
fn may_be_read(rest: &[u8], quote: u8, escapes: bool, is_cut: bool) -> bool {
    let mut open = Some(quote);
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        let next = rest.get(at + 1).copied();
        at += 1;
        match open {
            // `\N` is null.
            None if byte == b'\\' && next != Some(b'N') => return false,
            Some(quote) if byte == b'\\' && escapes && quote != b'`' => at += 1,
            Some(quote) if byte == quote => open = None,
            Some(_) => {}
            None => match byte {
                b'\'' | b'"' | b'`' => open = Some(byte),
                b'#' | b'$' => return true,
                b'-' if next == Some(b'-') => return true,
                b'/' if next == Some(b'*') => return true,
                _ => {}
            },
        }
    }
    open.is_none() || is_cut
}
