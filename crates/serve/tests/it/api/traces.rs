//! From a trace to its run, and back.

use axum::http::{StatusCode, header};

use super::server::{locked, open, run};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

fn place(answer: &super::server::Answer) -> &str {
    assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT);
    answer.headers[header::LOCATION].to_str().unwrap()
}

#[test]
fn a_trace_opens_its_run_and_the_run_its_trace() {
    let server = open();
    let list = format!("/runs?q=tag.trace_id%3A{TRACE}");
    let link = format!("/trace/{TRACE}");
    assert_eq!(place(&server.get(&link)), list, "it may be on its way");
    let tag = format!("trace_id={TRACE}");
    let stored = server
        .send("POST", "/api/v1/runs", &[("x-xhprof-tag", &tag)], run(1))
        .json();
    let id = stored["runs"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(place(&server.get(&link)), format!("/run/{id}"));
    assert_eq!(
        place(&server.get(&link.to_uppercase().replace("/TRACE", "/trace"))),
        format!("/run/{id}")
    );
    let page = server.get(&format!("/api/v1/pages/run/{id}")).json();
    assert_eq!(page["trace"], format!("https://tempo.example.com/{TRACE}"));
    server.send("POST", "/api/v1/runs", &[("x-xhprof-tag", &tag)], run(2));
    assert_eq!(place(&server.get(&link)), list);
    let found = server
        .get(&format!("/api/v1/runs?q=tag.trace_id:{TRACE}"))
        .json();
    assert_eq!(found["runs"].as_array().unwrap().len(), 2);

    let other = server.send("POST", "/api/v1/runs", &[], run(3)).json();
    let other = other["runs"][0]["id"].as_str().unwrap().to_owned();
    let page = server.get(&format!("/api/v1/pages/run/{other}")).json();
    assert!(page["trace"].is_null());
    // A tag is text that a program sent: no part of an address unless it is an id.
    let tag = "trace_id=javascript:alert(1)";
    let wrong = server
        .send("POST", "/api/v1/runs", &[("x-xhprof-tag", tag)], run(4))
        .json();
    let wrong = wrong["runs"][0]["id"].as_str().unwrap().to_owned();
    let page = server.get(&format!("/api/v1/pages/run/{wrong}")).json();
    assert!(page["trace"].is_null());
    for link in ["/trace/*", "/trace/0000", "/trace/xyz"] {
        assert_eq!(server.get(link).status, StatusCode::BAD_REQUEST, "{link}");
    }
}

#[test]
fn zeros_in_front_may_be_left_out() {
    let server = open();
    let tag = format!("trace_id={:0>32}", "77b34da6a3ce929d");
    server.send("POST", "/api/v1/runs", &[("x-xhprof-tag", &tag)], run(1));
    assert!(place(&server.get("/trace/77b34da6a3ce929d")).starts_with("/run/"));
}

#[test]
fn a_trace_needs_a_login() {
    let server = locked();
    assert_eq!(
        server.get(&format!("/trace/{TRACE}")).status,
        StatusCode::UNAUTHORIZED
    );
}
