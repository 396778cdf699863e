//! The HTTP server of `xhprof serve`: its API, the files of the app, and who may use them.
//!
//! The program gives it a store and an address. Questions go to the store and
//! come back as JSON. The app of `web/` shows them.
//!
//! Its main types: [`Config`], what a server is made of, [`State`], what its requests share,
//! and [`Route`]. [`serve`](fn@serve) runs a server, [`app`] is its router without a socket.
//!
//! ```
//! let selection = serve::selection("route:/cart* wall:>200ms").unwrap();
//! assert_eq!(selection.routes, ["/cart*"]);
//! assert_eq!(selection.min_wall, Some(200_000_000));
//! assert!(serve::selection("wall:long").is_err());
//! ```
//!
//! **Invariants:** every route is in [`routes()`], with the scope that it needs,
//! and what is not there is refused. Nothing of a request is executed, and no
//! file of the machine can be named by one.

#![forbid(unsafe_code)]

mod access;
mod address;
mod admission;
mod allocator;
mod api;
mod asking;
mod classic;
mod client;
mod comparison;
mod contents;
mod cookie;
mod demo;
mod filter;
mod findings;
mod front;
mod guard;
mod ingest;
mod listen;
mod logins;
mod metadata;
mod metrics;
mod names;
mod panics;
mod part_headers;
mod problem;
mod push;
mod quota;
mod readers;
mod reading;
mod refused;
mod retention;
mod routes;
mod saved;
mod server;
mod state;
mod tls;
mod token_rows;
mod tokens;
mod trace_url;
mod traces;
#[cfg(feature = "typescript")]
mod typescript;
mod undelivered;
mod uploaded;
mod visible;
mod watch;
mod webhook;
mod webhook_format;

pub use access::{Access, Scope, Token, add_token, read_tokens};
pub use address::encoded;
pub use admission::{MIN_MEMORY, default_memory};
pub use allocator::give_memory_back;
pub use api::description;
pub use comparison::{Comparison, NearPercentile, judge};
pub use demo::Demo;
pub use filter::condition;
pub use filter::selection;
pub use findings::{
    Findings, Found, FoundFigures, FoundPlace, Measure, ReleaseFindings, Undecided,
};
pub use ingest::take;
pub use metadata::Metadata;
pub use readers::Readers;
pub use readers::child::read_uploads;
pub use reading::{NotTaken, OverQuota};
pub use retention::{retain_all, retain_regularly};
pub use routes::{Route, routes};
pub use server::{app, log, serve};
pub use state::{Config, Search, State, Trigger};
pub use tokens::new_token;
pub use trace_url::TraceUrl;
#[cfg(feature = "typescript")]
pub use typescript::write_types;
pub use undelivered::Undelivered;
pub use watch::{Watch, watch};
pub use webhook::{Notice, Notices, Webhook, read_headers, send_findings};
pub use webhook_format::{Format, Message};
