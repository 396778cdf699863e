//! Redacts SQL: keywords, names and placeholders stay; strings, numbers and
//! comments are removed.
//!
//! There is no parser: dialects differ, and a statement may be invalid. One
//! pass over the characters finds the literals. The parts that differ between
//! dialects are in the files below: strings, comments, and the position in the
//! statement.
//!
//! **Invariant:** no literal of any possible dialect survives. Where dialects
//! disagree about the end of a string or a comment, the rest is removed.

mod comments;
mod place;
mod strings;

use self::place::Place;
use super::shorten;

/// Replaces every literal of an SQL statement by `?`, removes comments and
/// writes white space as one blank. Lists of literals become `(?)`, so that `IN
/// (1, 2)` and `IN (1, 2, 3)` give one statement.
///
/// ```
/// let sql = b"SELECT * FROM t WHERE id = 42 AND name = 'O''Hara'";
/// assert_eq!(redact::statement(sql), b"SELECT * FROM t WHERE id = ? AND name = ?");
/// ```
#[must_use]
pub fn statement(sql: &[u8]) -> Vec<u8> {
    statement_with(sql, Dialect::Unknown, usize::MAX)
}

/// A dialect: how a server parses SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The dialect is unknown.
    Unknown,
    /// `"x"` is a string, and a backslash escapes: `MySQL` and `MariaDB`.
    MySql,
    /// `"x"` is a name, and a backslash escapes in `E'x'`.
    Postgres,
    /// `"x"` is a string if there is no such name, and there are no escapes.
    Sqlite,
}

/// Whether knowing the dialect would keep more of a statement.
#[must_use]
pub fn depends_on_dialect(sql: &[u8]) -> bool {
    sql.iter()
        .any(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'[' | b'#'))
}

