//! Private data never appears in the result, in any dialect.

use crate::amount::cases;
use proptest::prelude::*;
use proptest::sample::select;
use redact::Dialect;

/// What no statement below has of its own.
const SECRET: &str = "zq7secret";

/// No more is read than that, unless a test says so.
const ALL: usize = usize::MAX;

/// A server, as it may be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    MySql,
    /// With `NO_BACKSLASH_ESCAPES`.
    MySqlPlain,
    Postgres,
    Sqlite,
    /// SQL Server, with `QUOTED_IDENTIFIER OFF`.
    Microsoft,
}

const SERVERS: [Server; 5] = [
    Server::MySql,
    Server::MySqlPlain,
    Server::Postgres,
    Server::Sqlite,
    Server::Microsoft,
];

impl Server {
    fn dialect(self) -> Dialect {
        match self {
            Self::MySql | Self::MySqlPlain => Dialect::MySql,
            Self::Postgres => Dialect::Postgres,
            Self::Sqlite => Dialect::Sqlite,
            Self::Microsoft => Dialect::Unknown,
        }
    }

    fn has_strings_in_double_quotes(self) -> bool {
        self != Self::Postgres
    }

    /// A literal with that in it.
    fn literal(self, text: &str, form: u8) -> String {
        let quote = if form % 4 == 1 && self.has_strings_in_double_quotes() {
            '"'
        } else {
            '\''
        };
        let doubled = text.replace(quote, &format!("{quote}{quote}"));
        let escaped = text
            .replace('\\', "\\\\")
            .replace(quote, &format!("\\{quote}"));
        match (self, form % 8) {
            (Self::MySql, 0..4) => format!("{quote}{escaped}{quote}"),
            (Self::MySql, 4) => format!("_utf8{quote}{escaped}{quote}"),
            (Self::MySql, _) => {
                format!("{quote}{}{quote}", doubled.replace('\\', "\\\\"))
            }
            (Self::Postgres, 0..3) => format!("E{quote}{escaped}{quote}"),
            (Self::Postgres, 3) => format!("$${}$$", text.replace('$', "")),
            (Self::Postgres, 4) => format!("$é1${}$é1$", text.replace('$', "")),
            (Self::Postgres, 5) => format!("@$q${}$q$", text.replace('$', "")),
            (_, 4) => format!("N{quote}{doubled}{quote}"),
            _ => format!("{quote}{doubled}{quote}"),
        }
    }

    /// A name with that in it, which ends where only this server says.
    fn name(self, text: &str, form: u8) -> String {
        match (self, form % 2) {
            (Self::MySql | Self::MySqlPlain, _) | (Self::Sqlite, 0) => {
                format!("`{}`", text.replace('`', "``"))
            }
            (Self::Postgres, _) => format!("\"{}\"", text.replace('"', "\"\"")),
            (Self::Sqlite, _) => format!("[{}]", text.replace(']', "")),
            (Self::Microsoft, _) => format!("[{}]", text.replace(']', "]]")),
        }
    }

    /// A comment with that in it, or what is none here.
    fn comment(self, text: &str, form: u8) -> String {
        let line = text.replace(['\n', '\r'], "");
        let block = text.replace('*', "").replace("/", "");
        match (self, form % 4) {
            (Self::MySql | Self::MySqlPlain, 0) => format!("# {line}\n"),
            (Self::MySql | Self::MySqlPlain, 1) => "--1\n".to_owned(),
            (Self::Postgres | Self::Microsoft, 2) => format!("/* /* {block} */ {block} */"),
            (Self::Postgres, 3) => format!("-- {line}\r"),
            (Self::MySql, 3) => format!("-- {line}\r\n"),
            (_, 0) => format!("-- {line}\n"),
            (Self::Sqlite | Self::Microsoft, 1) => format!("--{line}\n"),
            _ => format!("/*{block}*/"),
        }
    }
}

/// What makes the ends of strings hard to find.
fn noise() -> impl Strategy<Value = String> {
    "[a-z0-9 '\"\\\\\\\\`$#?;:,()\\[\\]%*/\\-\n\r\0é縗]{0,6}"
}

/// Text with the secret in it.
fn secret() -> impl Strategy<Value = String> {
    (noise(), noise()).prop_map(|(before, after)| format!("{before}{SECRET}{after}"))
}

