//! The server as its clients see it, without a socket.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::Value;
use serve::{Access, Config, Readers, Scope, State, add_token, app, read_tokens, routes};
use store::simulate::{At, Shop};
use store::{Options, SqliteStore, Store};
use tempfile::TempDir;
use tower::ServiceExt;

const BEGIN_US: u64 = 1_793_491_200_000_000;

struct Server {
    app: Router,
    store: Arc<dyn Store>,
    tokens: Vec<String>,
    folder: TempDir,
}

/// A server that asks for tokens: for reading, writing, everything, and reading
/// and writing of one application.
fn locked() -> Server {
    server(true, None)
}

fn open() -> Server {
    server(false, None)
}

fn server(has_tokens: bool, max_bytes: Option<u64>) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        max_bytes,
        ..Options::default()
    };
    let store = SqliteStore::open_with(&folder.path().join("store"), options).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let path = folder.path().join("tokens");
    let mut tokens = Vec::new();
    for (name, scopes, app) in [
        ("reader", "read", None),
        ("writer", "write", None),
        ("boss", "read,write,admin", None),
        ("shop", "read,write", Some("shop")),
    ] {
        tokens.push(add_token(&path, name, scopes, app).unwrap());
    }
    let access = if has_tokens {
        Access::Tokens(read_tokens(&path).unwrap())
    } else {
        Access::WithoutLogin
    };
    Server {
        app: service(&store, access),
        store,
        tokens,
        folder,
    }
}

fn service(store: &Arc<dyn Store>, access: Access) -> Router {
    app(State::new(Config {
        store: Arc::clone(store),
        readers: Arc::new(Readers::in_this_process()),
        listen: "127.0.0.1:8470".parse().unwrap(),
        access,
        hosts: vec!["profiles.example.com".to_owned()],
        tls: None,
        is_demo: false,
        viewer: Box::new(|file, title| Ok(format!("viewer of {} bytes: {title}", file.len()))),
        findings: Box::new(|_, app| Ok(format!("findings of <{app}>"))),
        viewer_policy: "default-src 'none'".to_owned(),
    }))
}

fn run(number: u64) -> Vec<u8> {
    let shop = Shop {
        paths: 40,
        ..Shop::default()
    };
    let profile = shop.run(At {
        number,
        route: usize::try_from(number % 3).unwrap(),
        release: 0,
        started_us: BEGIN_US + number * 1_000_000,
    });
    let mut bytes = Vec::new();
    profile::native::write(&profile, &mut bytes).unwrap();
    bytes
}

struct Answer {
    status: StatusCode,
    headers: header::HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    fn with_tokens_read_again(mut self) -> Self {
        let tokens = read_tokens(&self.folder.path().join("tokens")).unwrap();
        self.app = service(&self.store, Access::Tokens(tokens));
        self
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost:8470");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let response = self.app.clone().oneshot(request).await.unwrap();
            let status = response.status();
            let headers = response.headers().clone();
            let body = to_bytes(response.into_body(), usize::MAX)
                .await
                .unwrap()
                .to_vec();
            Answer {
                status,
                headers,
                body,
            }
        })
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Vec::new())
    }

    fn as_owner(&self, token: usize, method: &str, path: &str, body: Vec<u8>) -> Answer {
        let bearer = format!("Bearer {}", self.tokens[token]);
        self.send(method, path, &[("authorization", &bearer)], body)
    }
}

fn concrete(path: &str) -> String {
    let path = path.replace("{id}", "00112233445566778899aabbccddeeff");
    path.replace("{app}", "shop")
}

#[test]
fn no_route_is_open_to_a_stranger() {
    let server = locked();
    let mut open = BTreeSet::new();
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            if *scope == Scope::Open {
                open.insert(format!("{method} {}", route.path));
                continue;
            }
            for headers in [
                &[][..],
                &[("authorization", "Bearer wrong")],
                &[("authorization", "Basic Zm9vOmJhcg==")],
                &[("cookie", "xhprof_session=x")],
            ] {
                let answer = server.send(method, &concrete(route.path), headers, Vec::new());
                let is_refused = match answer.status {
                    StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS => true,
                    StatusCode::SEE_OTHER => answer.headers[header::LOCATION] == "/login",
                    _ => false,
                };
                assert!(is_refused, "{method} {}: {}", route.path, answer.status);
            }
        }
    }
    let known = [
        "GET /api/v1/openapi.json",
        "GET /healthz",
        "GET /login",
        "GET /style.css",
        "POST /login",
        "POST /logout",
    ];
    assert_eq!(open, known.map(str::to_owned).into());
}

