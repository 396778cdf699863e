//! The app's document and files, and what its pages show.

use std::collections::BTreeSet;

use axum::http::{StatusCode, header};
use serde_json::Value;
use serve::routes;

use super::server::{Answer, Server, locked, open, run};

/// The addresses of pages.
const PAGES: [&str; 15] = [
    "/",
    "/?q=%3Cscript%3E",
    "/runs?q=x:y",
    "/run/00112233445566778899aabbccddeeff",
    "/tree?q=route:*",
    "/routes",
    "/route?q=route:/cart",
    "/function?name=%3Cscript%3E",
    "/compare?before=a&after=b",
    "/compare/runs?base=a&new=b",
    "/compare/tree?before=a&after=b",
    "/regressions",
    "/profile-now?url=javascript:x",
    "/settings/tokens",
    "/login",
];

fn text<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers[name].to_str().unwrap()
}

fn filled(count: u64) -> Server {
    let server = open();
    for number in 0..count {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    server
}

#[test]
fn every_page_is_one_document_without_data() {
    let server = filled(3);
    let documents: BTreeSet<String> = PAGES
        .iter()
        .map(|path| {
            let answer = server.get(path);
            assert_eq!(answer.status, StatusCode::OK, "{path}");
            let policy = text(&answer, "content-security-policy");
            assert!(policy.starts_with("default-src 'none'; script-src 'self'; "));
            assert!(!policy.contains("unsafe"), "{policy}");
            assert!(policy.contains("frame-ancestors 'none'"));
            assert_eq!(text(&answer, "x-content-type-options"), "nosniff");
            without_preloads(&answer.text())
        })
        .collect();
    assert_eq!(documents.len(), 1);
    let document = documents.first().unwrap();
    // No script but that file, and nothing of the store.
    assert_eq!(document.matches("<script").count(), 1);
    assert!(document.contains("<script src=\"/assets/app-"));
    assert!(!document.contains("shop") && !document.contains("style="));
}

/// A document without what its page asks first, which is of the address alone.
fn without_preloads(document: &str) -> String {
    const PRELOAD: &str = "<link rel=\"preload\"";
    let mut parts = document.split(PRELOAD);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let (link, rest) = part.split_once('>').unwrap();
        assert!(link.contains(" href=\"/api/v1/"), "{link}");
        kept + rest
    })
}

#[test]
fn the_files_of_the_document_are_kept_by_browsers_and_unchanged() {
    let server = locked();
    let document = server.get("/login").text();
    let names: BTreeSet<&str> = document
        .split('"')
        .filter(|part| part.starts_with("/assets/"))
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for (ending, kind) in [
        (".css", "text/css; charset=utf-8"),
        (".wasm", "application/wasm"),
        (".js", "text/javascript; charset=utf-8"),
    ] {
        let name = names.iter().find(|name| name.ends_with(ending)).unwrap();
        let packed = [("accept-encoding", "gzip")];
        let packed = server.send("GET", name, &packed, Vec::new());
        assert_eq!(text(&packed, "content-encoding"), "gzip");
        assert_eq!(text(&packed, "content-type"), kind);
        assert!(text(&packed, "cache-control").ends_with("immutable"));
        let plain = server.get(name);
        assert!(!plain.headers.contains_key("content-encoding"));
        assert!(plain.body.len() > packed.body.len());
    }
    for wrong in ["/assets/app.js", "/assets/..%2f..%2fCargo.toml"] {
        assert_eq!(server.get(wrong).status, StatusCode::NOT_FOUND, "{wrong}");
    }
}

