//! SQL: keywords, names and placeholders stay; strings, numbers and comments
//! do not.
//!
//! No parser: dialects differ, and a statement may be broken. One pass over
//! the characters is enough to find literals, with one doubt: `"x"` is a name
//! in standard SQL and a string in MySQL. See [`Scanner::quoted`].
//!
//! **Invariant:** where dialects disagree about where a string or a comment
//! ends (`'C:\\'`, `/* /* */`, `#`), what follows is left out altogether.

use super::shorten;

/// Replaces every literal of an SQL statement by `?`, takes comments out and
/// writes white space as one blank. Lists of literals become `(?)`, so that
/// `IN (1, 2)` and `IN (1, 2, 3)` are one statement.
///
/// ```
/// let sql = b"SELECT * FROM t WHERE id = 42 AND name = 'O''Hara'";
/// assert_eq!(profile::redact::statement(sql), b"SELECT * FROM t WHERE id = ? AND name = ?");
/// ```
#[must_use]
pub fn statement(sql: &[u8]) -> Vec<u8> {
    statement_with(sql, Quotes::Unknown)
}

/// What quotes mean in a dialect of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// It is not known which dialect it is.
    Unknown,
    /// `"x"` is a string, and a backslash escapes: `MySQL` and `MariaDB`.
    MySql,
}

/// [`statement`], where more is known of the dialect.
#[must_use]
pub fn statement_with(sql: &[u8], quotes: Quotes) -> Vec<u8> {
    let mut scanner = Scanner {
        quotes,
        rest: sql,
        clean: Vec::with_capacity(sql.len().min(super::MAX_LEN)),
        takes_literal: false,
        is_prefixed: false,
        is_name_next: false,
        lists: Vec::new(),
    };
    while !scanner.rest.is_empty() && scanner.clean.len() <= super::MAX_LEN {
        scanner.step();
    }
    let mut clean = scanner.clean;
    while clean
        .last()
        .is_some_and(|&byte| byte == b' ' || byte == b';')
    {
        clean.pop();
    }
    shorten(&mut clean);
    clean
}