#[test]
fn a_token_does_what_its_scopes_say() {
    let server = locked();
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            for (token, scopes) in [
                (0, &[Scope::Read][..]),
                (1, &[Scope::Write]),
                (2, &[Scope::Read, Scope::Write, Scope::Admin]),
            ] {
                if *scope == Scope::Open {
                    continue;
                }
                let answer = server.as_owner(token, method, &concrete(route.path), Vec::new());
                let is_refused = answer.status == StatusCode::FORBIDDEN;
                assert_eq!(
                    is_refused,
                    !scopes.contains(scope),
                    "{method} {} {token}",
                    route.path
                );
                assert!(!answer.status.is_server_error(), "{method} {}", route.path);
            }
        }
    }
}

#[test]
fn a_token_of_an_application_sees_and_writes_no_other() {
    let server = locked();
    let mut other = profile::Profile::empty();
    other.meta.set_tag("app", "other");
    let mut bytes = Vec::new();
    profile::native::write(&other, &mut bytes).unwrap();
    let answer = server.as_owner(2, "POST", "/api/v1/runs", bytes.clone());
    let id = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/api/v1/runs/{id}"),
        format!("/api/v1/runs/{id}/file"),
        format!("/run/{id}"),
    ] {
        assert_eq!(
            server.as_owner(2, "GET", &path, Vec::new()).status,
            StatusCode::OK,
            "{path}"
        );
        assert_eq!(
            server.as_owner(3, "GET", &path, Vec::new()).status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let listed = server.as_owner(3, "GET", "/api/v1/runs", Vec::new()).json();
    assert_eq!(listed["runs"], Value::Array(Vec::new()));
    assert_eq!(
        server.as_owner(3, "GET", "/api/v1/apps", Vec::new()).json(),
        Value::Array(Vec::new())
    );
    let asked = server.as_owner(3, "GET", "/api/v1/routes?q=app:other", Vec::new());
    assert_eq!(asked.status, StatusCode::FORBIDDEN);
    // What it sends is its own, whatever the profile says.
    assert_eq!(
        server.as_owner(3, "POST", "/api/v1/runs", bytes).status,
        StatusCode::CREATED
    );
    let listed = server.as_owner(3, "GET", "/api/v1/runs", Vec::new()).json();
    assert_eq!(listed["runs"][0]["app"], "shop");
    // Totals of all applications are not for it.
    for path in ["/metrics", "/api/v1/stats"] {
        assert_eq!(
            server.as_owner(3, "GET", path, Vec::new()).status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
}

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
fn other_names_and_other_sites_are_refused() {
    let server = open();
    for (host, status) in [
        ("localhost:8470", 200),
        ("127.0.0.1:8470", 200),
        ("[::1]:8470", 200),
        ("profiles.example.com", 200),
        ("PROFILES.example.com:443", 200),
        ("evil.example.com", 421),
        ("localhost.evil.example.com", 421),
        ("", 421),
    ] {
        let answer = server.send("GET", "/api/v1/stats", &[("host", host)], Vec::new());
        assert_eq!(answer.status.as_u16(), status, "{host}");
    }
    for (origin, is_taken) in [
        ("http://localhost:8470", true),
        ("http://localhost:9999", false),
        ("http://evil.example.com", false),
        ("null", false),
    ] {
        let answer = server.send("POST", "/api/v1/runs", &[("origin", origin)], run(1));
        assert_eq!(answer.status == StatusCode::CREATED, is_taken, "{origin}");
    }
    let answer = server.send(
        "POST",
        "/api/v1/runs",
        &[("sec-fetch-site", "cross-site")],
        run(1),
    );
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[test]
fn a_browser_logs_in_and_needs_its_csrf_token_for_changes() {
    let server = locked();
    let form = |token: &str| format!("token={token}").into_bytes();
    assert_eq!(
        server.send("POST", "/login", &[], form("wrong")).status,
        StatusCode::UNAUTHORIZED
    );
    let answer = server.send("POST", "/login", &[], form(&server.tokens[2]));
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let cookie = cookie.split(';').next().unwrap();
    let get = server.send("GET", "/api/v1/session", &[("cookie", cookie)], Vec::new());
    assert_eq!(get.status, StatusCode::OK);
    let csrf = get.json()["csrf"].as_str().unwrap().to_owned();
    let post =
        |headers: &[(&str, &str)]| server.send("POST", "/api/v1/runs", headers, run(1)).status;
    assert_eq!(post(&[("cookie", cookie)]), StatusCode::FORBIDDEN);
    assert_eq!(
        post(&[("cookie", cookie), ("x-csrf-token", "x")]),
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        post(&[("cookie", cookie), ("x-csrf-token", &csrf)]),
        StatusCode::CREATED
    );
    server.send("POST", "/logout", &[("cookie", cookie)], Vec::new());
    assert_eq!(
        server
            .send("GET", "/api/v1/stats", &[("cookie", cookie)], Vec::new())
            .status,
        StatusCode::UNAUTHORIZED
    );
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

#[test]
fn the_description_has_every_route_of_the_api() {
    let server = open();
    let description = server.get("/api/v1/openapi.json").json();
    for (route, _) in routes() {
        if !route.path.starts_with("/api/v1/") {
            continue;
        }
        for (method, _) in route.methods {
            let described = &description["paths"][route.path][method.to_lowercase()];
            let is_itself = route.path == "/api/v1/openapi.json";
            assert!(
                is_itself || described.is_object(),
                "{method} {}",
                route.path
            );
        }
    }
}

/// Adds the targets of all references in a document.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(target) if name == "$ref" => {
                        found.insert(target.trim_start_matches('#').to_owned());
                    }
                    _ => references(value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_description_has_all_schemas_that_it_refers_to() {
    let description = open().get("/api/v1/openapi.json").json();
    let mut found = BTreeSet::new();
    references(&description, &mut found);
    assert!(found.contains("/components/schemas/RunSort"));
    for target in found {
        assert!(description.pointer(&target).is_some(), "{target}");
    }
}

#[test]
fn questions_are_answered_and_bad_ones_named() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let routes = server.get("/api/v1/routes").json();
    assert_eq!(routes.as_array().unwrap().len(), 3);
    for path in [
        "/api/v1/runs?sort=wall&limit=5",
        "/api/v1/releases",
        "/api/v1/days",
        "/api/v1/trend?q=route:/cart&step=hour",
        "/api/v1/trend?function=main()",
        "/api/v1/functions?sort=calls&limit=3",
        "/api/v1/function?name=main()",
        "/api/v1/tree?q=route:/cart",
        "/api/v1/diff?before=route:/cart&after=route:/",
        "/api/v1/spans",
        "/healthz",
        "/metrics",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
    }
    let tree = server.get("/api/v1/tree?q=route:/cart").body;
    let tree = formats::read(tree.as_slice()).unwrap();
    assert_eq!(tree.meta.tag("runs"), Some("10"));
    for (path, status) in [
        ("/api/v1/runs?q=colour:red", 400),
        ("/api/v1/runs?cursor=x", 400),
        ("/api/v1/runs?limit=x", 400),
        ("/api/v1/runs?sort=x", 400),
        ("/api/v1/runs/x", 400),
        ("/api/v1/runs/00112233445566778899aabbccddeeff", 404),
        ("/api/v1/function?name=no", 404),
        ("/api/v1/function", 400),
        ("/api/v2/runs", 404),
        ("/../../etc/passwd", 404),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
    }
    let id = server.get("/api/v1/runs?limit=1").json()["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let label = br#"{"label":"slow one"}"#.to_vec();
    let kind = [("content-type", "application/json")];
    let path = format!("/api/v1/runs/{id}/label");
    assert_eq!(
        server.send("PUT", &path, &kind, label).status,
        StatusCode::NO_CONTENT
    );
    let found = server.get("/api/v1/runs?q=label:slow*").json();
    assert_eq!(found["runs"][0]["id"], id.as_str());
    let deleted = server.send("DELETE", &format!("/api/v1/runs/{id}"), &[], Vec::new());
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    assert_eq!(server.store.stats().unwrap().runs, 29);
    let asked = br#"{"app":"shop","policy":{"days":1,"notable":0}}"#.to_vec();
    let answer = server.send("POST", "/api/v1/retain", &kind, asked);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
}

#[test]
fn links_of_xhprof_open_the_runs_of_its_folder() {
    let server = open();
    let calls = |wall: u32| format!(r#"{{"main()":{{"ct":1,"wt":{wall}}}}}"#).into_bytes();
    let mut ids = Vec::new();
    for (name, wall) in [
        ("65f0c0ffee123.shop.xhprof", 100),
        ("65f0c0ffee124.shop.xhprof", 200),
        // The same id and content, of another application.
        ("65f0c0ffee123.blog.xhprof", 100),
    ] {
        let headers = [("x-xhprof-file", name)];
        let answer = server.send("POST", "/api/v1/runs", &headers, calls(wall));
        assert_eq!(answer.json()["runs"][0]["is_new"], true);
        let again = server.send("POST", "/api/v1/runs", &headers, calls(wall));
        assert_eq!(again.json()["runs"][0]["is_new"], false, "{name}");
        ids.push(again.json()["runs"][0]["id"].as_str().unwrap().to_owned());
    }
    let run = server.get(&format!("/api/v1/runs/{}", ids[0])).json();
    assert_eq!(run["started_us"], 0x65f0_c0ff_u64 * 1_000_000 + 0xee123);
    assert_eq!(run["title"], "shop");
    let [shop, other, blog] = ids.try_into().unwrap();
    let query = "run=65f0c0ffee123&source=shop";
    for (link, place) in [
        (format!("/?{query}"), format!("/index.php?{query}")),
        (format!("/index.php?{query}"), format!("/run/{shop}")),
        (
            format!("/index.php?{query}&symbol=f&sort=wt"),
            format!("/run/{shop}"),
        ),
        (format!("/callgraph.php?{query}"), format!("/run/{shop}")),
        (
            format!("/xhprof_html/index.php?{query}"),
            format!("/run/{shop}"),
        ),
        (
            "/index.php?run=65f0c0ffee123&source=blog".to_owned(),
            format!("/run/{blog}"),
        ),
        (
            "/index.php?run=65f0c0ffee124".to_owned(),
            format!("/run/{other}"),
        ),
        (format!("/index.php?run={blog}"), format!("/run/{blog}")),
        (
            "/?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
            "/index.php?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
        ),
        (
            "/index.php?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
            format!("/compare?before=run:{shop}&after=run:{other}"),
        ),
        (
            "/index.php?run=65f0c0ffee123,65f0c0ffee124&source=shop".to_owned(),
            format!("/tree?q=run:{shop}%20run:{other}"),
        ),
        ("/index.php".to_owned(), "/".to_owned()),
    ] {
        let answer = server.get(&link);
        assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT, "{link}");
        assert_eq!(answer.headers[header::LOCATION], place, "{link}");
        if place.starts_with("/run/") || place.starts_with("/compare") || place.starts_with("/tree")
        {
            assert_eq!(server.get(&place).status, StatusCode::OK, "{place}");
        }
    }
    for link in [
        "/index.php?run=65f0c0ffee129&source=shop",
        "/index.php?run=65f0c0ffee124&source=blog",
        "/index.php?run=*",
        "/index.php?run=65f0c0ffee123&source=*",
        "/index.php?run=",
        "/index.php?run=00112233445566778899aabbccddeeff",
    ] {
        assert_eq!(server.get(link).status, StatusCode::NOT_FOUND, "{link}");
    }
    // The list has parameters of its own.
    assert_eq!(server.get("/?q=run:7").status, StatusCode::OK);
}

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
    assert_eq!(retain(r#"{"app":"shop"}"#)["by_count"], 20);
    assert_eq!(server.store.stats().unwrap().runs, 10);
    let removals = server.get("/api/v1/removals").json();
    assert_eq!(removals["removals"][0]["reason"], "count");
    assert_eq!(removals["removals"][0]["count"], 20);
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
    let mut server = server(true, None);
    let path = server.folder.path().join("tokens");
    let own = add_token(&path, "own", "read,admin", Some("shop")).unwrap();
    server.tokens.push(own);
    let server = server.with_tokens_read_again();
    let owner = server.tokens.len() - 1;
    let send = |method: &str, path: &str| {
        let bearer = format!("Bearer {}", server.tokens[owner]);
        let headers = [("authorization", bearer.as_str()), JSON];
        server.send(method, path, &headers, b"{}".to_vec()).status
    };
    assert_eq!(send("PUT", "/api/v1/policies/shop"), StatusCode::OK);
    for (method, path) in [
        ("PUT", "/api/v1/policies"),
        ("DELETE", "/api/v1/policies"),
        ("PUT", "/api/v1/policies/blog"),
        ("DELETE", "/api/v1/policies/blog"),
    ] {
        assert_eq!(send(method, path), StatusCode::FORBIDDEN, "{method} {path}");
    }
    let store = &server.store;
    let policy = store::Policy::default();
    store.set_policy(Some("blog"), Some(&policy)).unwrap();
    let seen = server.as_owner(owner, "GET", "/api/v1/policies", Vec::new());
    let seen = seen.json();
    assert_eq!(seen["apps"].as_array().unwrap().len(), 1);
    assert_eq!(seen["apps"][0]["app"], "shop");
}

#[test]
fn pages_show_text_as_text_and_run_no_script() {
    let server = open();
    let headers = [
        ("x-xhprof-route", "/<script>alert(1)</script>"),
        ("x-xhprof-app", "a\"b"),
    ];
    let answer = server.send("POST", "/api/v1/runs", &headers, run(1));
    let id = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    for path in [
        "/".to_owned(),
        "/?q=%3Cscript%3E".to_owned(),
        "/?q=x:%3Cscript%3E".to_owned(),
        "/routes".to_owned(),
        "/route".to_owned(),
        "/compare?before=%3Cscript%3E&after=x:y".to_owned(),
        "/compare?before=since:9d&after=since:8d".to_owned(),
        "/login".to_owned(),
        "/regressions".to_owned(),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(
            !answer.text().contains("<script"),
            "{path}: {}",
            answer.text()
        );
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
    assert!(
        server
            .get(&format!("/run/{id}"))
            .text()
            .starts_with("viewer of ")
    );
    assert!(server.get("/tree?q=route:*").text().contains("1 runs"));
    assert!(open().get("/").text().contains("xhprof push"));
}
