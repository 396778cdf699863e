//! Tokens of the store, and the sessions of browsers, on several servers.

use axum::http::StatusCode;
use serve::new_token;

use super::server::{Answer, Server, locked, open, run};

const JSON: (&str, &str) = ("content-type", "application/json");

fn ask(server: &Server, token: &str, method: &str, path: &str, body: &str) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", &*bearer), JSON];
    server.send(method, path, &headers, body.into())
}

fn make(server: &Server, token: &str, body: &str) -> (String, String) {
    let answer = ask(server, token, "POST", "/api/v1/tokens", body);
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let text = |name: &str| answer.json()[name].as_str().unwrap().to_owned();
    (text("token"), text("id"))
}

fn with_cookie(server: &Server, cookie: &str, path: &str) -> StatusCode {
    server
        .send("GET", path, &[("cookie", cookie)], Vec::new())
        .status
}

#[test]
fn a_token_of_the_store_works_on_all_servers_until_it_is_removed() {
    let server = locked();
    let other = server.another();
    let boss = server.tokens[2].clone();
    let (secret, id) = make(
        &server,
        &boss,
        r#"{"name":"ci","scopes":["write"],"app":"shop"}"#,
    );
    assert!(!format!("{:?}", server.store.tokens().unwrap()).contains(&secret));
    for server in [&server, &other] {
        let bearer = format!("Bearer {secret}");
        let headers = [("authorization", &*bearer), ("x-xhprof-app", "blog")];
        let sent = server.send("POST", "/api/v1/runs", &headers, run(1));
        assert_eq!(sent.status, StatusCode::CREATED);
        assert_eq!(
            ask(server, &secret, "GET", "/api/v1/runs", "").status,
            StatusCode::FORBIDDEN
        );
        for wrong in [
            &secret[..secret.len() - 1],
            &secret.replace(&id, "0011223344556677"),
            &id,
        ] {
            let answer = ask(server, wrong, "POST", "/api/v1/runs", "");
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
        }
    }
    assert_eq!(server.store.apps().unwrap()[0].name, "shop");
    let removed = ask(
        &server,
        &boss,
        "DELETE",
        &format!("/api/v1/tokens/{id}"),
        "",
    );
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    let again = ask(
        &server,
        &boss,
        "DELETE",
        &format!("/api/v1/tokens/{id}"),
        "",
    );
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    let sent = ask(&server, &secret, "POST", "/api/v1/runs", "");
    assert_eq!(sent.status, StatusCode::UNAUTHORIZED);
    // Another server reads its row again after five seconds; a new one at once.
    let sent = ask(&server.another(), &secret, "POST", "/api/v1/runs", "");
    assert_eq!(sent.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn a_session_is_known_to_all_servers_and_ends_with_its_token() {
    let server = locked();
    let boss = server.tokens[2].clone();
    let (secret, id) = make(
        &server,
        &boss,
        r#"{"name":"team","scopes":["read"],"days":1}"#,
    );
    let [short, long, of_file] = [&secret, &secret, &boss].map(|token| server.cookie(token));
    for cookie in [&short, &long, &of_file] {
        assert_eq!(
            with_cookie(&server.another(), cookie, "/routes"),
            StatusCode::OK
        );
    }
    // A session is no token, and a token no session.
    let session = short.split('=').nth(1).unwrap();
    let answer = ask(&server, session, "GET", "/api/v1/runs", "");
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    let wrong = format!("xhprof_session={secret}");
    assert_eq!(
        with_cookie(&server, &wrong, "/routes"),
        StatusCode::UNAUTHORIZED
    );
    let other = server.another();
    other.send(
        "DELETE",
        "/api/v1/session",
        &[("cookie", &short)],
        Vec::new(),
    );
    let fresh = server.another();
    assert_eq!(
        with_cookie(&fresh, &short, "/routes"),
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(with_cookie(&fresh, &long, "/routes"), StatusCode::OK);
    server.store.remove_token(&id).unwrap();
    let fresh = server.another();
    assert_eq!(
        with_cookie(&fresh, &long, "/routes"),
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(with_cookie(&fresh, &of_file, "/routes"), StatusCode::OK);
}

#[test]
fn a_token_ends_in_time() {
    let server = locked();
    let (secret, row) = new_token("old", "read", None, Some(1_793_491_200_000_000)).unwrap();
    server.store.add_token(&row).unwrap();
    let answer = ask(&server, &secret, "GET", "/api/v1/runs", "");
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn the_administrator_of_an_application_makes_and_removes_its_tokens_only() {
    let (server, owner) = locked().with_owner_of_shop();
    let (own, boss) = (server.tokens[owner].clone(), server.tokens[2].clone());
    let (secret, id) = make(&server, &own, r#"{"name":"a","scopes":["read","write"]}"#);
    assert_eq!(
        server.store.token(&id).unwrap().unwrap().app.as_deref(),
        Some("shop")
    );
    let (_, of_all) = make(&server, &boss, r#"{"name":"b","scopes":["read"]}"#);
    let answer = ask(
        &server,
        &own,
        "DELETE",
        &format!("/api/v1/tokens/{of_all}"),
        "",
    );
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let listed = ask(&server, &own, "GET", "/api/v1/tokens", "").text();
    assert!(listed.contains(&id) && !listed.contains(&of_all) && !listed.contains("boss"));
    let listed = ask(&server, &boss, "GET", "/api/v1/tokens", "").text();
    assert!(listed.contains(&of_all) && listed.contains("boss") && !listed.contains(&secret));
    for body in [
        r#"{"name":"x","scopes":["read"],"app":"blog"}"#,
        r#"{"name":"x","scopes":["all"]}"#,
        r#"{"name":"x","scopes":[]}"#,
        r#"{"name":"","scopes":["read"]}"#,
        r#"{"name":"x","scopes":["read"],"days":0}"#,
        r#"{"name":"x","scopes":["read"],"days":4294967295}"#,
        r#"{"name":"x","scopes":["read"],"hash":"00"}"#,
    ] {
        let answer = ask(&server, &own, "POST", "/api/v1/tokens", body);
        assert!(answer.status.is_client_error(), "{body}: {}", answer.status);
    }
    // Those of the file are not removed here.
    let tokens = ask(&server, &boss, "GET", "/api/v1/tokens", "").json();
    let tokens = tokens.as_array().unwrap();
    let in_file = tokens
        .iter()
        .find(|token| token["is_in_file"] == true)
        .unwrap();
    let path = format!("/api/v1/tokens/{}", in_file["id"].as_str().unwrap());
    assert_eq!(
        ask(&server, &boss, "DELETE", &path, "").status,
        StatusCode::CONFLICT
    );
    assert_eq!(
        ask(&server, &secret, "GET", "/api/v1/runs", "").status,
        StatusCode::OK
    );
    // A server without login makes none: any program could.
    let answer = open().send(
        "POST",
        "/api/v1/tokens",
        &[JSON],
        br#"{"name":"x","scopes":["admin"]}"#.to_vec(),
    );
    assert_eq!(answer.status, StatusCode::CONFLICT);
}
