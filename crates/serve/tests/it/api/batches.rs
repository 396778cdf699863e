//! Batches of runs, and what agents dropped.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::server::{Answer, Server, locked, open, run, server};

const KIND: (&str, &str) = ("content-type", "multipart/form-data; boundary=x");
const PACKED: (&str, &str) = ("content-encoding", "zstd");
const BATCH: &str = "/api/v1/runs/batch";

/// A body with these files, each with a header.
fn body(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (header, file) in files {
        let head = "--x\r\nContent-Disposition: form-data; name=\"run\"; filename=\"run\"";
        body.extend_from_slice(format!("{head}\r\n{header}\r\n\r\n").as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    body
}

fn packed(body: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(body, 3).unwrap()
}

fn send(server: &Server, body: Vec<u8>) -> Answer {
    server.send("POST", BATCH, &[KIND, PACKED], body)
}

fn statuses(answer: &Answer) -> Vec<u64> {
    let json = answer.json();
    let runs = json["runs"].as_array().unwrap().iter();
    runs.map(|run| run["status"].as_u64().unwrap()).collect()
}

#[test]
fn a_batch_says_what_became_of_each_run_and_may_be_sent_again() {
    let server = open();
    let app = "X-Xhprof-App: blog";
    let files = [
        ("X-A: 1", run(1)),
        ("X-A: 1", b"no profile".to_vec()),
        (app, run(2)),
        ("X-Xhprof-Tag: no value", run(3)),
        ("X-A: 1", run(1)),
    ];
    let body = packed(&body(&files));
    let answer = send(&server, body.clone());
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let first = statuses(&answer);
    assert_eq!(first[1..4], [422, 201, 400]);
    // The same run twice in one batch is stored once, whichever is first.
    assert_eq!(first[0] + first[4], 401);
    assert!(answer.json()["runs"][1]["error"].is_string());
    assert_eq!(server.store.stats().unwrap().runs, 2);
    let again = send(&server, body);
    assert_eq!(statuses(&again), [200, 422, 200, 400, 200]);
    assert_eq!(
        again.json()["runs"][0]["id"],
        answer.json()["runs"][0]["id"]
    );
    let blog = server.get("/api/v1/runs?q=app:blog").json();
    assert_eq!(blog["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_run_of_a_batch_may_be_compressed_itself() {
    let server = open();
    let body = body(&[("X-A: 1", packed(&run(1)))]);
    let answer = server.send("POST", BATCH, &[KIND], body);
    assert_eq!(statuses(&answer), [201]);
}

#[test]
fn a_batch_that_cannot_be_read_stores_nothing() {
    let server = open();
    let whole = packed(&body(&[("X-A: 1", run(1))]));
    let cut = whole[..whole.len() - 20].to_vec();
    assert_eq!(send(&server, cut).status, StatusCode::BAD_REQUEST);
    assert_eq!(send(&server, body(&[])).status, StatusCode::BAD_REQUEST);
    let empty = send(&server, packed(b"--x--\r\n"));
    assert_eq!(empty.status, StatusCode::BAD_REQUEST);
    let other = [KIND, ("content-encoding", "br")];
    let other = server.send("POST", BATCH, &other, whole.clone());
    assert_eq!(other.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let bomb = packed(&vec![0; 80 << 20]);
    assert!(bomb.len() < 1 << 20);
    let bomb = send(&server, bomb);
    assert_eq!(
        bomb.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{}",
        bomb.text()
    );
    let many: Vec<_> = (0..101).map(|_| ("X-A: 1", b"x".to_vec())).collect();
    let many = send(&server, packed(&body(&many)));
    assert_eq!(many.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Each of these answers has a sentence.
    assert!(many.json()["error"].is_string());
    assert_eq!(server.store.stats().unwrap().runs, 0);
    assert_eq!(statuses(&send(&server, whole)), [201]);
}

#[test]
fn a_full_disk_is_the_answer_to_the_whole_batch() {
    let server = server(false, Some(1 << 20));
    let mut last = StatusCode::OK;
    for number in 0..200 {
        let files: Vec<_> = (0..20)
            .map(|run_number| ("X-A: 1", run(number * 20 + run_number)))
            .collect();
        let answer = send(&server, packed(&body(&files)));
        last = answer.status;
        if last != StatusCode::OK {
            assert!(answer.json()["runs"].is_null());
            break;
        }
    }
    assert_eq!(last, StatusCode::INSUFFICIENT_STORAGE);
}

#[test]
fn a_batch_needs_the_scope_write_and_gets_the_application_of_its_token() {
    let server = locked();
    let body = packed(&body(&[("X-Xhprof-App: other", run(1))]));
    let send = |token: usize| {
        let bearer = format!("Bearer {}", server.tokens[token]);
        let headers = [KIND, PACKED, ("authorization", bearer.as_str())];
        server.send("POST", BATCH, &headers, body.clone())
    };
    assert_eq!(send(0).status, StatusCode::FORBIDDEN);
    assert_eq!(send(3).status, StatusCode::OK);
    let apps = server.store.apps().unwrap();
    assert_eq!(apps.len(), 1);
    assert_eq!(apps[0].name, "shop");
}

fn report(runs: u64, app: &str) -> Value {
    let day_s = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        / 86_400
        * 86_400;
    json!({
        "agent": "0123", "host": "<b>web1</b>",
        "dropped": [{"day_s": day_s, "app": app, "reason": "queue_full", "runs": runs, "bytes": 99}],
    })
}

fn send_report(server: &Server, token: usize, report: &Value) -> Answer {
    let bearer = format!("Bearer {}", server.tokens[token]);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let body = report.to_string().into_bytes();
    server.send("POST", "/api/v1/dropped", &headers, body)
}

#[test]
fn dropped_runs_are_counted_once_and_are_in_the_settings() {
    let server = locked();
    for runs in [3, 1234, 3] {
        let answer = send_report(&server, 1, &report(runs, "shop"));
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.text());
    }
    let rows = server.as_owner(2, "GET", "/api/v1/dropped", Vec::new());
    assert_eq!(rows.json()["dropped"][0]["runs"], 1234);
    let page = server.as_owner(2, "GET", "/api/v1/pages/settings", Vec::new());
    let page = page.json();
    assert_eq!(page["dropped_runs"], 1234);
    assert_eq!(page["dropped"], rows.json()["dropped"]);
}

#[test]
fn a_token_of_an_application_counts_and_sees_only_its_own_dropped_runs() {
    let server = locked();
    send_report(&server, 1, &report(5, "blog"));
    let own = send_report(&server, 3, &report(7, "blog"));
    assert_eq!(own.status, StatusCode::NO_CONTENT);
    let rows = server
        .as_owner(3, "GET", "/api/v1/dropped", Vec::new())
        .json();
    assert_eq!(rows["dropped"].as_array().unwrap().len(), 1);
    assert_eq!(rows["dropped"][0]["app"], "shop");
    assert_eq!(rows["dropped"][0]["runs"], 7);
    assert_eq!(
        send_report(&server, 0, &report(5, "blog")).status,
        StatusCode::FORBIDDEN
    );
}

#[test]
fn dropped_runs_of_several_applications_are_added_up_for_a_token_of_one() {
    let server = locked();
    let mut both = report(7, "blog");
    let of_shop = report(5, "shop")["dropped"][0].clone();
    both["dropped"].as_array_mut().unwrap().push(of_shop);
    for _ in 0..2 {
        let answer = send_report(&server, 3, &both);
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.text());
    }
    let rows = server
        .as_owner(3, "GET", "/api/v1/dropped", Vec::new())
        .json();
    assert_eq!(rows["dropped"].as_array().unwrap().len(), 1);
    assert_eq!(rows["dropped"][0]["runs"], 12);
    assert_eq!(rows["dropped"][0]["bytes"], 198);
}

#[test]
fn a_report_that_no_agent_sends_is_refused() {
    let server = locked();
    let mut future = report(5, "shop");
    future["dropped"][0]["day_s"] = json!(u64::MAX);
    let long = report(5, &"x".repeat(2000));
    let mut unnamed = report(5, "shop");
    unnamed["agent"] = json!("");
    for wrong in [future, long, unnamed, json!({})] {
        let answer = send_report(&server, 1, &wrong);
        assert!(answer.status.is_client_error(), "{wrong}");
    }
    assert!(server.store.dropped(None, 0).unwrap().is_empty());
}
