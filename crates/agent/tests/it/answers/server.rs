//! A server on the loopback address that answers as a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A request for a batch or a report.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The number of the request, from 0.
    pub(crate) number: usize,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    head: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// The runs in the body, by their files' contents.
    pub(crate) runs: Vec<String>,
}

impl Asked {
    /// A header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.iter();
        let value = lines.find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        });
        value.unwrap_or_default()
    }
}

/// What the server does with a request.
pub(crate) enum Action {
    /// Stores the runs.
    Store,
    /// Stores the runs, except those whose content has this text.
    StoreBut(&'static str),
    /// Answers with a status, headers and a body.
    Answer(u16, &'static str, &'static str),
    /// Answers so before the body was read.
    Early(u16),
    /// Closes the connection in the midst of the body.
    Close,
    /// Stores the runs, and closes the connection without an answer.
    StoreAndClose,
    /// Keeps the connection, and says nothing.
    Silence,
    /// Says something now and then, and never ends.
    Drip,
}

/// A server, with all that it was asked.
pub(crate) struct Server {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// The contents of the runs that it has, in the order in which they came.
    stored: Arc<Mutex<Vec<String>>>,
}

type Answers = Arc<dyn Fn(&Asked) -> Action + Send + Sync>;

impl Server {
    pub(crate) fn new(answers: impl Fn(&Asked) -> Action + Send + Sync + 'static) -> Self {
        Self::start(Arc::new(answers), None)
    }

    /// A server with the certificate of the tests.
    pub(crate) fn with_tls(answers: impl Fn(&Asked) -> Action + Send + Sync + 'static) -> Self {
        let chain = CertificateDer::pem_file_iter(super::tls("cert.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(super::tls("key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain.map(Result::unwrap).collect(), key)
            .unwrap();
        Self::start(Arc::new(answers), Some(Arc::new(config)))
    }

    fn start(answers: Answers, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let stored = Arc::new(Mutex::new(Vec::new()));
        let scheme = if tls.is_some() { "https" } else { "http" };
        let server = Self {
            address: format!("{scheme}://{address}"),
            asked: Arc::clone(&asked),
            stored: Arc::clone(&stored),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, asked, stored) = (
                    Arc::clone(&answers),
                    Arc::clone(&asked),
                    Arc::clone(&stored),
                );
                let tls = tls.clone();
                std::thread::spawn(move || match tls {
                    None => connection(stream, &answers, &asked, &stored),
                    Some(tls) => {
                        let session = ServerConnection::new(tls).unwrap();
                        let stream = StreamOwned::new(session, stream);
                        connection(stream, &answers, &asked, &stored);
                    }
                });
            }
        });
        server
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The requests for batches.
    pub(crate) fn batches(&self) -> Vec<Asked> {
        let mut asked = self.asked();
        asked.retain(|asked| asked.path == "/api/v1/runs/batch");
        asked
    }

    /// The contents of the runs that it has, each once.
    pub(crate) fn stored(&self) -> Vec<String> {
        let mut stored = self.stored.lock().unwrap().clone();
        stored.sort();
        stored.dedup();
        stored
    }
}

