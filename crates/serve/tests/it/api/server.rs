//! A server with an empty store, and requests to it.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use serde_json::Value;
use serve::{
    Access, Config, Findings, Found, Readers, ReleaseFindings, State, Trigger, add_token, app,
    read_tokens,
};
use simulate::{RunAt, SmallShop};
use store::{Options, SqliteStore, Store};
use tempfile::TempDir;
use tower::ServiceExt;

const BEGIN_US: u64 = 1_793_491_200_000_000;

pub(crate) struct Server {
    app: Router,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) tokens: Vec<String>,
    /// The file of the tokens.
    path: PathBuf,
    has_tokens: bool,
    /// None in [`another`](Self::another).
    _folder: Option<TempDir>,
}

/// A server that asks for tokens: for reading, writing, everything, and reading
/// and writing of one application.
pub(crate) fn locked() -> Server {
    server(true, None)
}

pub(crate) fn open() -> Server {
    server(false, None)
}

pub(crate) fn server(has_tokens: bool, max_bytes: Option<u64>) -> Server {
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
        path,
        has_tokens,
        _folder: Some(folder),
    }
}

fn service(store: &Arc<dyn Store>, access: Access) -> Router {
    app(State::new(Config {
        store: Arc::clone(store),
        readers: Arc::new(Readers::in_this_process()),
        listen: "127.0.0.1:8470".parse().unwrap(),
        access,
        hosts: vec!["profiles.example.com".to_owned()],
        proxies: vec!["203.0.113.0/28".parse().unwrap()],
        tls: None,
        demo: None,
        findings: Box::new(|_, app| Ok(findings(app))),
        webhook: None,
        undelivered: Arc::default(),
        trigger: Trigger {
            name: "XHPROF".to_owned(),
            secret: Some("hush".to_owned()),
        },
        trace_url: Some("https://tempo.example.com/{trace_id}".parse().unwrap()),
    }))
}

pub(crate) fn run(number: u64) -> Vec<u8> {
    let shop = SmallShop {
        paths: 40,
        ..SmallShop::default()
    };
    let profile = shop.run(RunAt {
        number,
        route: u32::try_from(number % 3).unwrap(),
        release: 0,
        started_us: BEGIN_US + number * 1_000_000,
    });
    let mut bytes = Vec::new();
    profile::native::write(&profile, &mut bytes).unwrap();
    bytes
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: header::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    /// The folder with the store and the tokens.
    pub(crate) fn folder(&self) -> PathBuf {
        self.path.parent().unwrap().to_owned()
    }

    pub(crate) fn with_tokens_read_again(mut self) -> Self {
        let tokens = read_tokens(&self.path).unwrap();
        self.app = service(&self.store, Access::Tokens(tokens));
        self
    }

    /// Another server of the same store, with the same file of tokens.
    pub(crate) fn another(&self) -> Self {
        let access = match self.has_tokens {
            true => Access::Tokens(read_tokens(&self.path).unwrap()),
            false => Access::WithoutLogin,
        };
        Self {
            app: service(&self.store, access),
            store: Arc::clone(&self.store),
            tokens: self.tokens.clone(),
            path: self.path.clone(),
            has_tokens: self.has_tokens,
            _folder: None,
        }
    }

    /// The same server with one more token: of an administrator of `shop` only.
    /// Returns its place among the tokens, too.
    pub(crate) fn with_owner_of_shop(mut self) -> (Self, usize) {
        let own = add_token(&self.path, "own", "read,admin", Some("shop")).unwrap();
        self.tokens.push(own);
        let owner = self.tokens.len() - 1;
        (self.with_tokens_read_again(), owner)
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        self.send_from(None, method, path, headers, body)
    }

    /// The same, from an address that the server knows.
    pub(crate) fn send_from(
        &self,
        peer: Option<IpAddr>,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(peer) = peer {
            request = request.extension(ConnectInfo(SocketAddr::from((peer, 4711))));
        }
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

    /// Logs a browser in.
    pub(crate) fn log_in_from(
        &self,
        peer: Option<IpAddr>,
        headers: &[(&str, &str)],
        token: &str,
    ) -> Answer {
        let headers = [&[("content-type", "application/json")], headers].concat();
        let body = serde_json::json!({ "token": token }).to_string();
        self.send_from(peer, "POST", "/api/v1/session", &headers, body.into())
    }

    /// The cookie of a token's session.
    pub(crate) fn cookie(&self, token: &str) -> String {
        let answer = self.log_in_from(None, &[], token);
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        let cookie = answer.headers[header::SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Vec::new())
    }

    pub(crate) fn as_owner(&self, token: usize, method: &str, path: &str, body: Vec<u8>) -> Answer {
        let bearer = format!("Bearer {}", self.tokens[token]);
        self.send(method, path, &[("authorization", &bearer)], body)
    }
}

/// What a search finds, with names as hostile as any.
fn findings(app: &str) -> Findings {
    Findings {
        releases: vec![ReleaseFindings {
            release: "<script>2".to_owned(),
            is_compared: true,
            found: vec![Found {
                sentence: format!("<script> of {app} takes more"),
                function: Some("<script>f".to_owned()),
                path: vec!["<script>f".to_owned()],
                ..Found::default()
            }],
            ..ReleaseFindings::default()
        }],
    }
}
