//! What a server is made of, and what its requests share.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use store::Store;
use tokio::sync::Semaphore;

use crate::access::{Access, Sessions};
use crate::metrics::Counters;
use crate::readers::Readers;

/// Makes the viewer's page of a native file with a title.
pub type ViewerPage = Box<dyn Fn(&[u8], &str) -> Result<String, String> + Send + Sync>;

/// What releases of an application made slower, as plain text.
pub type Findings = Box<dyn Fn(&dyn Store, &str) -> Result<String, String> + Send + Sync>;

/// What a server is made of.
pub struct Config {
    /// Where the runs are.
    pub store: Arc<dyn Store>,
    /// What reads uploads.
    pub readers: Arc<Readers>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Who may use it.
    pub access: Access,
    /// The names under which it may be reached, beside its address: `Host` must
    /// be one of them.
    pub hosts: Vec<String>,
    /// The certificate and its key, for HTTPS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether pages say that all data is simulated.
    pub is_demo: bool,
    /// Makes the viewer's page.
    pub viewer: ViewerPage,
    /// Searches for regressions.
    pub findings: Findings,
    /// The policy of the viewer's page, for `Content-Security-Policy`.
    pub viewer_policy: String,
}

/// What requests share.
pub struct State {
    pub(crate) config: Config,
    pub(crate) sessions: Sessions,
    pub(crate) counters: Counters,
    /// Questions to the store that run at a time; others wait.
    pub(crate) busy: Semaphore,
}

impl State {
    /// The state of a server that has just begun.
    #[must_use]
    pub fn new(config: Config) -> Arc<Self> {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        Arc::new(Self {
            config,
            sessions: Sessions::default(),
            counters: Counters::default(),
            busy: Semaphore::new(threads.clamp(2, 16)),
        })
    }
}
