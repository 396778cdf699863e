//! Connections: accepts them, with or without TLS, until the server stops.
//!
//! **Invariant:** each wait for a client has an end: a TLS handshake, the head
//! of a request and an idle connection. `guard` limits the request itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

/// The most connections at a time; further ones wait in the kernel's queue.
const CONNECTIONS: usize = 1000;

/// The longest time of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The longest time until the head of the next request is there.
const HEAD: Duration = Duration::from_secs(30);

/// The longest time of a graceful stop.
const STOP: Duration = Duration::from_secs(10);

/// The wait after an error of `accept`, such as too many open files.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Serves connections until `stop` is ready, then lets open requests finish.
pub(crate) async fn listen(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    app: Router,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut stop = pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, client)) => {
                let (tls, app, watcher) = (tls.clone(), app.clone(), graceful.watcher());
                tokio::spawn(async move {
                    connection(stream, client, tls, app, watcher).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(AFTER_ERROR).await;
            }
        }
    }
    drop(listener);
    if timeout(STOP, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were cut off: they took longer than the stop may take");
    }
}

async fn connection(
    stream: TcpStream,
    client: SocketAddr,
    tls: Option<TlsAcceptor>,
    app: Router,
    watcher: Watcher,
) {
    let Some(tls) = tls else {
        return requests(stream, client, app, watcher).await;
    };
    match timeout(HANDSHAKE, tls.accept(stream)).await {
        Ok(Ok(stream)) => requests(stream, client, app, watcher).await,
        Ok(Err(error)) => tracing::debug!(%client, %error, "no TLS"),
        Err(_) => tracing::debug!(%client, "the TLS handshake took too long"),
    }
}

async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    client: SocketAddr,
    app: Router,
    watcher: Watcher,
) {
    let service = service_fn(move |request| answer(app.clone(), client, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%client, %error, "a connection ended early");
    }
}

async fn answer(
    app: Router,
    client: SocketAddr,
    mut request: Request<Incoming>,
) -> Result<Response, Infallible> {
    request.extensions_mut().insert(ConnectInfo(client));
    app.oneshot(request.map(Body::new)).await
}
