//! Reads the stacks of running PHP processes, from outside, and of core files.
//!
//! [`Watch`] opens processes and samples them, [`Collector`] makes a profile of the samples. `xhprof attach`, `dump` and
//! `top` are made of these.
//!
//! [`Remote`](remote::Remote) asks the extension in a process for exact profiles.
//!
//! ```
//! use attach::{Choice, Collector, Finder, Options, Process, Seen, Watch};
//!
//! /// All PHP processes of this machine.
//! struct AllPhp;
//!
//! impl Choice for AllPhp {
//!     fn has(&self, process: &Process) -> bool {
//!         process.is_named_like_php()
//!     }
//!
//!     fn names(&self, _process: &Process) -> bool {
//!         false
//!     }
//! }
//!
//! let mut watch = Watch::new(Finder::default(), Options::default());
//! watch.look(&AllPhp)?;
//! let mut collector = Collector::default();
//! watch.sample(&mut |_process, seen, _symbols| {
//!     if let Seen::Stack(stack) = seen {
//!         collector.count(stack, 1);
//!     }
//! });
//! println!("{} PHPs execute a function now", collector.samples());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **Invariants:** a target is only read, by `/proc/PID/mem`, and runs on unless a stop is asked for; `remote.rs` writes to
//! memory that is there for it. What was read is bytes that are checked before they are used: see `find.rs` and `stack.rs`.

#![forbid(unsafe_code)]

mod collect;
mod core_file;
mod error;
mod find;
mod functions;
mod image;
pub mod layout;
mod lines;
mod maps;
mod memory;
pub mod process;
pub mod remote;
pub mod rights;
mod sockets;
mod stack;
mod stop;
mod symbols;
mod system_calls;
mod target;
mod values;
mod waiting;
mod watch;
mod worker;

pub use collect::{Collector, TORN};
pub use error::AttachError;
pub use find::{Effort, Finder};
pub use process::Process;
pub use symbols::Symbols;
pub use target::{Request, Target};
pub use watch::{Choice, Found, Watch};
pub use worker::{Frame, Options, Place, Seen, Stack, Worker};
