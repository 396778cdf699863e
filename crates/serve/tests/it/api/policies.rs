//! How long runs are kept.

use axum::http::StatusCode;
use serde_json::Value;

use super::server::{locked, open, run};

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn policies_are_set_and_say_what_they_removed() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let before = server.get("/api/v1/policies").json();
    assert_eq!(before["default"]["days"], 30);
    assert_eq!(before["is_default_set"], false);
    let put = |path: &str, body: &str| server.send("PUT", path, &[JSON], body.into());
    let answer = put("/api/v1/policies", r#"{"days":7,"bytes":null}"#);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let answer = put("/api/v1/policies/shop", r#"{"runs":10,"notable":0}"#);
    let set = answer.json();
    assert_eq!(set["default"]["bytes"], Value::Null);
    assert_eq!(set["apps"][0]["policy"]["runs"], 10);
    // A name with a slash, and names of fields that do not exist.
    let answer = put("/api/v1/policies/team%2Fblog", "{}");
    assert_eq!(answer.json()["apps"][1]["app"], "team/blog");
    for body in [r#"{"day":7}"#, r#"{"days":0}"#, r#"{"days":-1}"#, "{", "7"] {
        let answer = put("/api/v1/policies/shop", body);
        assert!(answer.status.is_client_error(), "{body}: {}", answer.status);
    }
    // First what would be removed, then the removal, by the policy of the app.
    let retain = |body: &str| {
        let answer = server.send("POST", "/api/v1/retain", &[JSON], body.into());
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()
    };
    assert_eq!(retain(r#"{"app":"shop","dry_run":true}"#)["by_count"], 20);
    assert_eq!(server.store.stats().unwrap().runs, 30);
    // Those without a policy of their own are only counted.
    let others = r#"{"dry_run":true,"policy":{"runs":1,"notable":0}}"#;
    assert_eq!(retain(others)["by_count"], 0);
    server.store.set_policy(Some("shop"), None).unwrap();
    assert_eq!(retain(others)["by_count"], 29);
    let all = server.send("POST", "/api/v1/retain", &[JSON], b"{}".to_vec());
    assert_eq!(all.status, StatusCode::BAD_REQUEST);
    put("/api/v1/policies/shop", r#"{"runs":10,"notable":0}"#);
    assert_eq!(retain(r#"{"app":"shop"}"#)["by_count"], 20);
    assert_eq!(server.store.stats().unwrap().runs, 10);
    let removals = server.get("/api/v1/removals").json();
    assert_eq!(removals["removals"][0]["reason"], "count");
    assert_eq!(removals["removals"][0]["count"], 20);
    let all = server.get("/api/v1/removals?days=4294967295").json();
    assert_eq!(all, removals);
    let metrics = server.get("/metrics").text();
    let line = "xhprof_removed_runs_total{reason=\"count\"} 20\n";
    assert!(metrics.contains(line), "{metrics}");
    server.send("DELETE", "/api/v1/policies/shop", &[], Vec::new());
    let answer = server.send("DELETE", "/api/v1/policies", &[], Vec::new());
    assert_eq!(answer.json()["default"], before["default"]);
    assert_eq!(answer.json()["apps"].as_array().unwrap().len(), 1);
}

#[test]
fn a_token_of_an_application_sets_its_policy_only() {
    let (server, owner) = locked().with_owner_of_shop();
    let send = |method: &str, path: &str| {
        let bearer = format!("Bearer {}", server.tokens[owner]);
        let headers = [("authorization", bearer.as_str()), JSON];
        server.send(method, path, &headers, b"{}".to_vec()).status
    };
    assert_eq!(send("PUT", "/api/v1/policies/shop"), StatusCode::OK);
    for (method, path) in [("PUT", "/api/v1/policies"), ("DELETE", "/api/v1/policies")] {
        assert_eq!(send(method, path), StatusCode::FORBIDDEN, "{method} {path}");
    }
    for method in ["PUT", "DELETE"] {
        let status = send(method, "/api/v1/policies/blog");
        assert_eq!(status, StatusCode::NOT_FOUND, "{method}");
    }
    let store = &server.store;
    let policy = store::Policy::default();
    store.set_policy(Some("blog"), Some(&policy)).unwrap();
    let seen = server.as_owner(owner, "GET", "/api/v1/policies", Vec::new());
    let seen = seen.json();
    assert_eq!(seen["apps"].as_array().unwrap().len(), 1);
    assert_eq!(seen["apps"][0]["app"], "shop");
}