#[test]
fn a_stranger_is_sent_to_the_login_and_back() {
    let server = locked();
    let browser = ("accept", "text/html,*/*");
    let answer = server.send("GET", "/runs?q=route:/a%20b", &[browser], Vec::new());
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(
        answer.headers[header::LOCATION],
        "/login?next=/runs%3Fq%3Droute%3A/a%2520b"
    );
    // A login opens it; its end closes it.
    let cookie = server.cookie(&server.tokens[0]);
    let headers = [browser, ("cookie", &cookie)];
    let answer = server.send("GET", "/runs", &headers, Vec::new());
    assert_eq!(answer.status, StatusCode::OK);
    let session = server.send("GET", "/api/v1/session", &headers, Vec::new());
    assert_eq!(session.json()["scopes"], serde_json::json!(["read"]));
    assert_eq!(session.json()["demo"], Value::Null);
    server.send("DELETE", "/api/v1/session", &headers, Vec::new());
    let answer = server.send("GET", "/runs", &headers, Vec::new());
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

#[test]
fn an_address_that_fails_says_why() {
    let server = open();
    let browser = [("accept", "text/html")];
    for (path, status, part) in [
        ("/none", 404, "nothing is at this address"),
        ("/index.php?run=x&source=%3Cb%3E", 404, "&lt;b&gt;"),
    ] {
        let answer = server.send("GET", path, &browser, Vec::new());
        assert_eq!(answer.status.as_u16(), status);
        let html = answer.text();
        assert!(
            html.contains("data-problem=\"") && html.contains(part),
            "{html}"
        );
        assert_eq!(html.matches("<script").count(), 1, "{html}");
    }
}

#[test]
fn numbers_of_pages_are_those_of_the_api() {
    let server = filled(90);
    let get = |path: &str| {
        let answer = server.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    };
    let times = "since:2026-11-01%20until:2026-11-02";
    let requests = get(&format!("/api/v1/requests?q={times}"));
    let home = get(&format!("/api/v1/pages/home?q={times}"));
    assert_eq!(home["runs"][1], requests["runs"]);
    assert_eq!(
        home["figures"]["p95"]["now"].as_f64(),
        requests["p95"].as_f64()
    );
    assert_eq!(home["app"], "shop");
    assert_eq!(home["has_runs"], true);
    let of_times = get(&format!("/api/v1/routes?q={times}"));
    assert_eq!(home["all_routes"], of_times.as_array().unwrap().len());
    let throughput = home["throughput"]["now"].as_f64().unwrap();
    let expected = requests["requests"].as_f64().unwrap() / (24.0 * 60.0);
    assert!(
        (throughput - expected).abs() < 1e-9,
        "{throughput} {expected}"
    );
    let routes = get("/api/v1/routes");
    let page = get("/api/v1/pages/routes");
    for (row, of_page) in routes
        .as_array()
        .unwrap()
        .iter()
        .zip(page["routes"].as_array().unwrap())
    {
        for (name, value) in row.as_object().unwrap() {
            assert_eq!(value, &of_page[name], "{name}");
        }
    }
    let route = get("/api/v1/pages/route?q=app:shop%20route:/cart");
    let of_api = get("/api/v1/requests?q=app:shop%20route:/cart");
    assert_eq!(route["total"], of_api);
    let functions = get("/api/v1/functions?q=app:shop%20route:/cart&limit=1");
    let first = &route["functions"][0];
    assert_eq!(first["name"], functions[0]["name"]);
    let own = functions[0]["own_wall"].as_f64().unwrap();
    let runs = of_api["runs"].as_f64().unwrap();
    assert_eq!(first["own"].as_f64(), Some(own / runs));
    let shares: f64 = page["routes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["share"].as_f64().unwrap())
        .sum();
    assert!((shares - 1.0).abs() < 1e-9);
    let series = get("/api/v1/series?step=day");
    let counted: u64 = series["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["runs"].as_u64().unwrap())
        .sum();
    assert_eq!(counted, 90);
    assert_eq!(get("/api/v1/facets")["runs"], 90);
    let function = get("/api/v1/pages/function?name=Repository::find");
    let detail = get("/api/v1/function?name=Repository::find");
    assert_eq!(function["calls"], detail["total"]["calls"]);
    assert_eq!(function["callers"][0]["name"], detail["callers"][0]["name"]);
    assert_eq!(
        server.get("/api/v1/pages/function?name=none").status,
        StatusCode::NOT_FOUND
    );
    let found = get("/api/v1/search?text=REPO%20find");
    assert_eq!(found["functions"][0], "Repository::find");
    assert_eq!(
        get("/api/v1/search?text=cart")["routes"][0]["route"],
        "/cart"
    );
}

#[test]
fn a_run_has_its_neighbours_and_a_usual_run() {
    let server = filled(60);
    let runs = server.get("/api/v1/runs?q=route:/cart").json();
    let id = |number: usize| runs["runs"][number]["id"].as_str().unwrap().to_owned();
    let of = |number: usize| {
        let path = format!("/api/v1/pages/run/{}", id(number));
        server.get(&path).json()
    };
    let page = of(5);
    assert_eq!(page["run"], runs["runs"][5]);
    // The list has the latest first.
    assert_eq!(page["next"]["id"], id(4));
    assert_eq!(page["previous"]["id"], id(6));
    assert_eq!(of(0)["next"], Value::Null);
    let route = &page["route"];
    assert_eq!(route["runs"], 20);
    let median = route["p50"].as_u64().unwrap();
    let distance = |run: &Value| run["wall"].as_u64().unwrap().abs_diff(median);
    let others = runs["runs"].as_array().unwrap().iter();
    let others = others.filter(|run| run["id"] != page["run"]["id"]);
    let nearest = others.map(distance).min().unwrap();
    assert_eq!(distance(&page["usual"]), nearest);
    // The found run opens with its file.
    let found = server.get(&format!("/api/v1/search?text={}", id(3))).json();
    assert_eq!(found["runs"][0]["id"], id(3));
}

#[test]
fn two_groups_are_compared_by_run() {
    let server = filled(120);
    let get = |path: &str| server.get(path);
    let same = get("/api/v1/pages/compare?before=route:/cart&after=route:/cart").json();
    assert_eq!(same["runs"], serde_json::json!([40, 40]));
    assert_eq!(same["judged"], "judged");
    assert_eq!(same["mean"]["change"], 0.0);
    assert_eq!(same["mean"]["rows"], Value::Array(Vec::new()));
    assert_eq!(same["figures"]["p95"]["verdict"], "same");
    let mean = same["mean"]["whole"][0].as_f64().unwrap();
    let requests = get("/api/v1/requests?q=route:/cart").json();
    let expected = requests["wall"].as_f64().unwrap() / 40.0;
    assert_eq!(mean, expected);
    // Few runs are said to be few.
    let id = get("/api/v1/runs").json()["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let few = format!("/api/v1/pages/compare?before=route:/cart&after=run:{id}");
    let few = get(&few).json();
    assert_eq!(few["judged"], "too_few_runs");
    assert!(
        few["note"]
            .as_str()
            .unwrap()
            .starts_with("40 and 1 runs are too few")
    );
    // The sums for the flame graph are those of one run.
    let tree = get("/api/v1/tree?q=route:/cart&per=run");
    assert_eq!(tree.headers["x-xhprof-runs"], "40");
    let limits = profile::native::Limits::default();
    let read = |answer: &Answer| {
        let profile = profile::native::read(&answer.body[..], &limits).unwrap();
        profile.edges().root.wall
    };
    let all = read(&get("/api/v1/tree?q=route:/cart"));
    assert!(read(&tree).abs_diff(all / 40) < 1000, "{all}");
    for path in [
        "/api/v1/pages/compare?before=route:/cart&after=route:/none",
        "/api/v1/tree?q=route:/none&per=run",
        "/api/v1/pages/route?q=route:/none",
    ] {
        let answer = get(path);
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            answer.text().contains("no run with times matches"),
            "{path}"
        );
    }
    let proposals = get("/api/v1/pages/compare/proposals").json();
    assert_eq!(proposals[0]["app"], "shop");
    assert_eq!(
        proposals[0]["proposals"][0]["before"],
        "app:shop since:2d until:1d"
    );
}

#[test]
fn findings_are_those_of_the_search_and_of_one_route() {
    let server = filled(3);
    let page = server.get("/api/v1/pages/regressions").json();
    assert_eq!(page["app"], "shop");
    assert_eq!(page["releases"][0]["found"][0]["function"], "<script>f");
    let none = server.get("/api/v1/pages/regressions?q=route:/none").json();
    assert_eq!(none["releases"], Value::Array(Vec::new()));
    let other = server.get("/api/v1/pages/regressions?q=app:other");
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[test]
fn only_an_admin_sees_the_secret_and_the_tokens() {
    let server = locked();
    for (token, is_shown) in [(0, false), (2, true)] {
        let of = |path: &str| server.as_owner(token, "GET", path, Vec::new());
        let ways = of("/api/v1/pages/profile-now");
        assert_eq!(ways.text().contains("hush"), is_shown, "{token}");
        assert_eq!(ways.json()["is_known"], true);
        let url = r#"{"url":"https://shop.example.com/cart?a=1#top"}"#;
        let bearer = format!("Bearer {}", server.tokens[token]);
        let headers = [
            ("authorization", &*bearer),
            ("content-type", "application/json"),
        ];
        let ticket = server.send("POST", "/api/v1/profile-now/ticket", &headers, url.into());
        assert_eq!(ticket.status == StatusCode::OK, is_shown);
        assert!(!ticket.text().contains("hush"));
        if is_shown {
            let ticket = ticket.json()["url"].as_str().unwrap().to_owned();
            let begin = "https://shop.example.com/cart?a=1&XHPROF=ticket-";
            assert!(
                ticket.starts_with(begin) && ticket.ends_with("#top"),
                "{ticket}"
            );
        }
        let tokens = of("/api/v1/tokens");
        assert_eq!(tokens.text().contains("reader"), is_shown, "{token}");
        let settings = of("/api/v1/pages/settings");
        assert_eq!(settings.json()["is_admin"], is_shown);
        assert!(!settings.text().contains(&server.tokens[0]));
    }
    let wrong = server.as_owner(
        2,
        "GET",
        "/api/v1/pages/profile-now?url=javascript:x",
        Vec::new(),
    );
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[test]
fn settings_have_what_was_refused_and_how_long_runs_are_kept() {
    let server = filled(1);
    server.send("POST", "/api/v1/runs", &[], b"<script>".to_vec());
    let policy = store::Policy {
        runs: Some(12_345),
        ..store::Policy::default()
    };
    server
        .store
        .set_policy(Some("blog"), Some(&policy))
        .unwrap();
    let page = server.get("/api/v1/pages/settings").json();
    assert_eq!(page["uploads"]["refused"], 1);
    let refusal = &page["uploads"]["refusals"][0];
    assert!(!refusal["reason"].as_str().unwrap().is_empty());
    assert_eq!(page["apps"][0]["name"], "shop");
    assert_eq!(page["apps"][0]["part"], 1.0);
    let retention = page["retention"].as_array().unwrap();
    let of = |app: &str| retention.iter().find(|of| of["app"] == app).unwrap();
    assert_eq!(of("blog")["policy"]["runs"], 12_345);
    assert_eq!(
        (&of("blog")["is_own"], &of("shop")["is_own"]),
        (&Value::Bool(true), &Value::Bool(false))
    );
    assert_eq!(page["stats"]["runs"], 1);
    assert_eq!(page["undelivered"], Value::Array(Vec::new()));
}

#[test]
fn an_empty_store_has_pages() {
    let server = open();
    for (route, _) in routes() {
        let is_page = route.path.starts_with("/api/v1/pages/") && !route.path.contains('{');
        if is_page {
            let answer = server.get(route.path);
            let is_missing = answer.status == StatusCode::NOT_FOUND;
            assert!(
                is_missing
                    || answer.status == StatusCode::OK
                    || answer.status == StatusCode::BAD_REQUEST,
                "{}",
                route.path
            );
        }
    }
    assert_eq!(server.get("/api/v1/pages/home").json()["has_runs"], false);
}
