//! A handler that panics answers 500, and the server lives.
//!
//! The sentence of the answer and the line of the log have the same id: that of the
//! header `X-Request-Id`, which proxies send, else one of our own.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// The longest id that is taken from a proxy.
const MAX_ID: usize = 64;

/// Runs around every handler.
pub(crate) async fn caught(request: Request, next: Next) -> Response {
    let id = id(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut answer = Box::pin(next.run(request));
    // What the handler used is dropped with it. What is shared is behind locks, whose users
    // take them after a panic, too.
    let poll =
        poll_fn(
            |context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(response)) => Poll::Ready(Ok(response)),
                Err(panic) => Poll::Ready(Err(panic)),
            },
        );
    match poll.await {
        Ok(response) => response,
        Err(panic) => {
            let route = route.as_ref().map_or("", MatchedPath::as_str);
            let panic = message(&*panic);
            tracing::error!(request = id, %method, route, panic, "a handler panicked");
            let reason = format!("a fault of the server: its log has the reason, at request {id}");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, reason).into_response()
        }
    }
}

fn id(headers: &HeaderMap) -> String {
    let of_proxy = headers.get("x-request-id").and_then(|id| id.to_str().ok());
    let is_id = |id: &&str| {
        let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || b"-_.".contains(&letter);
        (1..=MAX_ID).contains(&id.len()) && id.bytes().all(is_letter)
    };
    if let Some(id) = of_proxy.filter(is_id) {
        return id.to_owned();
    }
    let mut bytes = [0; 8];
    // Without random numbers all have the same id, and the log its times.
    let _ = getrandom::fill(&mut bytes);
    format!("{:016x}", u64::from_be_bytes(bytes))
}

/// What `panic!` was given.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a value without text")
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    /// The log as text.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn works_with(text: &str) -> &'static str {
        assert!(text.is_empty(), "the handler's own words");
        "no panic"
    }

    /// A server with two routes that panic, in the handler and in a thread of it.
    fn app() -> Router {
        let in_thread = || async {
            let thread = tokio::task::spawn_blocking(|| works_with("a thread"));
            match thread.await {
                Ok(text) => text,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        };
        Router::new()
            .route("/works", get(|| async { "it works" }))
            .route(
                "/panics",
                get(|| async {
                    tokio::task::yield_now().await;
                    works_with("nothing")
                }),
            )
            .route("/thread", get(in_thread))
            .layer(from_fn(caught))
    }

    async fn answer(app: &Router, path: &str, id: Option<&str>) -> (StatusCode, String) {
        let mut request = Request::builder().uri(path);
        if let Some(id) = id {
            request = request.header("X-Request-Id", id);
        }
        let request = request.body(Body::empty()).unwrap();
        let response = app.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 16).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn a_panic_is_an_answer_and_a_line_of_the_log_with_the_same_id() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .finish();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let said = tracing::subscriber::with_default(subscriber, || {
            runtime.block_on(async {
                let app = app();
                let (status, said) = answer(&app, "/panics", Some("of-the-proxy.7")).await;
                assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
                assert!(said.contains("at request of-the-proxy.7"), "{said}");
                let (status, _) = answer(&app, "/thread", None).await;
                assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
                let (status, said) = answer(&app, "/panics", Some("no\tid")).await;
                assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
                let works = answer(&app, "/works", None).await;
                assert_eq!(works, (StatusCode::OK, "it works".to_owned()));
                said
            })
        });
        let (_, own) = said.split_once("at request ").unwrap();
        let own = own.get(..16).unwrap();
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = log.lines().collect();
        assert_eq!(lines.len(), 3, "{log}");
        assert!(lines[0].contains("of-the-proxy.7"), "{log}");
        assert!(
            lines[0].contains("/panics") && lines[0].contains("the handler's own words"),
            "{log}"
        );
        assert!(lines[1].contains("/thread"), "{log}");
        assert!(lines[2].contains(own), "{log}");
    }
}
