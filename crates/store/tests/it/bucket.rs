//! Files of runs in a bucket.
//!
//! `./x bucket` runs the test that needs a service. It names one in
//! `XHPROF_TEST_BUCKET`, as an address; the key is in the environment.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::os::unix::fs::OpenOptionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use store::bucket::{Address, Bucket};
use store::{Error, RunId};
use tempfile::TempDir;
use tiny_http::{Response, Server};

/// A service that gives these answers in turn, and tells what it was asked.
struct Service {
    bucket: Bucket,
    asked: Receiver<(String, String, Vec<u8>)>,
    _folder: TempDir,
}

fn service(answers: &'static [(u16, &'static str)]) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let mut file = std::fs::OpenOptions::new();
    let file = file.write(true).create_new(true).mode(0o600).open(&key);
    std::io::Write::write_all(
        &mut file.unwrap(),
        b"aws_access_key_id = KEY\naws_secret_access_key = SECRET\n",
    )
    .unwrap();
    let server = Server::http("127.0.0.1:0").unwrap();
    let port = server.server_addr().to_ip().unwrap().port();
    let (tell, asked) = channel();
    thread::spawn(move || {
        for (status, text) in answers {
            let mut request = server.recv().unwrap();
            let mut body = Vec::new();
            request.as_reader().read_to_end(&mut body).unwrap();
            let question = (request.method().to_string(), request.url().to_owned(), body);
            tell.send(question).unwrap();
            let response = Response::from_string(*text).with_status_code(*status);
            request.respond(response).unwrap();
        }
    });
    let key = key.display();
    let address = format!("s3://runs/a?endpoint=http://127.0.0.1:{port}&credentials={key}");
    Service {
        bucket: Bucket::new(Address::parse(&address).unwrap()).unwrap(),
        asked,
        _folder: folder,
    }
}

fn name() -> String {
    RunId::of(b"a run").to_string()
}

#[test]
fn an_attempt_that_a_busy_service_refuses_is_repeated_with_the_same_bytes() {
    let service = service(&[(503, "<Error><Code>SlowDown</Code></Error>"), (200, "")]);
    service.bucket.put(&name(), b"the file").unwrap();
    for _ in 0..2 {
        let (method, url, body) = service.asked.recv().unwrap();
        assert_eq!(
            (method.as_str(), body.as_slice()),
            ("PUT", &b"the file"[..])
        );
        let key = name();
        assert!(
            url.starts_with(&format!("/runs/a/{}/{key}?", &key[..2])),
            "{url}"
        );
        assert!(!url.contains("SECRET"));
    }
}

#[test]
fn an_attempt_that_is_forbidden_fails_at_once_with_the_reason() {
    let service = service(&[(
        403,
        "<Error><Code>AccessDenied</Code><Message>no\u{1b}[2J</Message></Error>",
    )]);
    let error = service.bucket.put(&name(), b"x").unwrap_err().to_string();
    assert!(
        error.contains("403 Forbidden: AccessDenied: no[2J"),
        "{error}"
    );
    assert!(error.contains("s3://runs/a/"), "{error}");
    assert!(!error.contains("SECRET"), "{error}");
}

#[test]
fn a_missing_object_is_none_but_a_missing_bucket_is_an_error() {
    let service = service(&[
        (404, "<Error><Code>NoSuchKey</Code></Error>"),
        (
            404,
            "<Error><Code>NoSuchBucket</Code><Message>m</Message></Error>",
        ),
        (404, "<Error><Code>NoSuchKey</Code></Error>"),
    ]);
    assert_eq!(service.bucket.get(&name()).unwrap(), None);
    let error = service.bucket.get(&name()).unwrap_err().to_string();
    assert!(error.contains("NoSuchBucket"), "{error}");
    service.bucket.delete(&name()).unwrap();
}

#[test]
fn a_full_service_is_a_full_store() {
    let service = service(&[
        (507, "<Error><Code>XMinioStorageFull</Code></Error>"),
        (403, "<Error><Code>QuotaExceeded</Code></Error>"),
        (403, "<Error><Code>AccessDenied</Code></Error>"),
    ]);
    for _ in 0..2 {
        let error = service.bucket.put(&name(), b"x").unwrap_err();
        assert!(matches!(error, Error::Full), "{error}");
    }
    let error = service.bucket.put(&name(), b"x").unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error}");
}

#[test]
fn a_redirect_is_no_success() {
    let service = service(&[(307, "")]);
    assert!(service.bucket.put(&name(), b"x").is_err());
}

#[test]
fn a_service_that_is_not_there_is_named() {
    // No server has that port, and no client gets it from the kernel.
    let port = 1;
    let known = service(&[]);
    drop(known.asked);
    let key = known._folder.path().join("key");
    let address = format!(
        "s3://runs?endpoint=http://127.0.0.1:{port}&credentials={}",
        key.display()
    );
    let bucket = Bucket::new(Address::parse(&address).unwrap()).unwrap();
    let error = bucket.get(&name()).unwrap_err().to_string();
    assert!(error.contains(&format!("127.0.0.1:{port}")), "{error}");
}

/// Signed requests to a real service.
#[test]
fn a_service_keeps_files() {
    let Ok(address) = std::env::var("XHPROF_TEST_BUCKET") else {
        return;
    };
    let bucket = Bucket::new(Address::parse(&address).unwrap()).unwrap();
    let large: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    for file in [&b""[..], b"a file", &large] {
        let id = RunId::of(file).to_string();
        assert_eq!(bucket.get(&id).unwrap(), None);
        assert!(!bucket.has(&id).unwrap());
        bucket.put(&id, file).unwrap();
        bucket.put(&id, file).unwrap();
        assert_eq!(bucket.get(&id).unwrap().as_deref(), Some(file));
        assert!(bucket.has(&id).unwrap());
        bucket.delete(&id).unwrap();
        bucket.delete(&id).unwrap();
        assert_eq!(bucket.get(&id).unwrap(), None);
    }
    assert_eq!(bucket.owner().unwrap(), None);
    bucket.claim("me").unwrap();
    assert_eq!(bucket.owner().unwrap().as_deref(), Some("me"));
    // More names than one list has, of two folders.
    let names: Vec<String> = (0..1005).map(|number| format!("ab-{number:04}")).collect();
    for name in names.iter().chain([&"ac-x".to_owned()]) {
        bucket.put(name, b"x").unwrap();
    }
    let (mut listed, has_more) = bucket.list("ab", None).unwrap();
    assert_eq!((listed.len(), has_more), (1000, true));
    let (rest, has_more) = bucket
        .list("ab", listed.last().map(String::as_str))
        .unwrap();
    listed.extend(rest);
    assert_eq!((listed, has_more), (names, false));
    let missing = address.replacen("s3://", "s3://no-such-", 1);
    let bucket = Bucket::new(Address::parse(&missing).unwrap()).unwrap();
    assert!(bucket.get(&name()).is_err());
    assert!(bucket.put(&name(), b"x").is_err());
}