fn template() -> impl Strategy<Value = &'static str> {
    select(vec![
        "SELECT * FROM t WHERE a = §",
        "SELECT a, § AS b FROM ¶ WHERE c LIKE § ORDER BY §",
        "SELECT § AS §, §¢ FROM t GROUP BY §",
        "INSERT INTO t (a, b) VALUES (§, §), (§, 3)",
        "INSERT INTO ¶ (¶, ¶) VALUES (§,§)",
        "INSERT INTO t (SELECT §, §)",
        "UPDATE t SET a=§, b = §¢ WHERE ¶ IN (§, §, 7) AND c = :c",
        "SELECT CONCAT(§, ¢§) FROM t WHERE d BETWEEN § AND §",
        "SELECT TRIM(§ FROM §), SUBSTRING(§ FROM §), EXTRACT(DAY FROM §)",
        "SELECT a FROM t WHERE b IS DISTINCT FROM § AND c IS NOT DISTINCT FROM §",
        "PREPARE p FROM §",
        "SELECT 1; PREPARE p FROM §",
        "CALL p(§, ?, §)",
        "VACUUM INTO §",
        "CREATE USER x IDENTIFIED WITH y AS §",
        "GRANT SELECT ON t TO u IDENTIFIED BY §",
        "SET NAMES §",
        "SELECT a->§, b->>§, c ¥ §, d ? §",
        "SELECT INTERVAL §, DATE §, a COLLATE §",
        "CREATE TABLE ¶ (a INT COMMENT § DEFAULT §)",
        "SELECT CASE WHEN a = § THEN § ELSE § END",
        "SELECT «§,§», a«§»",
        "SELECT (SELECT § FROM ¶), ¶, ¢ §",
        "SELECT a¢, ¶ FROM t WHERE b=§¢ AND c=§ LIMIT 5",
        "SELECT - -§, a ¢ FROM t WHERE c = §",
    ])
}

/// A statement for a server, with the secret wherever a value can stand.
fn statement() -> impl Strategy<Value = (Server, String)> {
    let pieces = prop::collection::vec((secret(), noise(), any::<u8>()), 1..6);
    (select(&SERVERS[..]), template(), pieces).prop_map(|(server, template, pieces)| {
        let mut pieces = pieces.into_iter().cycle();
        let mut statement = String::new();
        for letter in template.chars() {
            let Some((secret, noise, form)) = pieces.next() else {
                break;
            };
            match letter {
                '§' => statement.push_str(&server.literal(&secret, form)),
                '¶' => statement.push_str(&server.name(&format!("n{noise}"), form)),
                '¢' => statement.push_str(&server.comment(&secret, form)),
                '¥' if server == Server::Postgres => statement.push_str("#>"),
                '«' if server == Server::Postgres => statement.push_str("ARRAY["),
                '»' if server == Server::Postgres => statement.push(']'),
                '¥' => statement.push_str("->"),
                '«' => statement.push_str("f("),
                '»' => statement.push(')'),
                _ => statement.push(letter),
            }
        }
        (server, statement)
    })
}

fn survives(clean: &[u8], secret: &str) -> bool {
    String::from_utf8_lossy(clean).contains(secret)
}