struct Scanner<'a> {
    quotes: Quotes,
    rest: &'a [u8],
    clean: Vec<u8>,
    /// What came last is something a value follows: `=`, `LIKE`, `VALUES (`…
    takes_literal: bool,
    /// What came last is the letter of a literal: the `N` of `N'…'`.
    is_prefixed: bool,
    /// What came last is something only a name follows: `FROM`, a dot…
    is_name_next: bool,
    /// The open parentheses: whether each holds values.
    lists: Vec<bool>,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let Some(&first) = self.rest.first() else {
            return;
        };
        match first {
            b'-' if self.rest.starts_with(b"--") => self.skip_line(),
            b'#' => self.skip_line(),
            b'/' if self.rest.starts_with(b"/*") => self.skip_comment(),
            b'\'' => self.literal(b'\''),
            b'"' => self.quoted(),
            b'`' => self.name_in_backticks(),
            // `?` in a list: as many of them as of literals.
            b'?' if self.lists.last() == Some(&true) && self.is_alone() => {
                self.advance(1);
                self.mark();
            }
            b'$' if self.dollar_tag().is_some() => self.dollar_string(),
            b'0'..=b'9' => self.number(),
            b'.' if self.rest.get(1).is_some_and(u8::is_ascii_digit) && !self.ends_in_word() => {
                self.number();
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'@' | b':' | b'$' | 0x80.. => self.word(),
            _ if first <= b' ' || first == 0x7f => self.space(),
            _ => self.sign(first),
        }
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or(b"");
    }

    fn space(&mut self) {
        let len = self
            .rest
            .iter()
            .take_while(|&&byte| byte <= b' ' || byte == 0x7f)
            .count();
        self.advance(len);
        self.blank();
    }

    fn blank(&mut self) {
        if self
            .clean
            .last()
            .is_some_and(|&byte| byte != b' ' && byte != b'(')
        {
            self.clean.push(b' ');
        }
    }

    fn skip_line(&mut self) {
        let len = self.rest.iter().position(|&byte| byte == b'\n');
        let len = len.unwrap_or(self.rest.len());
        // A comment everywhere, unlike `--1` and `#`.
        let is_comment = matches!(
            self.rest,
            [b'-', b'-'] | [b'-', b'-', b' ' | b'\t' | b'\r' | b'\n', ..]
        );
        let line = self.rest.get(..len).unwrap_or_default();
        let may_open = line
            .iter()
            .any(|byte| matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'*'));
        if !is_comment && may_open {
            return self.skip_rest();
        }
        self.advance(len);
        self.blank();
    }

    fn skip_comment(&mut self) {
        let end = self.rest.windows(2).skip(2).position(|it| it == b"*/");
        let end = end.map_or(self.rest.len(), |end| end + 4);
        let body = self.rest.get(2..end).unwrap_or_default();
        if body.windows(2).any(|it| it == b"/*") {
            return self.skip_rest();
        }
        self.advance(end);
        self.blank();
    }

    /// Nobody knows what this is: it goes, and all that follows.
    fn skip_rest(&mut self) {
        self.rest = b"";
    }

    /// Whether `?` is a placeholder and not an operator of `jsonb`.
    fn is_alone(&self) -> bool {
        let next = self.rest.get(1..).unwrap_or_default().trim_ascii_start();
        let before = self.clean.trim_ascii_end();
        matches!(next.first(), Some(b',' | b')')) && matches!(before.last(), Some(b',' | b'('))
    }

    /// The length of what stands in quotes at the start, quotes included. A
    /// quote is escaped by doubling or by a backslash; none where dialects
    /// disagree on the latter, and both may be meant.
    fn quoted_len(&self, quote: u8) -> Option<usize> {
        let mut at = 1;
        while let Some(&byte) = self.rest.get(at) {
            let next = self.rest.get(at + 1);
            if byte == b'\\' && quote != b'`' {
                // `'it\'s'` can only be one thing, `'C:\' ` can be two.
                let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
                let is_sure = self.quotes == Quotes::MySql
                    || next != Some(&quote)
                    || self.rest.get(at + 2).is_some_and(goes_on);
                if !is_sure {
                    return None;
                }
                at += 2;
            } else if byte == quote && next == Some(&quote) {
                at += 2;
            } else if byte == quote {
                return Some(at + 1);
            } else {
                at += 1;
            }
        }
        Some(self.rest.len())
    }

    fn literal(&mut self, quote: u8) {
        match self.quoted_len(quote) {
            Some(len) => self.advance(len),
            None => self.skip_rest(),
        }
        self.mark();
    }

    /// Writes `?` for a literal; a list of them is written once.
    fn mark(&mut self) {
        if self.is_prefixed {
            self.clean.pop();
        }
        let before = self.clean.trim_ascii_end();
        let is_repeated = before.ends_with(b"?,") && self.lists.last() == Some(&true);
        if is_repeated {
            let len = before.len() - 1;
            self.clean.truncate(len);
        } else {
            self.clean.push(b'?');
        }
        self.is_prefixed = false;
        self.takes_literal = false;
        self.is_name_next = false;
    }

    /// `"x"`: a name only if it looks like one and stands where a name does;
    /// after `=`, `LIKE`, in `IN (…)` and `VALUES (…)` it is a literal, unless
    /// a dot makes it part of a longer name.
    fn quoted(&mut self) {
        let Some(len) = self.quoted_len(b'"') else {
            self.skip_rest();
            return self.mark();
        };
        let inner = self.rest.get(1..len.saturating_sub(1)).unwrap_or(b"");
        let is_word = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        let looks_like_name =
            inner.first().is_some_and(|byte| !byte.is_ascii_digit()) && inner.iter().all(is_word);
        let has_dot = self.rest.get(len) == Some(&b'.') || self.clean.ends_with(b".");
        let in_values = self.lists.last() == Some(&true);
        let is_value =
            self.quotes == Quotes::MySql || self.takes_literal || in_values && !self.is_name_next;
        let is_closed = len > 1 && self.rest.get(len - 1) == Some(&b'"');
        if is_closed && looks_like_name && (has_dot && self.quotes != Quotes::MySql || !is_value) {
            self.copy(len);
        } else {
            self.advance(len);
            self.mark();
        }
    }

    /// A name in MySQL. Elsewhere it is nothing, and must not swallow strings.
    fn name_in_backticks(&mut self) {
        let len = self.quoted_len(b'`').unwrap_or(self.rest.len());
        let name = self.rest.get(..len).unwrap_or_default();
        if len > 1 && name.ends_with(b"`") && !name.contains(&b'\'') {
            self.copy(len);
        } else {
            self.skip_rest();
            self.mark();
        }
    }

    fn copy(&mut self, len: usize) {
        let text = self.rest.get(..len).unwrap_or(self.rest);
        let printable = text
            .iter()
            .map(|&byte| if byte < b' ' { b' ' } else { byte });
        self.clean.extend(printable);
        self.advance(len);
        self.is_prefixed = false;
        self.takes_literal = false;
        self.is_name_next = false;
    }

    fn ends_in_word(&self) -> bool {
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'`' | b'"');
        self.clean.last().is_some_and(is_word)
    }

    fn number(&mut self) {
        let mut len = 0;
        while let Some(&byte) = self.rest.get(len) {
            let after_exponent = len > 0 && matches!(self.rest.get(len - 1), Some(b'e' | b'E'));
            let is_hex = self.rest.starts_with(b"0x") || self.rest.starts_with(b"0X");
            let is_sign = matches!(byte, b'+' | b'-') && after_exponent && !is_hex;
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || is_sign) {
                break;
            }
            len += 1;
        }
        self.advance(len.max(1));
        // A sign in front belongs to the number where nothing stands before it.
        if self.clean.last() == Some(&b'-') {
            let before = self
                .clean
                .get(..self.clean.len() - 1)
                .unwrap_or(b"")
                .trim_ascii_end();
            if before
                .last()
                .is_some_and(|byte| matches!(byte, b'=' | b'<' | b'>' | b'(' | b','))
            {
                self.clean.pop();
            }
        }
        self.mark();
    }

    fn word(&mut self) {
        let is_part = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b':' | b'$' | 0x80..)
        };
        let len = self.rest.iter().take_while(|byte| is_part(byte)).count();
        // `[2:7]`, `a[x:7]`: the number is one.
        let is_colon = |pair: &[u8]| {
            pair.first() == Some(&b':') && pair.last().is_some_and(u8::is_ascii_digit)
        };
        let colon = self
            .rest
            .get(..len)
            .and_then(|word| word.windows(2).position(is_colon));
        let len = colon.map_or(len, |colon| colon + 1);
        let word = self.rest.get(..len).unwrap_or(b"").to_ascii_uppercase();
        let is_prefix = len == 1 && matches!(word.as_slice(), b"N" | b"X" | b"B" | b"E");
        self.copy(len);
        if self.rest.first() == Some(&b'\'') {
            self.is_prefixed = is_prefix;
            if is_prefix {
                return;
            }
            if matches!(word.as_slice(), b"Q" | b"NQ") {
                // Oracle's q'[it's]': nobody else has that.
                return self.skip_rest();
            }
        }
        self.takes_literal = matches!(
            word.as_slice(),
            b"LIKE"
                | b"ILIKE"
                | b"RLIKE"
                | b"REGEXP"
                | b"GLOB"
                | b"MATCH"
                | b"BETWEEN"
                | b"THEN"
                | b"ELSE"
                | b"ESCAPE"
                | b"DEFAULT"
                | b"IN"
                | b"VALUES"
                | b"VALUE"
                | b"INTERVAL"
                | b"LIMIT"
                | b"OFFSET"
                | b"IS"
        );
        self.is_name_next = matches!(
            word.as_slice(),
            b"SELECT" | b"FROM" | b"JOIN" | b"INTO" | b"UPDATE" | b"TABLE" | b"AS" | b"BY"
        );
    }

    fn sign(&mut self, sign: u8) {
        match sign {
            b'(' => {
                // `VALUES (` and `IN (` open a list of values; so does the
                // next row, and a list inside one.
                let holds_values = self.takes_literal || self.lists.last() == Some(&true);
                self.lists.push(holds_values);
            }
            b')' => {
                let held_values = self.lists.pop() == Some(true);
                self.clean.push(sign);
                self.advance(1);
                if held_values {
                    self.fold_rows();
                }
                // `(?), (?)`: the next row is values again.
                let is_next_row = self.rest.trim_ascii_start().starts_with(b",");
                self.takes_literal = held_values && is_next_row;
                return;
            }
            _ => {}
        }
        self.clean.push(sign);
        self.advance(1);
        self.is_prefixed = false;
        match sign {
            b'=' | b'<' | b'>' | b'!' | b'+' | b'-' | b'*' | b'/' | b'%' | b'|' => {
                self.takes_literal = true;
            }
            // A further row, a further value: as before.
            b',' => {}
            b'(' => self.takes_literal = false,
            _ => self.takes_literal = false,
        }
        self.is_name_next = sign == b'.';
    }

    /// `(?), (?)` is `(?)`: rows of values are one statement, however many.
    fn fold_rows(&mut self) {
        for rows in [&b"(?), (?)"[..], b"(?),(?)", b"(?) ,(?)", b"(?) , (?)"] {
            if self.clean.ends_with(rows) {
                let len = self.clean.len() - (rows.len() - b"(?)".len());
                self.clean.truncate(len);
            }
        }
    }

    /// `$tag$`, which opens a PostgreSQL string.
    fn dollar_tag(&self) -> Option<usize> {
        let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = self.rest.get(1..)?;
        let len = rest.iter().take_while(|byte| is_tag(byte)).count();
        let starts_with_digit = rest.first().is_some_and(u8::is_ascii_digit);
        (rest.get(len) == Some(&b'$') && !starts_with_digit).then_some(len + 2)
    }

    fn dollar_string(&mut self) {
        let len = self.dollar_tag().unwrap_or(1);
        let tag = self.rest.get(..len).unwrap_or(b"$$");
        let body = self.rest.get(len..).unwrap_or(b"");
        let end = body.windows(tag.len()).position(|it| it == tag);
        self.advance(end.map_or(self.rest.len(), |end| end + 2 * len));
        self.mark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(sql: &str) -> String {
        String::from_utf8(statement(sql.as_bytes())).unwrap()
    }

    #[test]
    fn strings_and_numbers_become_placeholders() {
        assert_eq!(clean("SELECT 'a', 1.5e-3, 0x1F, -2"), "SELECT ?, ?, ?, ?");
        assert_eq!(clean(r"WHERE a = 'it\'s' AND b=-7"), "WHERE a = ? AND b=?");
        assert_eq!(
            clean("WHERE a = N'x' AND b = X'ff'"),
            "WHERE a = ? AND b = ?"
        );
        assert_eq!(
            clean("WHERE a = $$it's$$ AND b = $q$x$q$"),
            "WHERE a = ? AND b = ?"
        );
    }

    #[test]
    fn placeholders_and_names_with_digits_stay() {
        let sql = "SELECT t1.c2 FROM t1 WHERE a = ? AND b = :name AND c = $1";
        assert_eq!(clean(sql), sql);
    }

    #[test]
    fn lists_of_literals_are_one_statement_whatever_their_length() {
        assert_eq!(clean("WHERE id IN (1, 2, 3)"), clean("WHERE id IN (7)"));
        assert_eq!(
            clean("INSERT INTO t (a, b) VALUES (1, 'x')"),
            "INSERT INTO t (a, b) VALUES (?)"
        );
    }

    #[test]
    fn double_quotes_are_names_where_names_stand() {
        let sql = r#"select "id", "u"."name" from "users" as "u" where "u"."id" = "p"."uid" order by "id""#;
        assert_eq!(clean(sql), sql);
        assert_eq!(
            clean(r#"select * from "users" where "id" = ?"#),
            r#"select * from "users" where "id" = ?"#
        );
    }

    #[test]
    fn double_quotes_are_literals_where_values_stand() {
        assert_eq!(clean(r#"WHERE name = "john""#), "WHERE name = ?");
        assert_eq!(clean(r#"WHERE name LIKE "jo%""#), "WHERE name LIKE ?");
        assert_eq!(clean(r#"VALUES ("a", "b")"#), "VALUES (?)");
        assert_eq!(clean(r#"WHERE n IN ("a","b")"#), "WHERE n IN (?)");
        assert_eq!(clean(r#"SELECT "two words""#), "SELECT ?");
    }

    #[test]
    fn comments_are_taken_out() {
        assert_eq!(
            clean("SELECT /* user 7 */ 1 -- secret\nFROM t"),
            "SELECT ? FROM t"
        );
        assert_eq!(clean("SELECT a # secret"), "SELECT a");
    }

    #[test]
    fn what_is_left_open_is_taken_for_literal() {
        assert_eq!(clean("SELECT 'secret"), "SELECT ?");
        assert_eq!(clean("SELECT /* secret"), "SELECT");
        assert_eq!(clean("SELECT $$secret"), "SELECT ?");
    }

    #[test]
    fn rows_and_placeholders_are_one_statement_whatever_their_number() {
        assert_eq!(clean("VALUES (1, 'x'), (2, 'y'),(3, 'z')"), "VALUES (?)");
        assert_eq!(clean("WHERE id IN (?, ?, ?)"), "WHERE id IN (?)");
        assert_eq!(clean("VALUES (1, E'x'), (2, N'y')"), "VALUES (?)");
        assert_eq!(
            clean("WHERE a @? '$.x' AND b IN (?,?)"),
            "WHERE a @? ? AND b IN (?)"
        );
    }

    #[test]
    fn what_dialects_read_differently_is_left_out_with_all_that_follows() {
        assert_eq!(clean(r"WHERE a = 'C:\' AND b = 'secret'"), "WHERE a = ?");
        assert_eq!(clean("SELECT /* a /* b */ secret */ 1"), "SELECT");
        assert_eq!(clean("SELECT a #> '{x\nsecret}' FROM t"), "SELECT a");
        assert_eq!(clean("SELECT a --'x\nsecret'"), "SELECT a");
        assert_eq!(clean("SELECT q'[it's secret]'"), "SELECT q");
        assert_eq!(clean("SELECT ` FROM 'secret'"), "SELECT ?");
        assert_eq!(clean("SELECT a -- don't\nFROM t"), "SELECT a FROM t");
    }

    #[test]
    fn mysql_has_strings_in_double_quotes_and_escapes_by_backslashes() {
        let clean = |sql: &str| {
            let clean = statement_with(sql.as_bytes(), Quotes::MySql);
            String::from_utf8(clean).unwrap()
        };
        assert_eq!(
            clean(r#"SELECT CONCAT("secret", `name`)"#),
            "SELECT CONCAT(?, `name`)"
        );
        assert_eq!(
            clean(r"WHERE a = 'C:\' AND b' AND c = 1"),
            "WHERE a = ? AND c = ?"
        );
    }

    #[test]
    fn a_letter_in_front_of_a_string_is_kept_unless_it_belongs_to_it() {
        assert_eq!(clean("WHERE a LIKE'x'"), "WHERE a LIKE?");
        assert_eq!(clean("WHERE a = N'x'"), "WHERE a = ?");
        assert_eq!(clean("SELECT a[2:77], b[x:77]"), "SELECT a[?:?], b[x:?]");
    }

    #[test]
    fn white_space_and_control_characters_become_one_blank() {
        assert_eq!(clean("  SELECT\n\t*\r\n FROM\0t ;\n"), "SELECT * FROM t");
    }

    #[test]
    fn long_statements_are_shortened() {
        let sql = format!("SELECT {}", "column_name, ".repeat(5_000));
        assert!(statement(sql.as_bytes()).len() <= super::super::MAX_LEN + 3);
        assert!(clean(&sql).ends_with('…'));
    }
}
