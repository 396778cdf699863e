//! Admission: what every route refuses before it works.

use std::io::{Seek, SeekFrom, Write};
use std::net::IpAddr;

use axum::http::StatusCode;
use serve::{Scope, routes};

use super::server::{locked, open, run};

fn concrete(path: &str) -> String {
    let path = path.replace("tokens/{id}", "tokens/0011223344556677");
    let path = path.replace("{id}", "00112233445566778899aabbccddeeff");
    path.replace("{app}", "shop")
}

#[test]
fn no_route_reads_a_body_above_its_limit_nor_of_a_stranger() {
    let server = locked();
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            let path = concrete(route.path);
            let boss = format!("Bearer {}", server.tokens[2]);
            // Nothing of the body is there: only its length is told.
            let length = (64_u64 << 20) + 1;
            let length = length.to_string();
            let headers = [
                ("content-length", length.as_str()),
                ("authorization", &boss),
            ];
            let answer = server.send(method, &path, &headers, Vec::new());
            let expected = StatusCode::PAYLOAD_TOO_LARGE;
            assert_eq!(answer.status, expected, "{method} {path}");
            if *scope == Scope::Open {
                continue;
            }
            let answer = server.send(method, &path, &headers[..1], Vec::new());
            let is_refused = matches!(
                answer.status,
                StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS
            );
            assert!(is_refused, "{method} {path}: {}", answer.status);
        }
    }
}

#[test]
fn a_question_has_at_most_64_kib_and_a_login_less() {
    let server = open();
    for (path, most) in [("/api/v1/session", 4 << 10), ("/api/v1/retain", 64 << 10)] {
        for (length, is_taken) in [(most, true), (most + 1, false)] {
            let json = [("content-type", "application/json")];
            let answer = server.send("POST", path, &json, vec![b'x'; length]);
            let is_too_large = answer.status == StatusCode::PAYLOAD_TOO_LARGE;
            assert_eq!(
                is_too_large, !is_taken,
                "{path} {length}: {}",
                answer.status
            );
        }
    }
}

#[test]
fn a_name_of_the_server_has_no_case_and_is_told_once() {
    let server = open();
    let status = |hosts: &[(&str, &str)]| server.send("GET", "/healthz", hosts, Vec::new()).status;
    for host in ["LOCALHOST", "LocalHost:8470", "PROFILES.Example.com"] {
        assert_eq!(status(&[("host", host)]), StatusCode::OK, "{host}");
    }
    let two = [("host", "localhost"), ("host", "evil.example.com")];
    assert_eq!(status(&two), StatusCode::BAD_REQUEST);
    assert_eq!(
        status(&[("host", "evil.example.com")]),
        StatusCode::MISDIRECTED_REQUEST
    );
}

#[test]
fn wrong_tokens_of_a_program_lock_no_browser_out() {
    let server = locked();
    let peer: IpAddr = "192.0.2.7".parse().unwrap();
    let wrong = [("authorization", "Bearer wrong")];
    for _ in 0..12 {
        server.send_from(Some(peer), "GET", "/api/v1/runs", &wrong, Vec::new());
    }
    let blocked = server.send_from(Some(peer), "GET", "/api/v1/runs", &wrong, Vec::new());
    assert_eq!(blocked.status, StatusCode::TOO_MANY_REQUESTS);
    let login = server.log_in_from(Some(peer), &[], &server.tokens[0]);
    assert_eq!(login.status, StatusCode::OK);
    // Nor the other way around.
    for _ in 0..12 {
        server.log_in_from(Some(peer), &[], "x");
    }
    let login = server.log_in_from(Some(peer), &[], &server.tokens[0]);
    assert_eq!(login.status, StatusCode::TOO_MANY_REQUESTS);
    let other: IpAddr = "192.0.2.8".parse().unwrap();
    let wrong = server.send_from(Some(other), "GET", "/api/v1/runs", &wrong, Vec::new());
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn a_token_that_only_sends_runs_keeps_none_for_ever() {
    let server = locked();
    let sent = server.as_owner(1, "POST", "/api/v1/runs", run(1)).json();
    let id = sent["runs"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/runs/{id}/label");
    let label = |token: usize| {
        let bearer = format!("Bearer {}", server.tokens[token]);
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let body = br#"{"label":"keep"}"#.to_vec();
        server.send("PUT", &path, &headers, body).status
    };
    assert_eq!(label(1), StatusCode::FORBIDDEN);
    assert_eq!(label(0), StatusCode::FORBIDDEN);
    assert_eq!(label(2), StatusCode::NO_CONTENT);
}

#[test]
fn a_damaged_database_is_not_ready_and_the_server_is_alive() {
    let server = open();
    server.send("POST", "/api/v1/runs", &[], run(1));
    assert_eq!(server.get("/readyz").status, StatusCode::OK);
    let path = server.folder().join("store/store.sqlite");
    let mut file = std::fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&[b'x'; 16_384]).unwrap();
    // The log still has the pages: what is read must come from the file.
    let log = server.folder().join("store/store.sqlite-wal");
    std::fs::File::options()
        .write(true)
        .open(log)
        .unwrap()
        .set_len(0)
        .unwrap();
    // An answer is told again for a second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let ready = server.get("/readyz");
    assert_eq!(
        ready.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{}",
        ready.text()
    );
    assert_eq!(server.get("/healthz").status, StatusCode::OK);
}