/// What may be known of the server.
fn dialects(server: Server) -> [Dialect; 2] {
    [Dialect::Unknown, server.dialect()]
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn no_literal_of_a_statement_survives((server, statement) in statement()) {
        for dialect in dialects(server) {
            let clean = redact::statement_with(statement.as_bytes(), dialect, ALL);
            prop_assert!(
                !survives(&clean, SECRET),
                "{dialect:?}: {statement:?} became {:?}", String::from_utf8_lossy(&clean),
            );
        }
    }

    #[test]
    fn no_literal_survives_wherever_a_statement_is_cut((server, statement) in statement(), most in 0_usize..200) {
        for dialect in dialects(server) {
            let clean = redact::statement_with(statement.as_bytes(), dialect, most);
            prop_assert!(
                !survives(&clean, SECRET),
                "{dialect:?}: {statement:?} became {:?}", String::from_utf8_lossy(&clean),
            );
        }
    }

    #[test]
    fn no_literal_survives_in_a_charset_with_backslashes_inside(
        lead in 0x81_u8..=0xfe, text in "[a-z']{0,3}", escapes in any::<bool>(),
    ) {
        // The character ends in the byte that a backslash is.
        let character = [lead, b'\\'];
        let escape: &[u8] = if escapes { b"it\\'s" } else { b"" };
        let text = text.replace('\'', "''");
        let statement = [
            b"SELECT '", escape, b"', '", text.as_bytes(), &character, b"', '", SECRET.as_bytes(), b"'",
        ].concat();
        for dialect in [Dialect::Unknown, Dialect::MySql] {
            let clean = redact::statement_with(&statement, dialect, ALL);
            prop_assert!(!survives(&clean, SECRET), "{:?}", String::from_utf8_lossy(&clean));
        }
    }

    #[test]
    fn no_number_survives(
        number in 100_000_u64..,
        form in select(vec!["N", "-N", "N.5", "1.N", "Ne10", "0xN", ".N", "N::int", "'N'", "+N", "$N", "£N", "x'N'", "1_N"]),
        place in select(vec![
            "SELECT N", "WHERE a=N", "IN (1,N)", "LIMIT N", "VALUES (N)", "a[N:N]", "f(N)", "a+N", "t.a<N", "a BETWEEN N AND N",
        ]),
    ) {
        let literal = form.replace('N', &number.to_string());
        let statement = place.replace("IN (", "~").replace("BETWEEN", "^").replace("AND", "&").replace('N', &literal);
        let statement = statement.replace('~', "IN (").replace('^', "BETWEEN").replace('&', "AND");
        for dialect in [Dialect::Unknown, Dialect::MySql, Dialect::Sqlite] {
            let clean = redact::statement_with(statement.as_bytes(), dialect, ALL);
            prop_assert!(!survives(&clean, &number.to_string()), "{statement:?} became {:?}", String::from_utf8_lossy(&clean));
        }
    }

    #[test]
    fn any_bytes_become_a_text_that_ends(
        bytes in any::<Vec<u8>>(),
        dialect in select(vec![Dialect::Unknown, Dialect::MySql, Dialect::Postgres, Dialect::Sqlite]),
        most in 0_usize..100,
    ) {
        let clean = redact::statement_with(&bytes, dialect, most);
        prop_assert!(clean.iter().all(|&byte| byte >= b' '), "{clean:?}");
        prop_assert!(redact::place(&bytes).iter().all(|&byte| byte >= b' '));
        prop_assert!(redact::address(&bytes).iter().all(|&byte| byte >= b' '));
    }

    #[test]
    fn of_an_address_only_the_place_survives(
        user in "[a-z@:]{0,5}", query in "[a-z=&#?/:]{0,9}", path in "(/[a-z]{0,3}){0,3}",
    ) {
        let url = format!("https://{user}{SECRET}@example.org{path}?{query}{SECRET}#{SECRET}");
        let clean = redact::place(url.as_bytes());
        prop_assert_eq!(String::from_utf8_lossy(&clean), format!("https://example.org{path}"));
    }

    #[test]
    fn what_a_url_says_of_a_user_never_survives(
        user in "[a-z0-9:/?#@;=.%\\[\\]-]{0,6}", end in "[a-z0-9:/?#@;=.%-]{0,6}", token in "[0-9]{3,9}",
    ) {
        let token = format!("{token}zq");
        for url in [
            format!("https://{user}:{SECRET}{token}{end}@example.org/x"),
            format!("https://example.org/reset/{token}/{user}?{end}={token}"),
            format!("//{user}:{token}@example.org/x"),
            format!("https:/{user}:{token}@example.org/x"),
            format!("{user}:{token}@example.org/x"),
        ] {
            for clean in [redact::place(url.as_bytes()), redact::address(url.as_bytes())] {
                prop_assert!(!survives(&clean, &token), "{url:?} became {:?}", String::from_utf8_lossy(&clean));
            }
        }
    }
}

#[test]
fn a_megabyte_is_no_problem() {
    let values = "(17, 'secret'), ".repeat(60_000);
    let statement = format!("INSERT INTO t VALUES {values}");
    let clean = redact::statement(statement.as_bytes());
    assert!(clean.starts_with(b"INSERT INTO t VALUES (?)"));
    assert!(clean.len() < 100, "{}", String::from_utf8_lossy(&clean));
}
