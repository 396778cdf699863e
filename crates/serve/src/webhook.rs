//! Sends what the search for regressions found to an address, each finding once and for
//! itself: one that the receiver refuses holds up no other.
//!
//! **Invariant:** the store notes a finding after the receiver took it. So a
//! finding is sent again if the server is killed in between, and none is lost.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use store::Store;
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue};

use crate::retention::now_us;
use crate::undelivered::Undelivered;
use crate::webhook_format::{Format, Message};

/// The longest time of one attempt.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The waits between the attempts to send a finding.
const WAITS: [u64; 4] = [2, 8, 30, 120];

/// A finding to send.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// What tells it from others, the same every time.
    pub id: String,
    /// All that is known, as programs read it.
    pub body: Value,
    /// The same as people read it.
    pub message: Message,
}

/// Finds what is to be sent of an application.
pub type Notices = Box<dyn Fn(&dyn Store, &str) -> Result<Vec<Notice>, String> + Send + Sync>;

/// Where findings are sent.
pub struct Webhook {
    /// The address: http or https.
    pub url: String,
    /// The form of what is sent.
    pub format: Format,
    /// The address of this server, for links.
    pub base: Option<String>,
    /// Headers of the requests, such as a secret.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The time between two searches.
    pub every: Duration,
    /// Searches.
    pub notices: Notices,
    /// When a finding was last taken, in microseconds since 1970; 0 if none was since the start.
    pub last_sent_us: AtomicU64,
}

impl Webhook {
    /// The name of the receiver's machine. The rest of the address may be a secret.
    pub(crate) fn host(&self) -> String {
        let uri: Option<ureq::http::Uri> = self.url.parse().ok();
        let host = uri.as_ref().and_then(|uri| uri.host());
        host.unwrap_or_default().to_owned()
    }

    /// Sends a message that is no finding, once. The error says why it was not taken.
    pub(crate) fn test(&self) -> Result<(), String> {
        let message = Message {
            title: "A test of xhprof".to_owned(),
            sentence: "Regressions will be sent here.".to_owned(),
            markdown: "### A test of xhprof\n\nRegressions will be sent here.\n".to_owned(),
            path: "/settings".to_owned(),
            ..Message::default()
        };
        let body = serde_json::json!({
            "version": 1,
            "event": "test",
            "text": message.markdown,
        });
        let body = self.format.body(&body, &message, self.base.as_deref());
        let outcome = Sender::new(self, &[]).attempt(&body.to_string());
        outcome.map_err(|(reason, _)| match reason {
            NotSent::Refused(reason) | NotSent::Away(reason) => reason,
        })
    }
}

/// Reads headers from a file: a line each, `Name: value`.
///
/// # Errors
///
/// A file that others can read; a line that is no header.
pub fn read_headers(path: &Path) -> io::Result<Vec<(HeaderName, HeaderValue)>> {
    let named = |reason: &str| io::Error::other(format!("{}: {reason}", path.display()));
    let file = std::fs::metadata(path).map_err(|error| named(&error.to_string()))?;
    if file.permissions().mode() & 0o077 != 0 {
        return Err(named("others may read it; chmod 600 changes that"));
    }
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(':')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value))
    });
    let headers: Option<Vec<_>> = headers.collect();
    headers.ok_or_else(|| named("a line is not `Name: value`, such as `Authorization: Bearer x`"))
}

/// Searches and sends on a thread of its own, until the process ends.
///
/// # Errors
///
/// An address that is neither http nor https; no thread can be started.
pub fn send_findings(
    webhook: Arc<Webhook>,
    store: Arc<dyn Store>,
    undelivered: Arc<Undelivered>,
) -> io::Result<()> {
    let url = &webhook.url;
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        let reason = "the address of --webhook begins with neither http:// nor https://";
        return Err(io::Error::other(reason));
    }
    let work = move || {
        let sender = Sender::new(&webhook, &WAITS.map(Duration::from_secs));
        loop {
            match sender.send_new(&*store, &webhook.notices, &undelivered) {
                Ok(0) => {}
                Ok(sent) => tracing::info!(sent, "the webhook has new findings"),
                Err(reason) => tracing::warn!(reason, "the webhook is tried again later"),
            }
            std::thread::sleep(webhook.every);
        }
    };
    let thread = std::thread::Builder::new().name("webhook".to_owned());
    thread.spawn(work).map(|_| ())
}

struct Sender<'a> {
    agent: Agent,
    webhook: &'a Webhook,
    waits: Vec<Duration>,
}

impl<'a> Sender<'a> {
    fn new(webhook: &'a Webhook, waits: &[Duration]) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            // A secret must not go elsewhere.
            .max_redirects(0)
            .build();
        Self {
            agent: Agent::from(config),
            webhook,
            waits: waits.to_vec(),
        }
    }

