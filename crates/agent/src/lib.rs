//! `xhprof agent`: sends the profiles of a machine to servers, and forwards them to
//! Pyroscope and OpenTelemetry's collectors.
//!
//! The extension writes files into spool folders, and `--attach` another one. One thread puts whole files
//! together into batches, and a thread for each target sends them. A batch is a
//! file on the disk until its target has acknowledged it.
//!
//! Its main types: [`Agent`], its [`Options`], and each [`Target`].
//!
//! ```
//! use agent::{Agent, Options, Target};
//!
//! let folder = tempfile::tempdir()?;
//! let spool = folder.path().join("spool");
//! std::fs::create_dir(&spool)?;
//! let target = Target { url: "http://127.0.0.1:1".to_owned(), ..Target::default() };
//! let agent = Agent::start(Options::new(vec![spool], vec![target], folder.path().join("queue")))?;
//! // Nothing is in the spool, so there is nothing to wait for.
//! agent.finish();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Invariant:** a file leaves the spool after its batch is on the disk, and a
//! batch leaves the disk after its target has acknowledged it, or after its runs
//! are in the dropped counters. So a process that is killed loses nothing, and
//! what it sends twice has the same identity.

#![forbid(unsafe_code)]

mod attached;
mod backoff;
mod batch;
mod client;
mod convert;
mod dropped;
mod entry;
mod error;
mod files;
mod forward;
mod health;
mod interest;
mod life;
mod metrics;
mod named;
mod options;
mod pace;
mod queue;
mod refused;
mod replaced;
mod send;
mod sentry;
mod shared;
mod stop;
mod take;
mod target;
mod waiting;

pub use error::{Error, Result};
pub use life::{Agent, run};
pub use options::{Options, Protocol, Target};
