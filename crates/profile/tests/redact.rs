//! What is private never comes out again, whatever dialect it was written in.

use profile::redact::{self, Quotes};
use proptest::prelude::*;

/// What no statement below has of its own.
const SECRET: &str = "zq7secret";

/// Text with the secret in it, and what makes strings hard to find the end of.
fn secret() -> impl Strategy<Value = String> {
    let part = || "[a-z0-9 '\"\\\\\\\\`$#?;:,()%*/\\-\n\0é]{0,6}";
    (part(), part()).prop_map(|(before, after)| format!("{before}{SECRET}{after}"))
}

/// The text as a literal of a dialect that knows backslashes, or of one that
/// does not.
fn quoted(text: &str, has_backslash: bool) -> String {
    let text = if has_backslash {
        text.replace('\\', "\\\\").replace('\'', "\\'")
    } else {
        text.replace('\'', "''")
    };
    format!("'{text}'")
}

/// A literal with the secret in it, in either dialect.
fn literal() -> impl Strategy<Value = (String, bool)> {
    let prefix = prop::sample::select(vec!["", "N", "_utf8", "x", "b"]);
    let string = (secret(), any::<bool>(), prefix).prop_map(|(text, has_backslash, prefix)| {
        (
            format!("{prefix}{}", quoted(&text, has_backslash)),
            has_backslash,
        )
    });
    let tag = prop::sample::select(vec!["", "q", "body_1"]);
    let dollars = (secret(), tag).prop_filter_map("its own end", |(text, tag)| {
        let text = text.replace('$', "");
        Some((format!("${tag}${text}${tag}$"), false))
    });
    let comment = secret().prop_map(|text| {
        let text = text.replace("*/", "").replace('*', "");
        (format!("1 /* {text} */"), false)
    });
    let line = secret().prop_map(|text| (format!("1 -- {}\n", text.replace('\n', "")), false));
    prop_oneof![6 => string, 2 => dollars, 1 => comment, 1 => line]
}

fn statement() -> impl Strategy<Value = (String, bool)> {
    let pattern = prop::sample::select(vec![
        "SELECT * FROM t WHERE a = §",
        "SELECT a, § AS b FROM \"t\" WHERE c LIKE § ORDER BY 1",
        "INSERT INTO t (a, b) VALUES (§, §), (§, 3)",
        "UPDATE t SET a=§, b = § WHERE `id` IN (§, §, 7) AND c = :c",
        "SELECT CONCAT(§, §) FROM t WHERE d BETWEEN § AND §",
        "CALL p(§, ?, §)",
        "SELECT CASE WHEN a = § THEN § ELSE § END",
        "SELECT a FROM t WHERE b=§ AND c=§ LIMIT 5",
    ]);
    // One statement is of one dialect.
    (
        pattern,
        prop::collection::vec(literal(), 1..4),
        any::<bool>(),
    )
        .prop_map(|(pattern, literals, has_backslash)| {
            let fitting: Vec<&String> = literals
                .iter()
                .filter(|(text, other)| *other == has_backslash || !text.contains('\''))
                .map(|(text, _)| text)
                .collect();
            let mut fitting = fitting.into_iter().cycle();
            let mut statement = String::new();
            for part in pattern.split_inclusive('§') {
                statement.push_str(part.trim_end_matches('§'));
                if part.ends_with('§') {
                    statement.push_str(fitting.next().map_or("5", |it| it));
                }
            }
            (statement, has_backslash)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_literal_of_a_statement_survives((statement, has_backslash) in statement()) {
        let clean = redact::statement(statement.as_bytes());
        let clean = String::from_utf8_lossy(&clean);
        prop_assert!(!clean.contains(SECRET), "{statement:?} became {clean:?}");
        if has_backslash {
            let clean = redact::statement_with(statement.as_bytes(), Quotes::MySql);
            let clean = String::from_utf8_lossy(&clean);
            prop_assert!(!clean.contains(SECRET), "{statement:?} became {clean:?}");
        }
    }

    #[test]
    fn no_number_survives(
        number in 100_000_u64..,
        form in prop::sample::select(vec!["N", "-N", "N.5", "1.N", "Ne10", "0xN", ".N", "N::int", "'N'", "+N"]),
        place in prop::sample::select(vec![
            "SELECT N", "WHERE a=N", "IN (1,N)", "LIMIT N", "VALUES (N)", "a[N:N]", "f(N)", "a+N", "t.a<N", "a BETWEEN N AND N",
        ]),
    ) {
        let literal = form.replace('N', &number.to_string());
        let statement = place.replace("IN (", "~").replace("BETWEEN", "^").replace("AND", "&").replace('N', &literal);
        let statement = statement.replace('~', "IN (").replace('^', "BETWEEN").replace('&', "AND");
        let clean = redact::statement(statement.as_bytes());
        let clean = String::from_utf8_lossy(&clean);
        prop_assert!(!clean.contains(&number.to_string()), "{statement:?} became {clean:?}");
    }

    #[test]
    fn any_bytes_become_a_text_that_ends(bytes in any::<Vec<u8>>(), quotes in any::<bool>()) {
        let quotes = if quotes { Quotes::MySql } else { Quotes::Unknown };
        let clean = redact::statement_with(&bytes, quotes);
        prop_assert!(clean.iter().all(|&byte| byte >= b' '), "{clean:?}");
        prop_assert!(redact::place(&bytes).iter().all(|&byte| byte >= b' '));
    }

    #[test]
    fn of_an_address_only_the_place_survives(
        user in "[a-z@:]{0,5}", query in "[a-z=&#?/:@]{0,9}", path in "(/[a-z]{0,3}){0,3}",
    ) {
        let url = format!("https://{user}{SECRET}@example.org{path}?{query}{SECRET}#{SECRET}");
        let clean = redact::place(url.as_bytes());
        prop_assert_eq!(String::from_utf8_lossy(&clean), format!("https://example.org{path}"));
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
