//! Connections: accepts them, with or without TLS, until the server stops.
//!
//! **Invariant:** each wait for a client has an end: a TLS handshake, the head
//! of a request, an idle connection, and an answer that is not read. `guard` limits the
//! request itself.

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
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::admission::connection_slots::{ConnectionSlot, ConnectionSlots};
use crate::admission::patience::Patient;

/// The longest time of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The longest time until the head of the next request is there.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest head of a request.
const MAX_HEAD: usize = 64 << 10;

/// The wait after an error of `accept`, such as too many open files.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Serves connections until `stop` is ready, then lets open requests finish for a while.
pub(crate) async fn listen(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    (app, places): (Router, Arc<ConnectionSlots>),
    stop: impl Future<Output = ()>,
    patience: Duration,
) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        // A place is taken from others when there is a client for it.
        let next = async {
            let accepted = listener.accept().await;
            (places.take().await, accepted)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, client)) => {
                let (tls, app, watcher) = (tls.clone(), app.clone(), graceful.watcher());
                connections.spawn(async move {
                    let seat = Arc::clone(&place.seat);
                    tokio::select! {
                        () = connection(stream, client, tls, (app, place), watcher) => {}
                        () = seat.wait_until_needed() => {
                            tracing::debug!(%client, "its place was needed for another client");
                        }
                    }
                });
                while connections.try_join_next().is_some() {}
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(AFTER_ERROR).await;
            }
        }
    }
    drop(listener);
    if timeout(patience, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were cut off: they took longer than the stop may take");
    }
    connections.shutdown().await;
}

async fn connection(
    stream: TcpStream,
    client: SocketAddr,
    tls: Option<TlsAcceptor>,
    service: (Router, ConnectionSlot),
    watcher: Watcher,
) {
    let stream = Patient::new(stream);
    let Some(tls) = tls else {
        return requests(stream, client, service, watcher).await;
    };
    match timeout(HANDSHAKE, tls.accept(stream)).await {
        Ok(Ok(stream)) => requests(stream, client, service, watcher).await,
        Ok(Err(error)) => tracing::debug!(%client, %error, "no TLS"),
        Err(_) => tracing::debug!(%client, "the TLS handshake took too long"),
    }
}

async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    client: SocketAddr,
    (app, place): (Router, ConnectionSlot),
    watcher: Watcher,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.begin_request();
        request.extensions_mut().insert(Arc::clone(&place.seat));
        answer(app.clone(), client, request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEAD)
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
