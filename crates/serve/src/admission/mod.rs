//! Admission before work: before the server reads, unpacks, parses or computes for a client,
//! that work has a place, and a budget of memory and time.
//!
//! | what | who limits it |
//! |---|---|
//! | connections, and how long they may be slow or idle | [`connection_slots`], [`patience`] |
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
pub(crate) mod connection_slots;
pub(crate) mod memory;
pub(crate) mod patience;
pub(crate) mod ready;
pub(crate) mod shares;
pub(crate) mod work;

use std::sync::Arc;

use tokio::sync::Semaphore;

pub use shares::{MIN_MEMORY, default_memory};

use connection_slots::ConnectionSlots;
use memory::Memory;
use ready::Ready;
use shares::Shares;

/// How many batches are stored at a time: a database that writes them together is
/// faster.
const WRITES: usize = 8;

/// How many tokens are looked up in the store at a time, and how many changes are made.
const LOOKUPS: usize = 4;
const CHANGES: usize = 4;

/// What requests get their places and their memory from.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) memory: Memory,
    pub(crate) connections: Arc<ConnectionSlots>,
    pub(crate) ready: Ready,
    /// Questions to the store that run at a time; others wait.
    pub(crate) query_slots: Arc<Semaphore>,
    /// Changes of runs, policies and tokens.
    pub(crate) change_slots: Arc<Semaphore>,
    /// Tokens that are looked up; requests with wrong tokens cause them, too.
    pub(crate) lookup_slots: Arc<Semaphore>,
    /// Batches of runs that are stored at a time; others wait.
    pub(crate) write_slots: Arc<Semaphore>,
    /// What counters cost: they are asked for while the server has much to do.
    pub(crate) counter_slots: Arc<Semaphore>,
}

impl Admission {
    /// That of a server with so much memory, of which `bodies` may have a part.
    pub(crate) fn of(memory: u64, bodies: Memory) -> Self {
        let shares = Shares::of(memory);
        Self {
            memory: bodies,
            connections: ConnectionSlots::new(shares.connections),
            ready: Ready::default(),
            query_slots: Arc::new(Semaphore::new(shares.questions)),
            change_slots: Arc::new(Semaphore::new(CHANGES)),
            lookup_slots: Arc::new(Semaphore::new(LOOKUPS)),
            write_slots: Arc::new(Semaphore::new(WRITES)),
            counter_slots: Arc::new(Semaphore::new(1)),
        }
    }
}
