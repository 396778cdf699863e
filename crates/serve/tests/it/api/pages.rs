//! The pages.

use axum::http::{StatusCode, header};

use super::server::{Answer, Server, locked, open, run};

/// The only script of a page.
const SCRIPT: &str = "<script src=\"/script.js\" defer></script>";

/// Two runs of one route; their ids, in the order of time.
fn two_runs(server: &Server) -> [String; 2] {
    [0, 3].map(|number| {
        let answer = server.send("POST", "/api/v1/runs", &[], run(number));
        answer.json()["runs"][0]["id"].as_str().unwrap().to_owned()
    })
}

fn location(answer: &Answer) -> String {
    let place = answer.headers.get(header::LOCATION);
    place.map_or("", |place| place.to_str().unwrap()).to_owned()
}

#[test]
fn names_are_text_on_every_page() {
    let server = open();
    let headers = [
        ("x-xhprof-route", "/<script>alert(1)</script>"),
        ("x-xhprof-app", "a\"b<script>"),
        ("x-xhprof-release", "<script>"),
        ("x-xhprof-tag", "<script>=<script>"),
    ];
    let answer = server.send("POST", "/api/v1/runs", &headers, run(1));
    let id = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        "/",
        "/?q=%3Cscript%3E",
        "/?q=x:%3Cscript%3E",
        "/?q=%3Cscript%3E&before=%3Cscript%3E",
        "/routes",
        "/route",
        "/route?q=route:*script*",
        "/function",
        "/function?name=%3Cscript%3E",
        "/function?name=main()&q=route:*",
        "/compare",
        "/compare?before=%3Cscript%3E&after=x:y",
        "/compare?before=since:9d&after=since:8d",
        "/compare?before=route:*&after=route:*",
        "/login",
        "/regressions",
        "/regressions?route=%3Cscript%3E",
        "/profile-now",
        "/profile-now?url=https://%3Cscript%3E",
        "/profile-now?url=javascript:%3Cscript%3E",
        "/settings",
        "/settings?saved=%3Cscript%3E",
        "/settings/policy",
        "/settings/policy?app=%3Cscript%3E",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        let html = answer.text();
        assert_eq!(html.matches("<script").count(), 1, "{path}: {html}");
        assert!(html.contains(SCRIPT), "{path}");
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(policy.contains("default-src 'none'; script-src 'self'"));
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
    let viewer = server.get(&format!("/run/{id}")).text();
    assert!(viewer.starts_with("viewer of "), "{viewer}");
    assert!(server.get("/tree?q=route:*").text().contains("1 runs"));
    assert_eq!(
        server.get("/script.js").headers[header::CONTENT_TYPE],
        "text/javascript; charset=utf-8"
    );
}

#[test]
fn an_empty_store_says_the_next_command() {
    let server = open();
    for path in ["/", "/routes", "/regressions", "/profile-now", "/settings"] {
        let text = server.get(path).text();
        assert!(text.contains("xhprof push"), "{path}: {text}");
    }
}

#[test]
fn two_runs_are_compared_the_earlier_one_as_the_base() {
    let server = open();
    let [base, new] = two_runs(&server);
    for chosen in [[&base, &new], [&new, &base]] {
        let [one, other] = chosen;
        let answer = server.get(&format!("/compare?run={one}&run={other}"));
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        let expected = format!("/compare/runs?base={base}&new={new}");
        assert_eq!(location(&answer), expected);
    }
    let viewer = server.get(&format!("/compare/runs?base={base}&new={new}"));
    assert!(!viewer.text().contains("base 0"), "{}", viewer.text());
    let one = server.get(&format!("/compare?run={base}"));
    assert_eq!(one.status, StatusCode::BAD_REQUEST);
    assert!(one.text().contains("choose two"));
    let none = format!("/compare/runs?base={base}&new={}", "0".repeat(32));
    assert_eq!(server.get(&none).status, StatusCode::NOT_FOUND);
}

#[test]
fn two_groups_are_compared_as_a_thousand_runs_each() {
    let server = open();
    for number in 0..60 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let page = server.get("/compare?before=route:/cart&after=route:/cart");
    let text = page.text();
    assert!(text.contains("20 runs") && text.contains("p95"), "{text}");
    assert!(
        text.contains("No function changed more than noise does"),
        "{text}"
    );
    assert!(text.contains("/compare/tree?before=route%3A/cart&amp;after=route%3A/cart"));
    let viewer = server.get("/compare/tree?before=route:/cart&after=route:/cart");
    assert!(
        viewer.text().contains("costs of 1000 runs"),
        "{}",
        viewer.text()
    );
    let nothing = server.get("/compare?before=route:/cart&after=route:/none");
    assert!(nothing.text().contains("No run with times matches"));
    let nothing = server.get("/compare/tree?before=route:/cart&after=route:/none");
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);
}

#[test]
fn a_function_has_routes_callers_and_a_trend() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let route = server.get("/route?q=route:/cart").text();
    assert!(route.contains("href=\"/function?name=Repository%3A%3Afind&amp;q=route%3A/cart\""));
    let text = server.get("/function?name=Repository%3A%3Afind").text();
    assert!(text.contains("Callers") && text.contains("/cart"), "{text}");
    let none = server.get("/function?name=none").text();
    assert!(none.contains("No run of this filter calls the function"));
}

#[test]
fn only_an_admin_sees_the_secret_and_the_tokens() {
    let server = locked();
    for (token, is_shown) in [(0, false), (2, true)] {
        let page = server.as_owner(token, "GET", "/profile-now", Vec::new());
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.text().contains("hush"), is_shown, "{token}");
        let page = server.as_owner(token, "GET", "/settings", Vec::new());
        assert_eq!(page.text().contains("reader"), is_shown, "{token}");
        assert!(!page.text().contains(&server.tokens[0]));
    }
}

#[test]
fn a_refused_upload_is_shown_with_its_reason() {
    let server = open();
    server.send("POST", "/api/v1/runs", &[], b"<script>".to_vec());
    let text = server.get("/settings").text();
    assert!(text.contains("Refused at"), "{text}");
}

#[test]
fn the_settings_show_how_long_runs_are_kept() {
    let server = open();
    server.send("POST", "/api/v1/runs", &[], run(1));
    let policy = store::Policy {
        runs: Some(12_345),
        ..store::Policy::default()
    };
    server
        .store
        .set_policy(Some("shop"), Some(&policy))
        .unwrap();
    let text = server.get("/settings").text();
    assert!(
        text.contains("12,345") && text.contains("20.0 GiB"),
        "{text}"
    );
}

#[test]
fn a_session_has_a_button_that_ends_it() {
    let server = locked();
    let form = format!("token={}", server.tokens[0]).into_bytes();
    let answer = server.send("POST", "/login", &[], form);
    let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let page = server.send("GET", "/", &[("cookie", cookie)], Vec::new());
    assert!(page.text().contains("action=\"/logout\""));
    let bearer = server.as_owner(0, "GET", "/", Vec::new());
    assert!(!bearer.text().contains("/logout"));
}
