//! Uploads to the server. The input is a request: a path, lines of headers, an
//! empty line, the body.

#![no_main]

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request};
use libfuzzer_sys::fuzz_target;
use serve::{Access, Config, Findings, Readers, State, Trigger, app};
use store::SqliteStore;
use tower::ServiceExt;

/// The uploads that a server takes. A path of the input that is none of these is
/// the first, with the rest of the line as its query.
const PATHS: [&str; 6] = [
    "/api/v1/runs",
    "/api/v1/runs/batch",
    "/run/import",
    "/api/profiler/store",
    "/ingest",
    "/push.v1.PusherService/Push",
];

/// A server whose store is in a temporary folder, which stays.
fn server() -> &'static Router {
    static SERVER: OnceLock<Router> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder").keep();
        let store = SqliteStore::open(&folder).expect("a store");
        app(State::new(Config {
            store: Arc::new(store),
            readers: Arc::new(Readers::in_this_process()),
            listen: "127.0.0.1:8470".parse().expect("an address"),
            access: Access::WithoutLogin,
            hosts: Vec::new(),
            proxies: Vec::new(),
            tls: None,
            demo: None,
            viewer: Box::new(|_| Ok(String::new())),
            findings: Box::new(|_, _| Ok(Findings::default())),
            undelivered: Arc::default(),
            trigger: Trigger {
                name: "XHPROF".to_owned(),
                secret: None,
            },
            viewer_policy: "default-src 'none'".to_owned(),
        }))
    })
}

fn request(input: &[u8]) -> Option<Request<Body>> {
    let mut rest = input;
    let mut line = || -> Option<&[u8]> {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let (line, after) = rest.split_at(end);
        rest = after.get(1..)?;
        Some(line)
    };
    let first = String::from_utf8_lossy(line()?).into_owned();
    let path = first.split('?').next().unwrap_or_default();
    let uri = if PATHS.contains(&path) {
        first
    } else {
        format!("{}?{first}", PATHS[0])
    };
    let mut request = Request::post(uri).header("host", "localhost");
    loop {
        let line = line()?;
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = line.split_at(colon);
        let name = HeaderName::from_bytes(name).ok()?;
        let value = HeaderValue::from_bytes(value.get(1..)?).ok()?;
        request = request.header(name, value);
    }
    request.body(Body::from(rest.to_vec())).ok()
}

fuzz_target!(|input: &[u8]| {
    let Some(request) = request(input) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let answer = runtime.block_on(server().clone().oneshot(request));
    let status = answer.expect("an answer").status();
    assert!(!status.is_server_error(), "{status}");
});