/// [`statement`] for a known dialect; reads at most `most_read` bytes.
#[must_use]
pub fn statement_with(sql: &[u8], dialect: Dialect, most_read: usize) -> Vec<u8> {
    let read = sql.get(..most_read).unwrap_or(sql);
    let mut scanner = Scanner {
        dialect,
        all: read,
        rest: read,
        is_cut: read.len() < sql.len(),
        clean: Vec::with_capacity(read.len().min(super::MAX_LEN)),
        takes_literal: false,
        prefix: None,
        is_sure_of_backslashes: false,
        place: Place::new(),
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
    dialect: Dialect,
    all: &'a [u8],
    rest: &'a [u8],
    /// The statement was cut off.
    is_cut: bool,
    clean: Vec<u8>,
    /// The last token precedes a value: `=`, `LIKE`, `VALUES (`…
    takes_literal: bool,
    /// The last token is the prefix of a literal: the `N` of `N'…'`.
    prefix: Option<u8>,
    /// The dialect certainly uses backslashes by default.
    is_sure_of_backslashes: bool,
    place: Place,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let Some(&first) = self.rest.first() else {
            return;
        };
        match first {
            b'-' if self.rest.starts_with(b"--") => self.line_comment(b'-'),
            b'#' => self.line_comment(b'#'),
            b'/' if self.rest.starts_with(b"/*") => self.block_comment(),
            b'\'' => self.literal(b'\''),
            b'"' => self.double_quoted(),
            b'`' => self.in_backticks(),
            b'[' => self.bracket(),
            // `?` in a list: placeholders are merged like literals.
            b'?' if self.place.holds_values() && self.is_alone() => {
                self.advance(1);
                self.mark();
            }
            b'$' => self.dollar(),
            b'0'..=b'9' => self.number(),
            b'.' if self.rest.get(1).is_some_and(u8::is_ascii_digit) && !self.ends_in_word() => {
                self.number();
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => self.word(),
            _ if first <= b' ' || first == 0x7f => self.space(),
            _ => self.sign(first),
        }
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or(b"");
    }

    /// The last byte before the rest of the statement.
    fn byte_before(&self) -> Option<u8> {
        let at = (self.all.len() - self.rest.len()).checked_sub(1)?;
        self.all.get(at).copied()
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

    /// Unknown syntax: it is removed, with the rest of the statement.
    fn skip_rest(&mut self) {
        self.rest = b"";
    }

    /// Whether `?` is a placeholder, not an operator of `jsonb`.
    fn is_alone(&self) -> bool {
        let next = self.rest.get(1..).unwrap_or_default().trim_ascii_start();
        let before = self.clean.trim_ascii_end();
        matches!(next.first(), Some(b',' | b')')) && matches!(before.last(), Some(b',' | b'('))
    }

    /// Writes `?` for a literal; a list of literals is written once.
    fn mark(&mut self) {
        if self.prefix.is_some() {
            self.clean.pop();
        }
        let before = self.clean.trim_ascii_end();
        if before.ends_with(b"?,") && self.place.holds_values() {
            let len = before.len() - 1;
            self.clean.truncate(len);
        } else {
            self.clean.push(b'?');
        }
        self.prefix = None;
        self.takes_literal = false;
        self.place.value();
    }

    /// Keeps a token of that length, which must be a name or a placeholder.
    fn copy(&mut self, len: usize) {
        let text = self.rest.get(..len).unwrap_or(self.rest);
        let printable = text
            .iter()
            .map(|&byte| if byte < b' ' { b' ' } else { byte });
        self.clean.extend(printable);
        self.advance(len);
        self.prefix = None;
        self.takes_literal = false;
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
        // A sign belongs to the number unless an operand precedes it.
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
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        let len = self.rest.iter().take_while(|byte| is_part(byte)).count();
        let text = self.rest.get(..len).unwrap_or_default();
        // `£50` is an amount.
        let first_ascii = text.iter().find(|byte| byte.is_ascii());
        if !text.is_ascii() && first_ascii.is_some_and(u8::is_ascii_digit) {
            self.advance(len);
            return self.mark();
        }
        let word = text.to_ascii_uppercase();
        let is_prefix = matches!(word.as_slice(), b"N" | b"X" | b"B" | b"E")
            && self.rest.get(len) == Some(&b'\'');
        let is_name = matches!(self.byte_before(), Some(b'.' | b'@' | b':' | b'$' | b'#'))
            || self.rest.get(len) == Some(&b'.');
        if self.place.is_word_value() && !is_prefix {
            self.advance(len);
            return self.mark();
        }
        self.copy(len);
        if is_prefix {
            self.prefix = word.first().copied();
            return;
        }
        self.place.word(&word, is_name);
        if !is_name && self.is_followed_by_unknown(&word) {
            return self.skip_rest();
        }
        self.takes_literal = matches!(
            word.as_slice(),
            b"IN"
                | b"VALUES"
                | b"VALUE"
                | b"LIKE"
                | b"BETWEEN"
                | b"INTERVAL"
                | b"LIMIT"
                | b"OFFSET"
        );
    }

    /// Oracle's `q'[it's]'`, and its passwords, which need no quotes.
    fn is_followed_by_unknown(&self, word: &[u8]) -> bool {
        let is_oracle = self.dialect == Dialect::Unknown;
        let is_string = matches!(word, b"Q" | b"NQ") && self.rest.first() == Some(&b'\'');
        word == b"IDENTIFIED" || is_oracle && is_string
    }

    fn sign(&mut self, sign: u8) {
        self.clean.push(sign);
        self.advance(1);
        self.prefix = None;
        match sign {
            b'(' => {
                self.place.open(self.takes_literal);
                self.takes_literal = false;
            }
            b')' => {
                let held_values = self.place.close();
                if held_values {
                    self.fold_rows();
                }
                // `(?), (?)`: the next row contains values too.
                let is_next_row = self.rest.trim_ascii_start().starts_with(b",");
                self.takes_literal = held_values && is_next_row;
            }
            // Another row or another value: the state stays.
            b',' => self.place.sign(sign),
            _ => {
                self.place.sign(sign);
                self.takes_literal = matches!(
                    sign,
                    b'=' | b'<' | b'>' | b'!' | b'+' | b'-' | b'*' | b'/' | b'%' | b'|'
                );
            }
        }
    }

    /// `(?), (?)` becomes `(?)`: any number of rows is one statement.
    fn fold_rows(&mut self) {
        for rows in [&b"(?), (?)"[..], b"(?),(?)", b"(?) ,(?)", b"(?) , (?)"] {
            if self.clean.ends_with(rows) {
                let len = self.clean.len() - (rows.len() - b"(?)".len());
                self.clean.truncate(len);
            }
        }
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
        assert_eq!(clean(r"WHERE a = 'it''s' AND b=-7"), "WHERE a = ? AND b=?");
        assert_eq!(
            clean("WHERE a = N'x' AND b = X'ff'"),
            "WHERE a = ? AND b = ?"
        );
        assert_eq!(
            clean("WHERE a = $$its$$ AND b = $q$x$q$"),
            "WHERE a = ? AND b = ?"
        );
    }

    #[test]
    fn placeholders_and_names_with_digits_stay() {
        let sql = "SELECT t1.c2 FROM t1 WHERE a = ? AND b = :name AND c = @c";
        assert_eq!(clean(sql), sql);
        let sql = b"SELECT t1.c2 FROM t1 WHERE a = $1";
        assert_eq!(statement_with(sql, Dialect::Postgres, usize::MAX), sql);
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
    fn double_quotes_are_names_only_where_no_dialect_has_a_string() {
        assert_eq!(
            clean(
                r#"select "id", "u"."name" from "users" as "u" join "p" on "u"."id" = "p"."uid" order by "id""#
            ),
            r#"select ?, "u"."name" from "users" as ? join "p" on "u"."id" = "p"."uid" order by ?"#
        );
        for sql in [
            r#"insert into "t" ("a", "b") values (?)"#,
            r#"insert into "s"."t" ("a") select x from "u""#,
            r#"update "t" set x = (select y from "u")"#,
            r#"delete from "t" where a = ?"#,
            r#"drop table "t""#,
        ] {
            assert_eq!(clean(sql), sql);
        }
    }

    #[test]
    fn double_quotes_are_literals_wherever_a_value_may_stand() {
        assert_eq!(clean(r#"SELECT CONCAT("john", x)"#), "SELECT CONCAT(?, x)");
        assert_eq!(clean(r#"SELECT "john" AS "j", 1."x""#), "SELECT ? AS ?, ??");
        assert_eq!(clean(r#"WHERE name = "john""#), "WHERE name = ?");
        assert_eq!(clean(r#"VALUES ("a", "b")"#), "VALUES (?)");
        assert_eq!(clean(r#"WHERE n IN ("a","b")"#), "WHERE n IN (?)");
        assert_eq!(clean(r#"SELECT TRIM(a FROM "x")"#), "SELECT TRIM(a FROM ?)");
        assert_eq!(
            clean(r#"SELECT a IS DISTINCT FROM "x""#),
            "SELECT a IS DISTINCT FROM ?"
        );
        assert_eq!(clean(r#"PREPARE p FROM "x""#), "PREPARE p FROM ?");
        assert_eq!(
            clean(r#"SELECT 1; PREPARE p FROM "x""#),
            "SELECT ?; PREPARE p FROM ?"
        );
        assert_eq!(clean(r#"VACUUM INTO "x""#), "VACUUM INTO ?");
        assert_eq!(
            clean(r#"INSERT INTO t (SELECT "a", "b")"#),
            "INSERT INTO t (SELECT ?, ?)"
        );
        assert_eq!(
            clean(r#"INSERT INTO OPENQUERY("a", "b")"#),
            "INSERT INTO OPENQUERY(?, ?)"
        );
        assert_eq!(clean(r#"SET NAMES "x""#), "SET NAMES ?");
        assert_eq!(clean(r#"SELECT a->"x""#), "SELECT a->?");
    }

    #[test]
    fn in_a_known_dialect_double_quotes_are_what_they_are_there() {
        let clean = |sql: &str, dialect| {
            let clean = statement_with(sql.as_bytes(), dialect, usize::MAX);
            String::from_utf8(clean).unwrap()
        };
        let sql = r#"SELECT "id" FROM "users" WHERE "id" = 5"#;
        assert_eq!(
            clean(sql, Dialect::Postgres),
            r#"SELECT "id" FROM "users" WHERE "id" = ?"#
        );
        assert_eq!(
            clean(sql, Dialect::Sqlite),
            r#"SELECT ? FROM "users" WHERE ? = ?"#
        );
        assert_eq!(clean(sql, Dialect::MySql), "SELECT ? FROM ? WHERE ? = ?");
    }

    #[test]
    fn words_that_are_values_become_placeholders() {
        assert_eq!(clean("SET app.user TO john, jane"), "SET app.user TO ?, ?");
        assert_eq!(clean("PRAGMA key = secret"), "PRAGMA key = ?");
        assert_eq!(
            clean("CREATE USER bob IDENTIFIED BY secret"),
            "CREATE USER bob IDENTIFIED"
        );
        assert_eq!(
            clean("ALTER ROLE bob SET app.user TO john, jane"),
            "ALTER ROLE bob SET app.user TO ?, ?"
        );
        assert_eq!(
            clean("CREATE FUNCTION f() RETURNS int SET a = john AS 'x'"),
            "CREATE FUNCTION f() RETURNS int SET a = ? ? ?"
        );
        assert_eq!(
            clean("ALTER TABLE user ALTER a SET DATA TYPE varchar(9), ADD b int"),
            "ALTER TABLE user ALTER a SET DATA TYPE varchar(?), ADD b int"
        );
        assert_eq!(clean("WHERE a > $5.20 OR a > £50"), "WHERE a > ? OR a > ?");
    }

    #[test]
    fn values_that_are_quoted_as_names_become_placeholders() {
        let clean = |sql: &str, dialect| {
            let clean = statement_with(sql.as_bytes(), dialect, usize::MAX);
            String::from_utf8(clean).unwrap()
        };
        assert_eq!(
            clean(r#"SET "app".user TO john, "jane""#, Dialect::Postgres),
            r#"SET "app".user TO ?, ?"#
        );
        let pragma = |value: &str| clean(&format!("PRAGMA key = {value}"), Dialect::Sqlite);
        assert_eq!(pragma("[secret]"), "PRAGMA key = ?");
        assert_eq!(pragma("`secret`"), "PRAGMA key = ?");
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
            let clean = statement_with(sql.as_bytes(), Dialect::MySql, usize::MAX);
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
        // The server's NO_BACKSLASH_ESCAPES would give another statement.
        assert_eq!(clean(r"VALUES ('C:\', 'secret')"), "VALUES (?");
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
