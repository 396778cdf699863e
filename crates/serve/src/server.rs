//! The server: its state, its limits, and its life from start to stop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use tower_http::timeout::TimeoutLayer;

use crate::guard;
use crate::routes::routes;
use crate::state::{Config, State};

/// The largest upload, as it is sent.
const MAX_BODY: usize = 64 << 20;

/// The longest time of an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The longest time of a graceful stop.
const STOP: Duration = Duration::from_secs(10);

/// The service: all routes behind the checks of `guard`.
pub fn app(state: Arc<State>) -> Router {
    let mut router = Router::new();
    for (route, handler) in routes() {
        router = router.route(route.path, handler);
    }
    router
        .fallback(guard::nothing_here)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            TIMEOUT,
        ))
        .layer(from_fn_with_state(Arc::clone(&state), guard::check))
        .with_state(state)
}

/// Serves until SIGINT or SIGTERM; calls `ready` with the address once it
/// listens.
///
/// # Errors
///
/// An address that cannot be used, a certificate that cannot be read.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run(config, ready))
}

async fn run(config: Config, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let listener = std::net::TcpListener::bind(config.listen)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let tls = match &config.tls {
        None => None,
        Some((certificate, key)) => {
            // Fails only if there is one, which is the same.
            let _ = rustls::crypto::ring::default_provider().install_default();
            Some(RustlsConfig::from_pem_file(certificate, key).await?)
        }
    };
    let handle = Handle::new();
    let stopped = handle.clone();
    let mut ended = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = ended.recv() => {}
        }
        stopped.graceful_shutdown(Some(STOP));
    });
    let service = app(State::new(config)).into_make_service_with_connect_info::<SocketAddr>();
    ready(address);
    match tls {
        Some(tls) => {
            let server = axum_server::from_tcp_rustls(listener, tls)?;
            server.handle(handle).serve(service).await
        }
        None => {
            axum_server::from_tcp(listener)?
                .handle(handle)
                .serve(service)
                .await
        }
    }
}

/// Writes the log to standard error from now on.
pub fn log() {
    // Fails only if there is one.
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false);
    let _ = log.try_init();
}
