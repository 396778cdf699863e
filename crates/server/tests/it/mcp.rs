//! `xhprof mcp --store`.

use serde_json::json;
use simulate::{Options, Shop};
use store::{NewRun, Runs, SqliteStore};

use crate::mcp_client::Client;

#[test]
fn a_store_answers_as_files_do() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Shop::new(Options {
        runs: 40,
        days: 2,
        ..Options::default()
    });
    let all = shop.runs().count();
    {
        let store = SqliteStore::open(folder.path()).unwrap();
        let runs = shop.runs().map(|profile| NewRun {
            profile,
            received: 1_795_305_600_000_000,
        });
        for outcome in store.put_all(runs.collect()) {
            outcome.unwrap();
        }
    }
    let mut client = Client::of(&["--store", folder.path().to_str().unwrap()]);
    let listed = client.tool("list_runs", &json!({ "limit": 3 }));
    assert!(
        listed
            .text
            .starts_with(&format!("{all} profiles in the store ")),
        "{}",
        listed.text
    );
    assert_eq!(listed.data["more_runs"], all - 3);
    let next = client.tool("list_runs", &json!({ "limit": 3, "offset": 3 }));
    assert_ne!(next.data["runs"][0]["run"], listed.data["runs"][2]["run"]);
    let route = &listed.data["runs"][0]["route"];
    let same = client.tool("list_runs", &json!({ "route": route, "status": "2xx" }));
    assert!(
        same.data["runs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|run| run["route"] == *route)
    );
    for next in listed.data["next"].as_array().unwrap() {
        client.tool(next["tool"].as_str().unwrap(), &next["arguments"]);
    }
    let error = client.refusal("summary", &json!({ "run": "/etc/passwd" }));
    assert!(
        error.contains("not a run id") && error.contains("list_runs"),
        "{error}"
    );
    let error = client.refusal("summary", &json!({ "run": "0".repeat(32) }));
    assert!(error.contains("there is no run 0000"), "{error}");
    let error = client.refusal("regressions", &json!({ "app": "nothing" }));
    assert!(error.contains("the applications of the store"), "{error}");
    let error = client.refusal("list_runs", &json!({ "status": "good" }));
    assert!(error.contains("not a status"), "{error}");
    client.end();
}
