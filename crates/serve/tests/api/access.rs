//! Tokens: what each may do, and see.

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use serde_json::Value;
use serve::{Scope, routes};

use super::server::locked;

fn concrete(path: &str) -> String {
    let path = path.replace("{id}", "00112233445566778899aabbccddeeff");
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
                let is_refused = match answer.status {
                    StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => true,
                    StatusCode::SEE_OTHER => answer.headers[header::LOCATION] == "/login",
                    _ => false,
                };
                assert!(is_refused, "{method} {}: {}", route.path, answer.status);
            }
        }
    }
    let known = [
        "GET /api/v1/openapi.json",
        "GET /healthz",
        "GET /login",
        "GET /script.js",
        "GET /style.css",
        "POST /login",
        "POST /logout",
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
        format!("/run/{id}"),
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
    assert_eq!(asked.status, StatusCode::FORBIDDEN);
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
