//! The server: its state, its limits, and its life from start to stop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};

use crate::guard;
use crate::listen::listen;
use crate::panics;
use crate::routes::routes;
use crate::state::{Config, State};
use crate::tls::acceptor;
use crate::visible::Visible;

/// How long requests that have begun may take to end, what the store is doing then, and
/// threads after that: a stop takes ten seconds at most.
const REQUESTS_END: Duration = Duration::from_secs(6);
const STORE_ENDS: Duration = Duration::from_secs(2);
const THREADS_END: Duration = Duration::from_millis(500);

/// How many threads may wait: each kind of work has its permits, and fewer than this.
const THREADS: usize = 64;

/// The service: all routes behind the checks of `guard`.
pub fn app(state: Arc<State>) -> Router {
    let mut router = Router::new();
    for (route, handler) in routes() {
        router = router.route(route.path, handler);
    }
    router
        .fallback(guard::nothing_here)
        // `admission::bodies` has limited them.
        .layer(DefaultBodyLimit::disable())
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
        .max_blocking_threads(THREADS)
        .build()?;
    let (store, readers) = (Arc::clone(&config.store), Arc::clone(&config.readers));
    let outcome = runtime.block_on(run(config, ready));
    // What was acknowledged is stored. What was not is dropped with its connection.
    readers.stop();
    store.stop(STORE_ENDS);
    runtime.shutdown_timeout(THREADS_END);
    outcome
}

async fn run(config: Config, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let tls = config.tls.as_ref();
    let tls = tls.map(|(certificate, key)| acceptor(certificate, key));
    let tls = tls.transpose()?;
    let listener = bind(config.listen)?;
    raise_limit_of_files();
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
    let places = Arc::clone(&state.admission.connections);
    listen(listener, tls, (app(state), places), stop, REQUESTS_END).await;
    Ok(())
}

/// Listens, with small buffers of the kernel: they count for as many connections as there
/// may be.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    const BUFFER: u32 = 128 << 10;
    const BACKLOG: u32 = 1024;
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(BUFFER)?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Each connection is an open file, and many systems begin with 1,024.
fn raise_limit_of_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // As many as before will do.
    let _ = setrlimit(Resource::Nofile, limit);
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
///
/// A line that cannot be written is lost: by default the subscriber tells of it by `eprintln!`, which panics
/// if standard error is a file on a full disk, and the request gets no answer.
pub fn log() {
    // Fails only if there is one.
    let log = tracing_subscriber::fmt()
        .with_writer(|| Visible(io::stderr()))
        .log_internal_errors(false)
        .with_ansi(false);
    let _ = log.try_init();
}