fn connection(
    stream: impl Read + Write,
    answers: &Answers,
    asked: &Mutex<Vec<Asked>>,
    stored: &Mutex<Vec<String>>,
) {
    let mut stream = BufReader::new(stream);
    // None at the end of the connection, or after a client that went away.
    while let Some(head) = head(&mut stream) {
        let value = |name: &str| {
            let line = head.iter().find_map(|line| {
                let (found, value) = line.split_once(": ")?;
                found.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            line.unwrap_or_default()
        };
        let path = head[0].split(' ').nth(1).unwrap().to_owned();
        let length: usize = value("content-length").parse().unwrap();
        let token = value("authorization");
        let mut request = Asked {
            number: asked.lock().unwrap().len(),
            path,
            token: token.strip_prefix("Bearer ").map(str::to_owned),
            head: head.clone(),
            body: Vec::new(),
            runs: Vec::new(),
        };
        let early = answers(&request);
        if let Action::Early(status) = early {
            asked.lock().unwrap().push(request);
            let _ = answer(
                stream.get_mut(),
                status,
                "Connection: close\r\n",
                "{\"error\":\"early\"}",
            );
            return;
        }
        if value("expect") == "100-continue" {
            stream
                .get_mut()
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .unwrap();
        }
        request.body = vec![0; length];
        if let Action::Close = early {
            let _ = stream.read(&mut request.body);
            asked.lock().unwrap().push(request);
            return;
        }
        if stream.read_exact(&mut request.body).is_err() {
            return;
        }
        if request.path == "/api/v1/runs/batch" {
            request.runs = runs(
                &request.body,
                &value("content-type"),
                &value("content-encoding"),
            );
        }
        asked.lock().unwrap().push(request.clone());
        let action = answers(&request);
        let refused = match action {
            Action::StoreBut(text) => Some(text),
            _ => None,
        };
        let is_refused = |run: &&String| refused.is_some_and(|text| run.contains(text));
        if matches!(
            action,
            Action::Store | Action::StoreBut(_) | Action::StoreAndClose
        ) {
            let kept = request.runs.iter().filter(|run| !is_refused(run));
            stored.lock().unwrap().extend(kept.cloned());
        }
        match action {
            Action::Store | Action::StoreBut(_) => {
                let runs = request.runs.iter().map(|run| {
                    if is_refused(&run) {
                        r#"{"status":422,"error":"it is no profile"}"#
                    } else {
                        r#"{"status":201,"id":"ab"}"#
                    }
                });
                let runs: Vec<_> = runs.collect();
                let body = format!(r#"{{"runs":[{}]}}"#, runs.join(","));
                if answer(stream.get_mut(), 200, "", &body).is_err() {
                    return;
                }
            }
            Action::Answer(status, headers, body) => {
                let _ = answer(stream.get_mut(), status, headers, body);
            }
            Action::Silence => {
                std::thread::sleep(Duration::from_secs(60));
                return;
            }
            Action::Drip => {
                let out = stream.get_mut();
                let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
                while out.write_all(b" ").and_then(|()| out.flush()).is_ok() {
                    std::thread::sleep(Duration::from_millis(50));
                }
                return;
            }
            _ => return,
        }
    }
}

/// The lines of a request's head.
fn head(stream: &mut impl BufRead) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            return Some(lines);
        }
        lines.push(line);
    }
}

/// The files in a body.
fn runs(body: &[u8], kind: &str, encoding: &str) -> Vec<String> {
    let plain = match encoding {
        "zstd" => zstd::decode_all(body).unwrap(),
        _ => body.to_vec(),
    };
    let boundary = kind.split_once("boundary=").unwrap().1;
    let text = String::from_utf8(plain).unwrap();
    let text = text.strip_suffix(&format!("--{boundary}--\r\n")).unwrap();
    let between = format!("--{boundary}\r\n");
    let parts = text.split(&between).skip(1);
    let content = |part: &str| {
        let (_, content) = part.split_once("\r\n\r\n").unwrap();
        content.strip_suffix("\r\n").unwrap().to_owned()
    };
    parts.map(content).collect()
}

fn answer(out: &mut impl Write, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        out,
        "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )?;
    out.flush()
}

/// An address at which nothing listens until a test does.
///
/// Its host is one of its own, so that no other socket, such as the client's, takes the port
/// before: Linux has all of 127.0.0.0/8.
pub(crate) fn nothing() -> String {
    static NUMBER: AtomicU8 = AtomicU8::new(2);
    let [low, high, ..] = std::process::id().to_le_bytes();
    let host = match cfg!(target_os = "linux") {
        true => Ipv4Addr::new(127, high, low, NUMBER.fetch_add(1, Ordering::Relaxed)),
        false => Ipv4Addr::LOCALHOST,
    };
    let listener = TcpListener::bind((host, 0)).unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// A server that accepts connections and never reads them.
pub(crate) fn half_open() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (address, listener)
}

/// Connections that a test keeps open.
pub(crate) fn accepted(listener: &TcpListener) -> TcpStream {
    listener.accept().unwrap().0
}
