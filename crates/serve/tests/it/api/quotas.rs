//! Quotas: how much of an application is taken on a day.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{StatusCode, header};
use serde_json::Value;
use store::Policy;

use super::server::{Answer, Server, locked, open, run};

const JSON: (&str, &str) = ("content-type", "application/json");
const KIND: (&str, &str) = ("content-type", "multipart/form-data; boundary=x");

/// A quota is of a day: waits if that ends during a test.
fn limit(server: &Server, app: &str, runs: Option<u64>, bytes: Option<u64>) {
    const DAY_S: u64 = 86_400;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let left = DAY_S - now.as_secs() % DAY_S;
    if left < 60 {
        std::thread::sleep(Duration::from_secs(left));
    }
    let policy = Policy {
        runs_a_day: runs,
        bytes_a_day: bytes,
        ..Policy::default()
    };
    server.store.set_policy(Some(app), Some(&policy)).unwrap();
}

fn send(server: &Server, app: &str, number: u64) -> Answer {
    let headers = [("x-xhprof-app", app)];
    server.send("POST", "/api/v1/runs", &headers, run(number))
}

/// A batch of runs, each of an application.
fn batch(server: &Server, token: usize, runs: &[(&str, u64)]) -> Answer {
    let mut body = Vec::new();
    for (app, number) in runs {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"run\"; filename=\"run\"\r\n\
             X-Xhprof-App: {app}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&run(*number));
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    let bearer = format!("Bearer {}", server.tokens[token]);
    let headers = [("authorization", &*bearer), KIND];
    server.send("POST", "/api/v1/runs/batch", &headers, body)
}

fn statuses(answer: &Answer) -> Vec<u64> {
    let json = answer.json();
    let runs = json["runs"].as_array().unwrap().iter();
    runs.map(|run| run["status"].as_u64().unwrap()).collect()
}

#[test]
fn an_application_sends_as_many_runs_as_its_quota_says() {
    let server = open();
    limit(&server, "shop", Some(3), None);
    for number in 0..3 {
        assert_eq!(send(&server, "shop", number).status, StatusCode::CREATED);
        if number < 2 {
            // What is sent again does not count.
            assert_eq!(send(&server, "shop", number).status, StatusCode::CREATED);
        }
    }
    let over = send(&server, "shop", 3);
    assert_eq!(over.status, StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = over.headers[header::RETRY_AFTER]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    let reason = over.json()["error"].as_str().unwrap().to_owned();
    assert!(
        reason.contains("shop") && reason.contains("3 runs a day"),
        "{reason}"
    );
    // Others have their own; another server of the store knows what was sent.
    assert_eq!(send(&server, "blog", 1).status, StatusCode::CREATED);
    let over = send(&server.another(), "shop", 4);
    assert_eq!(over.status, StatusCode::TOO_MANY_REQUESTS);
    let settings = server.get("/api/v1/pages/settings").json();
    assert_eq!(settings["quotas"][0]["is_used_up"], true);
    assert_eq!(settings["quotas"][0]["runs"], 3);
    assert_eq!(settings["uploads"]["over_quota"], 1);
    assert!(
        server
            .get("/metrics")
            .text()
            .contains("xhprof_runs_over_quota_total 1\n")
    );
    // A higher quota counts at once.
    let policy = r#"{"runs_a_day":4}"#;
    server.send("PUT", "/api/v1/policies/shop", &[JSON], policy.into());
    assert_eq!(send(&server, "shop", 5).status, StatusCode::CREATED);
    assert_eq!(
        send(&server, "shop", 6).status,
        StatusCode::TOO_MANY_REQUESTS
    );
}

#[test]
fn the_size_of_runs_counts_too() {
    let server = open();
    limit(&server, "shop", None, Some(1));
    assert_eq!(send(&server, "shop", 1).status, StatusCode::CREATED);
    assert_eq!(
        send(&server, "shop", 2).status,
        StatusCode::TOO_MANY_REQUESTS
    );
    let taken = server.store.taken("shop", 0).unwrap();
    assert_eq!(taken.runs, 0, "of another day");
}

#[test]
fn many_uploads_at_a_time_do_not_pass_a_quota() {
    let server = open();
    limit(&server, "shop", Some(10), None);
    let results: Vec<StatusCode> = std::thread::scope(|scope| {
        let server = &server;
        let threads: Vec<_> = (0..40)
            .map(|number| scope.spawn(move || send(server, "shop", number).status))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let created = results
        .iter()
        .filter(|status| **status == StatusCode::CREATED);
    assert_eq!(created.count(), 10, "{results:?}");
    assert_eq!(server.store.stats().unwrap().runs, 10);
}

#[test]
fn a_batch_beyond_the_quota_waits_if_it_is_of_one_application() {
    let server = locked();
    limit(&server, "shop", Some(2), None);
    let answer = batch(&server, 3, &[("shop", 1), ("shop", 2), ("shop", 3)]);
    assert_eq!(
        answer.status,
        StatusCode::TOO_MANY_REQUESTS,
        "{}",
        answer.text()
    );
    assert!(answer.headers.contains_key(header::RETRY_AFTER));
    assert_eq!(server.store.stats().unwrap().runs, 2);
    // The body of the next one is not read.
    let bearer = format!("Bearer {}", server.tokens[3]);
    let headers = [
        ("authorization", &*bearer),
        KIND,
        ("content-encoding", "zstd"),
    ];
    let answer = server.send("POST", "/api/v1/runs/batch", &headers, b"no zstd".to_vec());
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    // After the day all of it is taken, and what was stored does not count again.
    limit(&server, "shop", Some(9), None);
    std::thread::sleep(Duration::from_millis(1100));
    let answer = batch(&server, 3, &[("shop", 1), ("shop", 2), ("shop", 3)]);
    assert_eq!(statuses(&answer), [200, 200, 201]);
}

#[test]
fn in_a_batch_of_several_applications_the_others_do_not_wait() {
    let server = locked();
    limit(&server, "shop", Some(1), None);
    let runs = [
        ("shop", 1),
        ("shop", 2),
        ("blog", 3),
        ("shop", 4),
        ("blog", 5),
    ];
    let answer = batch(&server, 1, &runs);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let statuses = statuses(&answer);
    assert_eq!([statuses[2], statuses[4]], [201, 201]);
    let over = statuses.iter().filter(|status| **status == 429);
    assert_eq!(over.count(), 2, "{statuses:?}");
}

#[test]
fn a_batch_is_stored_up_to_the_quota_and_known_runs_leave_their_place_to_others() {
    let server = locked();
    limit(&server, "shop", Some(4), None);
    let send = |numbers: &[u64]| {
        let runs: Vec<_> = numbers.iter().map(|number| ("shop", *number)).collect();
        statuses(&batch(&server, 1, &runs))
    };
    assert_eq!(send(&[1, 1, 2]), [201, 200, 201]);
    // There is place for two more, and the known ones were sent first.
    assert_eq!(
        send(&[1, 2, 1, 2, 3, 4, 5, 6]),
        [200, 200, 200, 200, 201, 201, 429, 429]
    );
    assert_eq!(server.store.stats().unwrap().runs, 4);
    // One without a quota does not wait for it.
    let answer = batch(&server, 1, &[("shop", 7), ("blog", 8), ("shop", 1)]);
    assert_eq!(statuses(&answer), [429, 201, 429]);
}

#[test]
fn batches_at_once_do_not_pass_a_quota_and_store_each_run_once() {
    let server = locked();
    limit(&server, "shop", Some(30), None);
    let runs: Vec<(&str, u64)> = (0..20).map(|number| ("shop", number)).collect();
    let other: Vec<(&str, u64)> = (10..30).map(|number| ("shop", number)).collect();
    let answers: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let server = &server;
        let threads: Vec<_> = [&runs, &other, &runs]
            .into_iter()
            .map(|runs| scope.spawn(move || statuses(&batch(server, 1, runs))))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let new = answers.iter().flatten().filter(|status| **status == 201);
    let new = new.count() as u64;
    assert_eq!(server.store.stats().unwrap().runs, new);
    // A run that another batch is storing holds its place until then.
    assert!((10..=30).contains(&new), "{answers:?}");
    std::thread::sleep(Duration::from_millis(1100));
    for runs in [&runs, &other] {
        batch(&server, 1, runs);
    }
    assert_eq!(server.store.stats().unwrap().runs, 30);
}

#[test]
fn only_an_administrator_of_all_applications_sets_quotas() {
    let (server, owner) = locked().with_owner_of_shop();
    limit(&server, "shop", Some(5), None);
    let put = |token: usize, body: &str| {
        let bearer = format!("Bearer {}", server.tokens[token]);
        let headers = [("authorization", &*bearer), JSON];
        server.send("PUT", "/api/v1/policies/shop", &headers, body.into())
    };
    let quota = || server.store.policies().unwrap().of("shop").runs_a_day;
    // Its own policy, in which the quota stays.
    let answer = put(owner, r#"{"days":3}"#);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.json()["apps"][0]["policy"]["days"], 3);
    assert_eq!(quota(), Some(5));
    for body in [r#"{"runs_a_day":6}"#, r#"{"runs_a_day":5,"bytes_a_day":9}"#] {
        assert_eq!(put(owner, body).status, StatusCode::BAD_REQUEST, "{body}");
    }
    assert_eq!(put(owner, r#"{"runs_a_day":5}"#).status, StatusCode::OK);
    let answer = server.as_owner(owner, "DELETE", "/api/v1/policies/shop", Vec::new());
    assert_eq!(answer.json()["apps"][0]["policy"]["days"], 30);
    assert_eq!(quota(), Some(5));
    assert_eq!(
        put(2, r#"{"runs_a_day":null}"#).json()["apps"][0]["policy"]["runs_a_day"],
        Value::Null
    );
    assert_eq!(quota(), None);
}
