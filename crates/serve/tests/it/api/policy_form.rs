//! The form of a policy on the settings page, as a browser without scripts
//! sends it.

use axum::http::{StatusCode, header};

use super::server::{Answer, Server, locked, open, run};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// The fields of a policy that keeps ten runs.
const TEN: &str = "days=&runs=10&bytes=1+GiB&notable=0&keep_notable_days=9&sums_days=800";

fn post(server: &Server, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = [&[FORM], headers].concat();
    server.send("POST", "/settings/policy", &headers, body.into())
}

/// Logs a token in; returns the cookie.
fn session(server: &Server, token: usize) -> String {
    let form = format!("token={}", server.tokens[token]);
    let answer = server.send("POST", "/login", &[FORM], form.into());
    let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

fn value<'a>(html: &'a str, name: &str) -> &'a str {
    let (_, rest) = html
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap();
    rest.split('"').next().unwrap()
}

#[test]
fn a_policy_is_saved_counted_and_taken_back() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let settings = server.get("/settings").text();
    assert!(settings.contains("/settings/policy?app=shop"), "{settings}");
    let html = server.get("/settings/policy?app=shop").text();
    assert_eq!(
        (value(&html, "days"), value(&html, "bytes")),
        ("30", "20 GiB")
    );
    assert!(!html.contains("value=\"reset\""), "{html}");

    let counted = post(&server, &[], &format!("app=shop&action=count&{TEN}"));
    assert_eq!(counted.status, StatusCode::OK);
    let html = counted.text();
    assert!(html.contains("It would remove 20 runs of "), "{html}");
    assert!(html.contains("(20 too many)"), "{html}");
    assert_eq!(value(&html, "runs"), "10");
    assert_eq!(server.store.policies().unwrap(), store::Policies::default());

    let saved = post(&server, &[], &format!("app=shop&action=save&{TEN}"));
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text());
    let place = saved.headers[header::LOCATION].to_str().unwrap();
    let shown = server.get(place.split('#').next().unwrap()).text();
    assert!(shown.contains("The policy of shop is saved."), "{shown}");
    let policies = server.store.policies().unwrap();
    assert_eq!(policies.of("shop").runs, Some(10));
    assert_eq!(policies.of("shop").days, None);
    assert_eq!(policies.of("shop").bytes, Some(1 << 30));
    assert_eq!(policies.default, store::Policy::default());
    assert_eq!(server.store.stats().unwrap().runs, 30);

    // The default counts the applications without a policy of their own.
    let html = post(&server, &[], &format!("action=count&{TEN}")).text();
    assert!(html.contains("It would remove no run now"), "{html}");
    post(&server, &[], &format!("action=save&{TEN}"));
    assert!(server.store.policies().unwrap().is_default_set);

    let html = server.get("/settings/policy?app=shop").text();
    assert!(html.contains("Remove this policy"), "{html}");
    let answer = post(&server, &[], "app=shop&action=reset");
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    post(&server, &[], "action=reset");
    assert_eq!(server.store.policies().unwrap(), store::Policies::default());
    // A form without a button, as Enter may send it, changes nothing.
    post(&server, &[], &format!("app=shop&{TEN}"));
    assert_eq!(server.store.policies().unwrap(), store::Policies::default());
}

#[test]
fn each_wrong_field_has_its_reason_beside_it() {
    let server = open();
    let sent = "app=shop&action=save&days=0&runs=many&bytes=%3Cscript%3E&notable=10001\
                &keep_notable_days=&sums_days=1";
    let answer = post(&server, &[], sent);
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    let html = answer.text();
    for (name, reason) in [
        ("days", "0 would remove everything"),
        ("runs", "not a whole number"),
        ("bytes", "not a size"),
        ("keep_notable_days", "not a whole number"),
    ] {
        let mark = format!("<p class=\"error\" id=\"{name}-wrong\">{reason}");
        assert!(html.contains(&mark), "{name}: {html}");
        assert!(html.contains(&format!("aria-describedby=\"{name}-wrong {name}-hint\"")));
    }
    assert!(!html.contains("id=\"sums_days-wrong\""));
    assert_eq!((value(&html, "runs"), value(&html, "days")), ("many", "0"));
    assert_eq!(value(&html, "bytes"), "&lt;script&gt;");
    assert_eq!(server.store.policies().unwrap(), store::Policies::default());
    // What only the store refuses is said, too.
    let long = format!("app={}&action=save&{TEN}", "x".repeat(2000));
    let answer = post(&server, &[], &long);
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.text().contains("at most 1024 bytes"));
    let kind = [("content-type", "text/plain")];
    let answer = server.send("POST", "/settings/policy", &kind, TEN.into());
    assert!(answer.status.is_client_error());
}