    /// Sends what was not sent before; returns how many.
    fn send_new(
        &self,
        store: &dyn Store,
        notices: &Notices,
        undelivered: &Undelivered,
    ) -> Result<u64, String> {
        // A receiver that is not ready gets time once, not for each finding.
        let mut waits = self.waits.iter();
        let text = |error: store::Error| error.to_string();
        let mut sent = 0;
        for app in store.apps().map_err(text)? {
            let found = match notices(store, &app.name) {
                Ok(found) => found,
                Err(reason) => {
                    tracing::debug!(app = app.name, reason, "no findings");
                    continue;
                }
            };
            for notice in found {
                if store.has_notice(&notice.id).map_err(text)? {
                    continue;
                }
                match self.send(&notice, &mut waits) {
                    Ok(()) => {
                        store.add_notice(&notice.id, now_us()).map_err(text)?;
                        undelivered.remove(&notice.id);
                        self.webhook.last_sent_us.store(now_us(), Ordering::Relaxed);
                        sent += 1;
                    }
                    Err(NotSent::Refused(reason)) => {
                        tracing::warn!(
                            app = app.name,
                            finding = notice.id,
                            reason,
                            "a finding was not taken; it is sent again with the next search"
                        );
                        undelivered.add(&notice.id, &app.name, &reason);
                    }
                    Err(NotSent::Away(reason)) => return Err(reason),
                }
            }
        }
        Ok(sent)
    }

    /// Sends a finding, several times if that may help, with these waits in between.
    fn send<'w>(
        &self,
        notice: &Notice,
        waits: &mut impl Iterator<Item = &'w Duration>,
    ) -> Result<(), NotSent> {
        let (format, base) = (self.webhook.format, self.webhook.base.as_deref());
        let body = format.body(&notice.body, &notice.message, base).to_string();
        loop {
            let (reason, may_pass) = match self.attempt(&body) {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            match waits.next() {
                Some(wait) if may_pass => std::thread::sleep(*wait),
                _ => return Err(reason),
            }
        }
    }

    /// Sends once. The error says why not, and whether another attempt may help.
    fn attempt(&self, body: &str) -> Result<(), (NotSent, bool)> {
        let mut request = self.agent.post(&self.webhook.url);
        request = request.header("Content-Type", "application/json");
        for (name, value) in &self.webhook.headers {
            request = request.header(name, value);
        }
        // The address may have a secret in it: no message has it.
        let away = |error: ureq::Error| NotSent::Away(format!("cannot send: {}", brief(&error)));
        let answer = request.send(body).map_err(|error| (away(error), true))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let may_pass = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
        let reason = format!("the receiver answered {status}");
        Err((NotSent::Refused(reason), may_pass))
    }
}

/// Why a finding was not sent.
enum NotSent {
    /// The receiver answered, and others may be taken.
    Refused(String),
    /// It did not answer: nor will it for others.
    Away(String),
}

