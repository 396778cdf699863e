//! The files of the app. `./x web` makes them.
//!
//! **Invariant:** the address of a file has the hash of its content, so a browser may keep it for ever.

use std::io::{Read, Write};
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::problem::Problem;

/// A file, packed with gzip.
pub(super) struct BuiltFile {
    /// Its name with the hash.
    name: String,
    kind: &'static str,
    policy: &'static str,
    packed: Bytes,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const NOTHING: &str = "default-src 'none'";

pub(super) static APP: LazyLock<BuiltFile> = LazyLock::new(|| {
    let script = packed(include_bytes!("../../../../web/dist/app.js"));
    BuiltFile::new("app", "js", SCRIPT, script)
});

pub(super) static STYLE: LazyLock<BuiltFile> = LazyLock::new(|| {
    let style = packed(include_bytes!("../../../../web/dist/app.css"));
    BuiltFile::new("app", "css", "text/css; charset=utf-8", style)
});

/// A worker has the policy of its own answer: this one compiles the engine.
pub(super) static WORKER: LazyLock<BuiltFile> = LazyLock::new(|| {
    let script = Bytes::from_static(include_bytes!("../../../../web/dist/worker.js.gz"));
    BuiltFile {
        policy: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
        ..BuiltFile::new("worker", "js", SCRIPT, script)
    }
});

pub(super) static ENGINE: LazyLock<BuiltFile> = LazyLock::new(|| {
    let engine = Bytes::from_static(include_bytes!("../../../../web/dist/engine.wasm.gz"));
    BuiltFile::new("engine", "wasm", "application/wasm", engine)
});

impl BuiltFile {
    fn new(name: &str, ending: &str, kind: &'static str, packed: Bytes) -> Self {
        let hash = blake3::hash(&packed).to_hex();
        let hash = hash.get(..16).unwrap_or_default();
        Self {
            name: format!("{name}-{hash}.{ending}"),
            kind,
            policy: NOTHING,
            packed,
        }
    }

    /// Where it is.
    pub(super) fn address(&self) -> String {
        format!("/assets/{}", self.name)
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let common = [
            (header::CONTENT_TYPE, self.kind),
            (header::CONTENT_SECURITY_POLICY, self.policy),
            (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (header::VARY, "accept-encoding"),
        ];
        if takes_gzip(headers) {
            let encoding: [(HeaderName, &str); 1] = [(header::CONTENT_ENCODING, "gzip")];
            return (common, encoding, self.packed.clone()).into_response();
        }
        let mut plain = Vec::new();
        match GzDecoder::new(&*self.packed).read_to_end(&mut plain) {
            Ok(_) => (common, plain).into_response(),
            Err(error) => {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
            }
        }
    }
}

/// Whether the client unpacks gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let taken = headers.get(header::ACCEPT_ENCODING);
    let taken = taken.and_then(|taken| taken.to_str().ok()).unwrap_or("");
    taken.split(',').any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(quality.trim(), "q=0" | "q=0.0")
    })
}

/// Packs a file; an empty one if that fails, which memory alone does.
fn packed(file: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(file).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}

/// Serves one of them.
pub(crate) async fn file(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let all = [&APP, &STYLE, &WORKER, &ENGINE];
    let found = all.into_iter().find(|file| file.name == name);
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("there is no file {name}"));
    Ok(found.ok_or_else(missing)?.answer(&headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(encodings: Option<&'static str>) -> Response {
        let mut headers = HeaderMap::new();
        if let Some(encodings) = encodings {
            headers.insert(header::ACCEPT_ENCODING, encodings.parse().unwrap());
        }
        WORKER.answer(&headers)
    }

    #[test]
    fn a_file_is_packed_for_clients_that_unpack_it() {
        for (encodings, is_packed) in [
            (Some("gzip, deflate, br"), true),
            (Some("br, GZIP;q=0.5"), true),
            (Some("gzip;q=0, br"), false),
            (Some("br"), false),
            (None, false),
        ] {
            let answer = answer(encodings);
            let has = answer.headers().contains_key(header::CONTENT_ENCODING);
            assert_eq!(has, is_packed, "{encodings:?}");
        }
    }

    #[test]
    fn only_the_worker_compiles() {
        assert!(WORKER.policy.contains("wasm-unsafe-eval"));
        for file in [&APP, &STYLE, &ENGINE] {
            assert_eq!(file.policy, NOTHING);
        }
    }
}
