//! Admission before work: before the server reads, unpacks, parses or computes for a client,
//! that work has a place, and a budget of memory and time.
//!
//! | what | who limits it |
//! |---|---|
//! | connections, and how long they may be slow or idle | [`places`], [`patience`] |
//! | bodies: by route, and all together | [`bodies`], [`memory`] |
//! | questions, changes, look-ups of tokens | [`work`] |
//! | bytes of others: unpacked and parsed in processes | `readers` |
//! | answers that wait for slow readers | [`answers`] |
//! | whether the store answers | [`ready`] |
//!
//! [`shares`] divides the memory of the server between them.
//!
//! **Invariant:** a permit lives as long as the work, not as the request: it is moved into
//! the closure that works.

pub(crate) mod answers;
pub(crate) mod bodies;
pub(crate) mod memory;
pub(crate) mod patience;
pub(crate) mod places;
pub(crate) mod ready;
pub(crate) mod shares;
pub(crate) mod work;

use std::sync::Arc;

use tokio::sync::Semaphore;

pub use shares::{LEAST_MEMORY, default_memory};

use memory::Memory;
use places::Places;
use ready::Ready;
use shares::Shares;

/// How many batches are stored at a time: a database that writes them together is
/// faster.
const STORING: usize = 8;

/// How many tokens are looked up in the store at a time, and how many changes are made.
const LOOKUPS: usize = 4;
const CHANGES: usize = 4;

/// What requests get their places and their memory from.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) memory: Memory,
    pub(crate) places: Arc<Places>,
    pub(crate) ready: Ready,
    /// Questions to the store that run at a time; others wait.
    pub(crate) questions: Arc<Semaphore>,
    /// Changes of runs, policies and tokens.
    pub(crate) changes: Arc<Semaphore>,
    /// Tokens that are looked up: strangers cause them, too.
    pub(crate) lookups: Arc<Semaphore>,
    /// Batches of runs that are stored at a time; others wait.
    pub(crate) storing: Arc<Semaphore>,
    /// What counters cost: they are asked for while the server has much to do.
    pub(crate) counters: Arc<Semaphore>,
}

impl Admission {
    /// That of a server with so much memory, of which `bodies` may have a part.
    pub(crate) fn of(memory: u64, bodies: Memory) -> Self {
        let shares = Shares::of(memory);
        Self {
            memory: bodies,
            places: Places::new(shares.connections),
            ready: Ready::default(),
            questions: Arc::new(Semaphore::new(shares.questions)),
            changes: Arc::new(Semaphore::new(CHANGES)),
            lookups: Arc::new(Semaphore::new(LOOKUPS)),
            storing: Arc::new(Semaphore::new(STORING)),
            counters: Arc::new(Semaphore::new(1)),
        }
    }
}
