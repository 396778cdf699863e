//! What is sent, by our clients and by those of other tools.

use std::collections::BTreeSet;
use std::io::Write;

use axum::http::StatusCode;

use super::server::{locked, open, run, server};

#[test]
fn a_run_that_is_sent_twice_is_stored_once_however_it_is_packed() {
    let server = open();
    let file = run(1);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&file).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::bulk::compress(&file, 3).unwrap();
    let first = server.send("POST", "/api/v1/runs", &[], file.clone());
    assert_eq!(first.status, StatusCode::CREATED);
    assert_eq!(first.json()["runs"][0]["is_new"], true);
    for body in [file.clone(), gzip, zstd] {
        let again = server.send("POST", "/api/v1/runs", &[], body);
        assert_eq!(again.status, StatusCode::CREATED);
        assert_eq!(again.json()["runs"][0]["is_new"], false);
        assert_eq!(again.json()["runs"][0]["id"], first.json()["runs"][0]["id"]);
    }
    assert_eq!(server.store.stats().unwrap().runs, 1);
    let id = first.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/api/v1/runs/{id}/file")).body, file);
}

#[test]
fn several_files_may_be_sent_at_once() {
    let server = open();
    let mut body = Vec::new();
    for number in 0..3 {
        body.extend_from_slice(
            b"--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n",
        );
        body.extend_from_slice(&run(number));
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    let kind = ("content-type", "multipart/form-data; boundary=x");
    let answer = server.send("POST", "/api/v1/runs", &[kind], body);
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    assert_eq!(server.store.stats().unwrap().runs, 3);
    let empty = server.send("POST", "/api/v1/runs", &[kind], b"--x--\r\n".to_vec());
    assert_eq!(empty.status, StatusCode::BAD_REQUEST);
}

#[test]
fn headers_replace_what_a_profile_says() {
    let server = open();
    let headers = [
        ("x-xhprof-app", "blog"),
        ("x-xhprof-route", "/größe"),
        ("x-xhprof-release", "7"),
        ("x-xhprof-rate", "0.01"),
        ("x-xhprof-host", "web9"),
        ("x-xhprof-tag", "branch=main"),
    ];
    server.send("POST", "/api/v1/runs", &headers, run(1));
    let found = server
        .get("/api/v1/runs?q=app:blog%20tag.branch:main")
        .json();
    let run = &found["runs"][0];
    assert_eq!(
        (run["route"].as_str(), run["release"].as_str()),
        (Some("/größe"), Some("7"))
    );
    assert_eq!(
        (run["host"].as_str(), run["rate"].as_f64()),
        (Some("web9"), Some(0.01))
    );
    let bad = server.send(
        "POST",
        "/api/v1/runs",
        &[("x-xhprof-tag", "x")],
        run_bytes(),
    );
    assert_eq!(bad.status, StatusCode::BAD_REQUEST);
}

fn run_bytes() -> Vec<u8> {
    run(2)
}

#[test]
fn bad_uploads_are_refused_with_a_reason() {
    let server = open();
    let mut broken = run(1);
    broken.truncate(100);
    let bomb = zstd::bulk::compress(&vec![b'a'; 700 << 20], 1).unwrap();
    for (body, reason) in [
        (Vec::new(), "empty"),
        (b"hello".to_vec(), "format"),
        (broken, "cut off"),
        (bomb, ""),
        (b"\x28\xb5\x2f\xfdxx".to_vec(), ""),
    ] {
        let answer = server.send("POST", "/api/v1/runs", &[], body);
        assert!(
            answer.status.is_client_error(),
            "{} {}",
            answer.status,
            answer.text()
        );
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(reason), "{reason}: {error}");
    }
    let large = vec![0; (64 << 20) + 1];
    let answer = server.send("POST", "/api/v1/runs", &[], large);
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(server.store.stats().unwrap().runs, 0);
}

#[test]
fn a_full_disk_is_said_to_the_sender() {
    let server = server(false, Some(250_000));
    let mut statuses = BTreeSet::new();
    for number in 0..300 {
        statuses.insert(
            server
                .send("POST", "/api/v1/runs", &[], run(number))
                .status
                .as_u16(),
        );
    }
    assert_eq!(statuses, BTreeSet::from([201, 507]));
    assert_eq!(server.store.verify().unwrap().problems, []);
}

#[test]
fn other_tools_clients_can_send() {
    let server = locked();
    let writer = server.tokens[1].clone();
    let calls = r#"{"main()":{"ct":1,"wt":100,"cpu":90,"mu":10,"pmu":10},"main()==>f":{"ct":2,"wt":50,"cpu":40,"mu":5,"pmu":5}}"#;
    let xhgui = format!(
        r#"{{"profile":{calls},"meta":{{"url":"/a/7","SERVER":{{"REQUEST_TIME":1793491200}}}}}}"#
    );
    let answer = server.send(
        "POST",
        &format!("/run/import?token={writer}"),
        &[],
        xhgui.into_bytes(),
    );
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.json()["ok"], true);
    let buggregator = format!(
        r#"{{"profile":{calls},"tags":{{"branch":"x"}},"app_name":"blog","hostname":"web1","date":1793491200}}"#
    );
    let answer = server.send(
        "POST",
        &format!("/api/profiler/store?token={writer}"),
        &[],
        buggregator.into_bytes(),
    );
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let name = "shop%7Bhost=web2,release=3%7D";
    let path = format!("/ingest?name={name}&from=1&until=2&token={writer}");
    let answer = server.send("POST", &path, &[], b"main;f 10\nmain;g 20\n".to_vec());
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(server.store.stats().unwrap().runs, 3);
    let listed = server
        .as_owner(0, "GET", "/api/v1/runs?q=app:blog", Vec::new())
        .json();
    assert_eq!(listed["runs"][0]["host"], "web1");
    let listed = server
        .as_owner(0, "GET", "/api/v1/runs?q=release:3", Vec::new())
        .json();
    assert_eq!(listed["runs"][0]["host"], "web2");
    // The query is for uploads only.
    let answer = server.get(&format!("/api/v1/stats?token={}", server.tokens[2]));
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}
