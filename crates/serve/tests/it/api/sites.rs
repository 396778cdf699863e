//! Other names, other sites, and the session of a browser.

use axum::http::{StatusCode, header};

use super::server::{locked, open, run};

#[test]
fn other_names_and_other_sites_are_refused() {
    let server = open();
    for (host, status) in [
        ("localhost:8470", 200),
        ("127.0.0.1:8470", 200),
        ("[::1]:8470", 200),
        ("profiles.example.com", 200),
        ("PROFILES.example.com:443", 200),
        ("evil.example.com", 421),
        ("localhost.evil.example.com", 421),
        ("", 421),
    ] {
        let answer = server.send("GET", "/api/v1/stats", &[("host", host)], Vec::new());
        assert_eq!(answer.status.as_u16(), status, "{host}");
    }
    for (origin, is_taken) in [
        ("http://localhost:8470", true),
        ("http://localhost:9999", false),
        ("http://evil.example.com", false),
        ("null", false),
    ] {
        let answer = server.send("POST", "/api/v1/runs", &[("origin", origin)], run(1));
        assert_eq!(answer.status == StatusCode::CREATED, is_taken, "{origin}");
    }
    let answer = server.send(
        "POST",
        "/api/v1/runs",
        &[("sec-fetch-site", "cross-site")],
        run(1),
    );
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[test]
fn a_browser_logs_in_and_needs_its_csrf_token_for_changes() {
    let server = locked();
    let wrong = server.log_in_from(None, &[], "wrong");
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    let answer = server.log_in_from(None, &[], &server.tokens[2]);
    assert_eq!(answer.status, StatusCode::OK);
    let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let cookie = cookie.split(';').next().unwrap();
    let get = server.send("GET", "/api/v1/session", &[("cookie", cookie)], Vec::new());
    assert_eq!(get.status, StatusCode::OK);
    let csrf = get.json()["csrf"].as_str().unwrap().to_owned();
    assert_eq!(answer.json()["csrf"], csrf);
    assert_eq!(csrf.len(), 43);
    let other_site = [("origin", "https://evil.example.com")];
    let other = server.log_in_from(None, &other_site, &server.tokens[2]);
    assert_eq!(other.status, StatusCode::FORBIDDEN);
    let post =
        |headers: &[(&str, &str)]| server.send("POST", "/api/v1/runs", headers, run(1)).status;
    assert_eq!(post(&[("cookie", cookie)]), StatusCode::FORBIDDEN);
    assert_eq!(
        post(&[("cookie", cookie), ("x-csrf-token", "x")]),
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        post(&[("cookie", cookie), ("x-csrf-token", &csrf)]),
        StatusCode::CREATED
    );
    // A token of a session is not that of another.
    let another = server.cookie(&server.tokens[2]);
    assert_eq!(
        post(&[("cookie", &another), ("x-csrf-token", &csrf)]),
        StatusCode::FORBIDDEN
    );
    let ended = [("cookie", cookie)];
    let ended = server.send("DELETE", "/api/v1/session", &ended, Vec::new());
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert!(
        ended.headers[header::SET_COOKIE]
            .to_str()
            .unwrap()
            .contains("Max-Age=0")
    );
    assert_eq!(
        server
            .send("GET", "/api/v1/stats", &[("cookie", cookie)], Vec::new())
            .status,
        StatusCode::UNAUTHORIZED
    );
}
