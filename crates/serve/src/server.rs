//! The server: its state, its limits, and its life from start to stop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::guard;
use crate::listen::listen;
use crate::panics;
use crate::routes::routes;
use crate::state::{Config, State};
use crate::tls::acceptor;

/// The largest upload, as it is sent.
const MAX_BODY: usize = 64 << 20;

/// The service: all routes behind the checks of `guard`.
pub fn app(state: Arc<State>) -> Router {
    let mut router = Router::new();
    for (route, handler) in routes() {
        router = router.route(route.path, handler);
    }
    router
        .fallback(guard::nothing_here)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(panics::caught))
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
    let tls = config.tls.as_ref();
    let tls = tls.map(|(certificate, key)| acceptor(certificate, key));
    let tls = tls.transpose()?;
    let listener = TcpListener::bind(config.listen).await?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut ended = signal(SignalKind::terminate())?;
    let stop = async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = ended.recv() => {}
        }
    };
    let state = State::new(config);
    read_size(Arc::clone(&state))?;
    ready(listener.local_addr()?);
    listen(listener, tls, app(state), stop).await;
    Ok(())
}

/// Reads the size of the store in the background: of a large one that takes a second, and
/// who first asks for it, or for the applications, need not wait.
fn read_size(state: Arc<State>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("size".to_owned());
    let read = move || {
        if let Err(error) = state.recent_size(&*state.config.store) {
            tracing::warn!(%error, "the size of the store could not be read");
        }
    };
    thread.spawn(read).map(|_| ())
}

/// Writes the log to standard error from now on.
pub fn log() {
    // Fails only if there is one.
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false);
    let _ = log.try_init();
}