#[test]
fn a_session_proves_with_the_forms_token_that_its_page_was_sent() {
    let server = locked();
    let cookie = session(&server, 2);
    let cookie = ("cookie", cookie.as_str());
    let html = server.send("GET", "/settings/policy?app=shop", &[cookie], Vec::new());
    let html = html.text();
    let csrf = value(&html, "csrf");
    assert_eq!(csrf.len(), 43);
    let body = format!("app=shop&action=save&{TEN}");
    let other = value(
        &server
            .send(
                "GET",
                "/settings/policy",
                &[("cookie", &session(&server, 2))],
                Vec::new(),
            )
            .text(),
        "csrf",
    )
    .to_owned();
    for wrong in [
        body.clone(),
        format!("csrf=&{body}"),
        format!("csrf={other}&{body}"),
        format!("{body}&x=csrf={csrf}"),
    ] {
        let answer = post(&server, &[cookie], &wrong);
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{wrong}");
    }
    // The header counts alone if it is there.
    let right = format!("csrf={csrf}&{body}");
    let answer = post(&server, &[cookie, ("x-csrf-token", "no")], &right);
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let other_site = ("origin", "https://evil.example.com");
    let answer = post(&server, &[cookie, other_site], &right);
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let long = format!("{right}&x={}", "x".repeat(65 << 10));
    let answer = post(&server, &[cookie], &long);
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    // A browser gets a page, not JSON.
    let page = ("accept", "text/html");
    let answer = post(&server, &[cookie, page], &body);
    assert!(
        answer.text().contains("reload the page"),
        "{}",
        answer.text()
    );
    assert!(answer.text().starts_with("<!doctype html>"));
    assert_eq!(server.store.policies().unwrap(), store::Policies::default());
    let answer = post(&server, &[cookie], &right);
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(server.store.policies().unwrap().of("shop").runs, Some(10));
}

#[test]
fn only_an_admin_gets_the_form_and_only_for_its_application() {
    let (server, owner) = locked().with_owner_of_shop();
    let get = |token, path| server.as_owner(token, "GET", path, Vec::new());
    assert_eq!(
        get(0, "/settings/policy?app=shop").status,
        StatusCode::FORBIDDEN
    );
    assert!(!get(0, "/settings").text().contains("/settings/policy"));
    assert_eq!(
        get(owner, "/settings/policy?app=shop").status,
        StatusCode::OK
    );
    for (path, status) in [
        ("/settings/policy?app=blog", StatusCode::NOT_FOUND),
        ("/settings/policy", StatusCode::FORBIDDEN),
    ] {
        assert_eq!(get(owner, path).status, status, "{path}");
    }
    let bearer = format!("Bearer {}", server.tokens[owner]);
    let bearer = ("authorization", bearer.as_str());
    for (app, status) in [
        ("app=shop", StatusCode::SEE_OTHER),
        ("app=blog", StatusCode::NOT_FOUND),
        ("app=", StatusCode::FORBIDDEN),
    ] {
        let answer = post(&server, &[bearer], &format!("{app}&action=save&{TEN}"));
        assert_eq!(answer.status, status, "{app}");
    }
    // An application without runs is listed by its policy, to those who may see it.
    let policy = store::Policy::default();
    server
        .store
        .set_policy(Some("blog"), Some(&policy))
        .unwrap();
    assert!(get(2, "/settings").text().contains("policy?app=blog"));
    assert!(!get(owner, "/settings").text().contains("blog"));
}
