//! Broken uploads: files, packed files, bodies, headers and queries that are
//! changed at random.
//!
//! `UPLOADS=100000` sends as many, `UPLOAD_SECONDS=300` as many as it can: that is
//! `./x fuzz 300 uploads`. An upload depends on its number only: `FIRST_UPLOAD=7
//! UPLOADS=1` repeats one. No answer may be a failure of the server, and the store
//! must be whole afterwards. cargo-fuzz has the target `uploads` in `fuzz/`.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use serve::{Access, Config, Readers, State, app};
use simulate::{Random, RunAt, SmallShop};
use store::{SqliteStore, Store};
use tower::ServiceExt;

const BEGIN_US: u64 = 1_793_491_200_000_000;

/// The uploads that are changed: path with query, headers, and the file that is
/// the body, or the files that are its parts.
type Seed = (&'static str, Vec<(&'static str, String)>, Vec<Vec<u8>>);

fn seeds() -> Vec<Seed> {
    let shop = SmallShop {
        paths: 12,
        ..SmallShop::default()
    };
    let mut native = Vec::new();
    let at = RunAt {
        number: 1,
        route: 0,
        release: 0,
        started_us: BEGIN_US,
    };
    profile::native::write(&shop.run(at), &mut native).unwrap();
    let calls = r#"{"main()":{"ct":1,"wt":100,"cpu":90,"mu":10,"pmu":10},"main()==>f":{"ct":2,"wt":50,"cpu":40,"mu":5,"pmu":5}}"#;
    let xhgui = format!(
        r#"{{"profile":{calls},"meta":{{"url":"/a/7","SERVER":{{"REQUEST_TIME":1793491200}}}}}}"#
    );
    let buggregator = format!(
        r#"{{"profile":{calls},"tags":{{"a":"b","c":[1]}},"app_name":"blog","hostname":"web1","date":1793491200}}"#
    );
    let multipart = ("content-type", "multipart/form-data; boundary=x".to_owned());
    let tags = vec![
        ("x-xhprof-app", "blog".to_owned()),
        ("x-xhprof-route", "/größe".to_owned()),
        ("x-xhprof-rate", "0.01".to_owned()),
        ("x-xhprof-tag", "branch=main".to_owned()),
        ("x-xhprof-file", "4b35d4ff1a2b3.shop.xhprof".to_owned()),
        ("x-xhprof-title", "t".to_owned()),
    ];
    let runs = "/api/v1/runs";
    let batch = "/api/v1/runs/batch";
    let packed = ("content-encoding", "zstd".to_owned());
    let calls = calls.as_bytes().to_vec();
    let encoded = ("content-encoding", "gzip".to_owned());
    let json = ("content-type", "application/json".to_owned());
    let dropped = r#"{"agent":"0123","host":"web1","dropped":[{"day_s":86400,"app":"a","reason":"refused","runs":1,"bytes":2}]}"#;
    let token = r#"{"name":"ci","scopes":["read"],"app":"blog","days":3}"#;
    let text = |text: &str| vec![text.as_bytes().to_vec()];
    vec![
        (runs, tags.clone(), vec![native.clone()]),
        (runs, vec![encoded], vec![native.clone()]),
        (
            runs,
            vec![multipart.clone()],
            vec![native.clone(), calls.clone()],
        ),
        (
            batch,
            vec![multipart.clone()],
            vec![native.clone(), calls.clone()],
        ),
        (
            batch,
            vec![multipart.clone(), packed],
            vec![native.clone(), calls.clone()],
        ),
        (runs, tags, vec![calls]),
        ("/run/import?token=x", Vec::new(), vec![xhgui.into_bytes()]),
        (
            "/api/profiler/store",
            Vec::new(),
            vec![buggregator.into_bytes()],
        ),
        (
            "/ingest?name=shop%7Bhost=web2,release=3%7D&from=1793491200&until=1793491210&format=folded",
            Vec::new(),
            vec![b"main;f 10\nmain;g 20\n".to_vec()],
        ),
        (
            "/ingest?name=shop.cpu&from=1793491200000000000",
            vec![multipart],
            vec![native.clone(), native.clone()],
        ),
        (
            "/push.v1.PusherService/Push",
            Vec::new(),
            vec![push(&native)],
        ),
        ("/api/v1/dropped", vec![json.clone()], text(dropped)),
        ("/api/v1/tokens", vec![json.clone()], text(token)),
        (
            "/api/v1/retain",
            vec![json.clone()],
            text(r#"{"app":"blog","dry_run":true}"#),
        ),
        ("/api/v1/session", vec![json], text(r#"{"token":"xhp_0"}"#)),
    ]
}

/// A push of Pyroscope with one profile: fields are a byte for their number and kind, a length,
/// and the content.
fn push(profile: &[u8]) -> Vec<u8> {
    fn field(key: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![key];
        let mut length = content.len();
        while length >= 0x80 {
            bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        bytes.push(u8::try_from(length).unwrap());
        bytes.extend_from_slice(content);
        bytes
    }
    let label = [field(0x0a, b"service_name"), field(0x12, b"blog")].concat();
    let sample = field(0x0a, profile);
    let series = [field(0x0a, &label), field(0x12, &sample)].concat();
    field(0x0a, &series)
}

/// The file with changes, often packed, and the packed file with changes.
fn file(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = file.to_vec();
    changed(&mut file, random);
    let mut packed = match random.below(4) {
        0 => {
            let level = flate2::Compression::fast();
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), level);
            packed.write_all(&file).unwrap();
            packed.finish().unwrap()
        }
        1 => zstd::bulk::compress(&file, 1).unwrap(),
        _ => return file,
    };
    if random.below(3) == 0 {
        changed(&mut packed, random);
    }
    packed
}

/// The files as the body of a request.
fn body(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if let [only] = files {
        return file(only, random);
    }
    let mut body = Vec::new();
    for (part, name) in files.iter().zip(["profile", "sample_type_config"]) {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend(file(part, random));
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    if random.below(2) == 0 {
        changed(&mut body, random);
    }
    body
}

/// Changes some bytes: one at a time, a part twice, a part left out, a number.
fn changed(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let mut place = || usize::try_from(random.below(bytes.len() as u64)).unwrap();
        let (a, b) = (place(), place());
        let (first, last) = (a.min(b), a.max(b));
        match random.below(6) {
            0 => bytes[first] = u8::try_from(random.below(256)).unwrap(),
            1 => bytes.truncate(first),
            2 => drop(bytes.drain(first..last.min(first + 20))),
            3 => {
                let part = bytes[first..last.min(first + 50)].to_vec();
                bytes.splice(last..last, part);
            }
            4 => drop(bytes.splice(first..first, *b"99999999999999999999")),
            _ => bytes[first] = [0, 0xff, b'"', b'{', b'\n'][a % 5],
        }
    }
}

fn request(seed: &Seed, random: &mut Random) -> Option<Request<Body>> {
    let (path, headers, files) = seed;
    let mut path = path.as_bytes().to_vec();
    // The path stays: what is changed is the query.
    if let Some(mark) = path.iter().position(|&byte| byte == b'?') {
        let mut query = path.split_off(mark + 1);
        changed(&mut query, random);
        path.extend(query);
    }
    let mut body = body(files, random);
    if headers.iter().any(|(_, value)| value == "zstd") {
        body = zstd::bulk::compress(&body, 1).unwrap();
        if random.below(2) == 0 {
            changed(&mut body, random);
        }
    }
    let uri = Uri::try_from(path).ok()?;
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri;
    let map = request.headers_mut();
    map.insert("host", HeaderValue::from_static("localhost"));
    for (name, value) in headers {
        let mut value = value.clone().into_bytes();
        if random.below(3) == 0 {
            changed(&mut value, random);
        }
        // What is no header never reaches a handler.
        let value = HeaderValue::from_bytes(&value).ok()?;
        map.append(HeaderName::from_static(name), value);
    }
    Some(request)
}

#[test]
fn no_upload_makes_the_server_fail() {
    let given = |name| {
        std::env::var(name)
            .ok()
            .map(|text| text.parse::<u64>().unwrap())
    };
    let until = given("UPLOAD_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
    let first = given("FIRST_UPLOAD").unwrap_or(0);
    let count = given("UPLOADS").unwrap_or(if until.is_some() { u64::MAX } else { 2_000 });
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("s")).unwrap());
    let app = app(State::new(Config {
        store: Arc::clone(&store),
        readers: Arc::new(Readers::in_this_process()),
        listen: "127.0.0.1:8470".parse().unwrap(),
        access: Access::WithoutLogin,
        hosts: Vec::new(),
        proxies: Vec::new(),
        tls: None,
        demo: None,
        findings: Box::new(|_, _| Ok(serve::Findings::default())),
        webhook: None,
        undelivered: Arc::default(),
        trigger: serve::Trigger {
            name: "XHPROF".to_owned(),
            secret: None,
        },
        trace_url: None,
    }));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seeds = seeds();
    let (mut sent, mut taken, mut refused) = (0, 0, 0);
    for number in first..first.saturating_add(count) {
        if until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        let mut random = Random::new(1, number);
        let seed = &seeds[usize::try_from(number).unwrap() % seeds.len()];
        let Some(request) = request(seed, &mut random) else {
            continue;
        };
        sent += 1;
        let about = format!("{number}: {request:?}");
        let response = runtime.block_on(app.clone().oneshot(request)).unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX);
        let body = runtime.block_on(body).unwrap();
        let text = String::from_utf8_lossy(&body);
        assert!(!status.is_server_error(), "{about}: {status} {text}");
        taken += u64::from(status.is_success());
        refused += u64::from(status.is_client_error());
    }
    println!("{sent} uploads: {taken} taken, {refused} refused, none failed");
    // Both kinds, or the changes are too large or too small.
    let is_mixed = taken > sent / 10 && refused > sent / 10;
    assert!(is_mixed || count < 100, "{taken} {refused}");
    assert_eq!(store.verify().unwrap().problems, []);
}
