//! Tokens: what each may do, and see.

use std::collections::BTreeSet;
use std::net::IpAddr;

use axum::http::StatusCode;
use serde_json::Value;
use serve::{Scope, routes};

use super::server::locked;

fn concrete(path: &str) -> String {
    let path = path.replace("tokens/{id}", "tokens/0011223344556677");
    let path = path.replace("{id}", "00112233445566778899aabbccddeeff");
    let path = path.replace("{part}", "tokens").replace("{name}", "x");
    path.replace("{app}", "shop")
}

#[test]
fn no_route_is_open_to_a_stranger() {
    let server = locked();
    let mut open = BTreeSet::new();
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            if *scope == Scope::Open {
                open.insert(format!("{method} {}", route.path));
                continue;
            }
            for headers in [
                &[][..],
                &[("authorization", "Bearer wrong")],
                &[("authorization", "Basic Zm9vOmJhcg==")],
                &[("cookie", "xhprof_session=x")],
            ] {
                let answer = server.send(method, &concrete(route.path), headers, Vec::new());
                let is_refused = matches!(
                    answer.status,
                    StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS
                );
                assert!(is_refused, "{method} {}: {}", route.path, answer.status);
            }
        }
    }
    let known = [
        "DELETE /api/v1/session",
        "GET /api/v1/openapi.json",
        "GET /assets/{name}",
        "GET /healthz",
        "GET /login",
        "GET /readyz",
        "POST /api/v1/session",
    ];
    assert_eq!(open, known.map(str::to_owned).into());
}

#[test]
fn a_token_does_what_its_scopes_say() {
    let server = locked();
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            for (token, scopes) in [
                (0, &[Scope::Read][..]),
                (1, &[Scope::Write]),
                (2, &[Scope::Read, Scope::Write, Scope::Admin]),
            ] {
                if *scope == Scope::Open {
                    continue;
                }
                let answer = server.as_owner(token, method, &concrete(route.path), Vec::new());
                let is_refused = answer.status == StatusCode::FORBIDDEN;
                assert_eq!(
                    is_refused,
                    !scopes.contains(scope),
                    "{method} {} {token}",
                    route.path
                );
                assert!(!answer.status.is_server_error(), "{method} {}", route.path);
            }
        }
    }
}

#[test]
fn a_token_of_an_application_sees_and_writes_no_other() {
    let server = locked();
    let mut other = profile::Profile::empty();
    other.meta.set_tag("app", "other");
    let mut bytes = Vec::new();
    profile::native::write(&other, &mut bytes).unwrap();
    let answer = server.as_owner(2, "POST", "/api/v1/runs", bytes.clone());
    let id = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/api/v1/runs/{id}"),
        format!("/api/v1/runs/{id}/file"),
        format!("/api/v1/pages/run/{id}"),
    ] {
        assert_eq!(
            server.as_owner(2, "GET", &path, Vec::new()).status,
            StatusCode::OK,
            "{path}"
        );
        assert_eq!(
            server.as_owner(3, "GET", &path, Vec::new()).status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let listed = server.as_owner(3, "GET", "/api/v1/runs", Vec::new()).json();
    assert_eq!(listed["runs"], Value::Array(Vec::new()));
    assert_eq!(
        server.as_owner(3, "GET", "/api/v1/apps", Vec::new()).json(),
        Value::Array(Vec::new())
    );
    let asked = server.as_owner(3, "GET", "/api/v1/routes?q=app:other", Vec::new());
    assert_eq!(asked.status, StatusCode::NOT_FOUND);
    // What it sends is its own, whatever the profile says.
    assert_eq!(
        server.as_owner(3, "POST", "/api/v1/runs", bytes).status,
        StatusCode::CREATED
    );
    let listed = server.as_owner(3, "GET", "/api/v1/runs", Vec::new()).json();
    assert_eq!(listed["runs"][0]["app"], "shop");
    // Totals of all applications are not for it.
    for path in ["/metrics", "/api/v1/stats"] {
        assert_eq!(
            server.as_owner(3, "GET", path, Vec::new()).status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
}

#[test]
fn wrong_tokens_make_only_their_sender_wait() {
    let server = locked();
    let local: Option<IpAddr> = "127.0.0.1".parse().ok();
    let ask = |client: &str, token: &str| {
        let headers = [
            ("authorization", &*format!("Bearer {token}")),
            ("x-forwarded-for", client),
        ];
        let answer = server.send_from(local, "GET", "/api/v1/runs", &headers, Vec::new());
        answer.status
    };
    for _ in 0..10 {
        assert_eq!(ask("192.0.2.1", "wrong"), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(ask("192.0.2.1", "wrong"), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(ask("192.0.2.2", "wrong"), StatusCode::UNAUTHORIZED);
    // A proxy on another machine that the server knows, and one that it does not know.
    let from = |peer: &str, client: &str| {
        let headers = [
            ("authorization", "Bearer wrong"),
            ("x-forwarded-for", client),
        ];
        let peer = peer.parse().ok();
        let answer = server.send_from(peer, "GET", "/api/v1/runs", &headers, Vec::new());
        answer.status
    };
    for number in 0..20 {
        let client = format!("198.51.100.{number}");
        assert_eq!(from("203.0.113.5", &client), StatusCode::UNAUTHORIZED);
        let expected = if number < 10 {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::TOO_MANY_REQUESTS
        };
        assert_eq!(from("203.0.113.77", &client), expected);
    }
    // Other programs behind the same address have their right tokens.
    assert_eq!(ask("192.0.2.1", &server.tokens[0]), StatusCode::OK);
    let log_in = |client: &str, headers: &[(&str, &str)]| {
        let headers = [&[("x-forwarded-for", client)], headers].concat();
        server.log_in_from(local, &headers, &server.tokens[0])
    };
    // Nor do they lock the browsers behind it out.
    assert_eq!(log_in("192.0.2.1", &[]).status, StatusCode::OK);
    let cookie = |headers| {
        let answer = log_in("192.0.2.3", headers);
        assert_eq!(answer.status, StatusCode::OK);
        answer.headers["set-cookie"].to_str().unwrap().to_owned()
    };
    assert!(!cookie(&[]).contains("Secure"));
    assert!(cookie(&[("x-forwarded-proto", "https")]).contains("; Secure"));
}
