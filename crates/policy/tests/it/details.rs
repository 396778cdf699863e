//! Which functions have details, and what is kept of their texts.

use policy::naming::details::Argument::{At, FromEnd};
use policy::naming::details::{
    Detail, Name, Text, command, command_of, detail_of, dialect, dialect_of_driver, is_local,
    kind_of_curl, kind_of_url,
};
use profile::SpanKind;
use redact::Dialect;

fn text_of(function: &str) -> Option<Text> {
    match detail_of(function.as_bytes())? {
        Detail::Waits { text, .. } => Some(text),
        Detail::Prepares { .. } => None,
    }
}

#[test]
fn statements_are_where_php_has_them() {
    assert_eq!(text_of("PDO::query"), Some(Text::Statement(At(0))));
    assert_eq!(text_of("mysqli_query"), Some(Text::Statement(At(1))));
    assert_eq!(
        text_of("pg_query_params"),
        Some(Text::Statement(FromEnd(2)))
    );
    assert_eq!(text_of("PDOStatement::execute"), Some(Text::QueryString));
    assert_eq!(text_of("strlen"), None);
    // Names of functions are compared as PHP declares them.
    assert_eq!(text_of("pdo::query"), None);
    let found = detail_of(b"mysqli_prepare");
    assert_eq!(
        found,
        Some(Detail::Prepares {
            statement: At(1),
            name: Name::Result
        })
    );
}

#[test]
fn arguments_count_from_either_end() {
    assert_eq!(At(1).index(0), Some(1));
    assert_eq!(FromEnd(1).index(2), Some(1));
    assert_eq!(FromEnd(2).index(2), Some(0));
    // `pg_query($sql)` has no connection.
    assert_eq!(FromEnd(2).index(1), None);
}

#[test]
fn methods_of_clients_are_commands_unless_they_stay_local() {
    assert_eq!(text_of("Redis::hGetAll"), Some(Text::Command));
    assert_eq!(text_of("Redis::rawCommand"), Some(Text::CommandIn(At(0))));
    assert_eq!(
        text_of("RedisCluster::rawcommand"),
        Some(Text::CommandIn(At(1)))
    );
    assert_eq!(text_of("Memcached::get"), Some(Text::Command));
    for local in [
        "Redis::getHost",
        "Redis::__construct",
        "Memcached::setOption",
        "Redis",
        "::get",
    ] {
        assert_eq!(text_of(local), None, "{local}");
    }
    assert_eq!(command_of(b"Redis::hGetAll"), b"HGETALL");
    assert_eq!(command_of(b"hget"), b"HGET");
}

#[test]
fn a_raw_command_is_kept_only_if_it_is_a_plain_word() {
    assert_eq!(command(b"hgetall").as_deref(), Some(&b"HGETALL"[..]));
    for private in [
        &b""[..],
        b"SET secret",
        b"GET\0",
        b"key:1",
        b"\xc3\xa4",
        &[b'A'; 33],
    ] {
        assert_eq!(command(private), None, "{}", private.escape_ascii());
    }
    assert!(command(&[b'a'; 32]).is_some());
}

#[test]
fn the_scheme_decides_about_a_url() {
    for (url, kind) in [
        ("https://x/", Some(SpanKind::Http)),
        ("HTTP://x", Some(SpanKind::Http)),
        ("ftp://x", Some(SpanKind::Stream)),
        ("ssh2.sftp://x", Some(SpanKind::Stream)),
        ("php://memory", None),
        ("file:///etc/passwd", None),
        ("/tmp/http://x", None),
        ("data.txt", None),
        ("", None),
    ] {
        assert_eq!(kind_of_url(url.as_bytes()), kind, "{url}");
    }
}

#[test]
fn curl_takes_a_url_without_a_scheme_for_http() {
    assert_eq!(kind_of_curl(b"example.com/x"), SpanKind::Http);
    assert_eq!(kind_of_curl(b"https://x"), SpanKind::Http);
    assert_eq!(kind_of_curl(b"smtp://x"), SpanKind::Stream);
    assert!(is_local(b"FILE:///etc/passwd"));
    assert!(!is_local(b"files") && !is_local(b"") && !is_local(b"http"));
}

#[test]
fn the_dialect_is_that_of_the_driver() {
    assert_eq!(dialect(b"mysqli_query"), Some(Dialect::MySql));
    assert_eq!(dialect(b"mysqli_stmt::execute"), Some(Dialect::MySql));
    assert_eq!(dialect(b"pg_query"), Some(Dialect::Postgres));
    assert_eq!(dialect(b"SQLite3::query"), Some(Dialect::Sqlite));
    assert_eq!(dialect(b"PDO::query"), None);
    assert_eq!(dialect_of_driver(b"pgsql"), Dialect::Postgres);
    assert_eq!(dialect_of_driver(b"oci"), Dialect::Unknown);
    assert_eq!(dialect_of_driver(b""), Dialect::Unknown);
}