/// The kind of an error, without the address.
fn brief(error: &ureq::Error) -> String {
    match error {
        ureq::Error::BadUri(_) => "the address is invalid".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use serde_json::json;
    use store::{NewRun, Notices, Runs, SqliteStore};

    use super::*;

    /// A receiver that answers with those statuses, one after the other; it
    /// gives the heads and bodies that it got.
    fn receiver(statuses: &'static [u16]) -> (String, Receiver<(String, String)>) {
        let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", server.server_addr());
        let (sender, got) = channel();
        std::thread::spawn(move || {
            for &status in statuses {
                let mut request = server.recv().unwrap();
                let headers = request.headers().iter();
                let headers = headers.map(|header| format!("{}: {}\n", header.field, header.value));
                let head = format!(
                    "{} {}\n{}",
                    request.method(),
                    request.url(),
                    headers.collect::<String>()
                );
                let mut body = String::new();
                request.as_reader().read_to_string(&mut body).unwrap();
                let elsewhere: tiny_http::Header = "Location: /elsewhere".parse().unwrap();
                let answer = tiny_http::Response::empty(status).with_header(elsewhere);
                request.respond(answer).unwrap();
                sender.send((head, body)).unwrap();
            }
        });
        (url, got)
    }

    fn webhook(url: String) -> Webhook {
        let notice = |id: &str| Notice {
            id: id.to_owned(),
            body: json!({ "id": id }),
            message: Message {
                title: format!("finding {id}"),
                markdown: format!("### finding {id}\n"),
                ..Message::default()
            },
        };
        Webhook {
            url,
            format: Format::Plain,
            base: None,
            last_sent_us: AtomicU64::new(0),
            headers: vec![(
                HeaderName::from_static("x-secret"),
                HeaderValue::from_static("s3cret"),
            )],
            every: Duration::ZERO,
            notices: Box::new(move |_, _| Ok(vec![notice("1"), notice("2")])),
        }
    }

    fn filled(folder: &Path) -> SqliteStore {
        let store = SqliteStore::open(folder).unwrap();
        let profile = profile::Profile::empty();
        let run = NewRun {
            profile,
            received: 1,
        };
        store.put(run).unwrap();
        store
    }

    fn pass(webhook: &Webhook, store: &dyn Store) -> Result<u64, String> {
        pass_with(webhook, store, &Undelivered::default())
    }

    fn pass_with(
        webhook: &Webhook,
        store: &dyn Store,
        undelivered: &Undelivered,
    ) -> Result<u64, String> {
        let sender = Sender::new(webhook, &[Duration::ZERO; 2]);
        sender.send_new(store, &webhook.notices, undelivered)
    }

    #[test]
    fn each_finding_is_sent_once_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let (url, got) = receiver(&[200, 204]);
        let webhook = webhook(url);
        let store = filled(folder.path());
        assert_eq!(pass(&webhook, &store), Ok(2));
        assert_eq!(pass(&webhook, &store), Ok(0));
        drop(store);
        let store = SqliteStore::open(folder.path()).unwrap();
        assert_eq!(pass(&webhook, &store), Ok(0));
        let requests: Vec<_> = got.iter().collect();
        let bodies: Vec<&str> = requests.iter().map(|(_, body)| body.as_str()).collect();
        assert_eq!(bodies, [r#"{"id":"1"}"#, r#"{"id":"2"}"#]);
        let head = requests[0].0.to_lowercase();
        assert!(head.starts_with("post /hook\n"), "{head}");
        assert!(head.contains("x-secret: s3cret"), "{head}");
        assert!(head.contains("content-type: application/json"), "{head}");
    }

    #[test]
    fn a_chat_gets_its_own_form() {
        for (format, field) in [
            (Format::Slack, "blocks"),
            (Format::Teams, "attachments"),
            (Format::Mattermost, "text"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (url, got) = receiver(&[200, 200, 200]);
            let webhook = Webhook {
                format,
                base: Some("https://profiles.example.com".to_owned()),
                ..webhook(url)
            };
            assert_eq!(pass(&webhook, &filled(folder.path())), Ok(2));
            assert!(webhook.last_sent_us.load(Ordering::Relaxed) > 0);
            assert_eq!(webhook.test(), Ok(()));
            let bodies: Vec<Value> = got
                .iter()
                .map(|(_, body)| serde_json::from_str(&body).unwrap())
                .collect();
            assert!(!bodies[0][field].is_null(), "{}", bodies[0]);
            assert!(bodies[0].to_string().contains("finding 1"));
            assert!(
                bodies[0]
                    .to_string()
                    .contains("https://profiles.example.com")
            );
            assert!(bodies[2].to_string().contains("A test of xhprof"));
        }
    }

    #[test]
    fn a_test_says_what_the_receiver_answered_and_not_its_address() {
        let (url, _got) = receiver(&[403]);
        let refused = webhook(url).test().unwrap_err();
        assert_eq!(refused, "the receiver answered 403 Forbidden");
        let away = webhook("http://127.0.0.1:1/secret-path".to_owned());
        assert_eq!(away.host(), "127.0.0.1");
        assert!(!away.test().unwrap_err().contains("secret-path"));
    }

    #[test]
    fn a_receiver_that_fails_is_tried_again_and_a_refused_finding_stops_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let store = filled(folder.path());
        let undelivered = Undelivered::default();
        // Twice not ready, then it refuses the first, and takes the second.
        let (url, got) = receiver(&[503, 429, 413, 200, 500, 200]);
        let webhook = webhook(url);
        assert_eq!(pass_with(&webhook, &store, &undelivered), Ok(1));
        let refused = undelivered.all();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].id, "1");
        assert!(refused[0].reason.contains("413"), "{refused:?}");
        // The next time only the first is sent, and taken.
        assert_eq!(pass_with(&webhook, &store, &undelivered), Ok(1));
        assert_eq!(undelivered.all(), []);
        let ids: Vec<bool> = got.iter().map(|(_, body)| body.contains("\"1\"")).collect();
        assert_eq!(ids, [true, true, true, false, true, true]);
    }

    #[test]
    fn a_receiver_that_is_away_or_sends_elsewhere_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = filled(folder.path());
        let (url, got) = receiver(&[302, 302]);
        assert_eq!(pass(&webhook(url), &store), Ok(0));
        assert_eq!(got.iter().count(), 2);
        // No server has that port, and no client gets it from the kernel.
        let url = "http://127.0.0.1:1/secret-path".to_owned();
        let error = pass(&webhook(url), &store).unwrap_err();
        assert!(!error.contains("secret-path"), "{error}");
        assert!(!store.has_notice("1").unwrap());
    }

    #[test]
    fn headers_come_from_a_file_that_others_cannot_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("headers");
        let set = |text: &str, mode| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            read_headers(&path)
        };
        let headers = set("Authorization: Bearer x:y\n\nX-A: 1\n", 0o600).unwrap();
        assert_eq!(headers[0].0, "authorization");
        assert_eq!(headers[0].1, "Bearer x:y");
        assert_eq!(headers.len(), 2);
        assert!(set("Authorization: x", 0o644).is_err());
        for wrong in ["no header", "a b: c", ": x"] {
            assert!(set(wrong, 0o600).is_err(), "{wrong}");
        }
    }
}
