//! Slots of connections.
//!
//! Their number is limited. When all are taken, a new client gets that of the unauthenticated
//! connection that has been idle, or busy, for the longest time. So unauthenticated clients,
//! however many, take slots only from each other: probes and clients with a token find one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long an unauthenticated client keeps its slot at least: enough to send a request.
const OWN: Duration = Duration::from_secs(1);

/// The wait between two looks for a free slot.
const AGAIN: Duration = Duration::from_millis(50);

/// All slots.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    most: usize,
    taken: Mutex<Taken>,
    freed: Notify,
    began: Instant,
    /// Connections that were cut for others.
    pub(crate) cut: AtomicU64,
}

#[derive(Debug, Default)]
struct Taken {
    next: u64,
    seats: BTreeMap<u64, Arc<Seat>>,
}

/// What is known of a connection.
#[derive(Debug)]
pub(crate) struct Seat {
    /// When it was taken, or its last request began, in milliseconds since the server did.
    since: AtomicU64,
    is_authenticated: AtomicBool,
    is_leaving: AtomicBool,
    leave: Notify,
}

/// Holds the slot of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    number: u64,
    pub(crate) seat: Arc<Seat>,
}

impl ConnectionSlots {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: Mutex::default(),
            freed: Notify::new(),
            began: Instant::now(),
            cut: AtomicU64::new(0),
        })
    }

    /// A slot, as soon as there is one.
    pub(crate) async fn take(self: &Arc<Self>) -> ConnectionSlot {
        loop {
            if let Some(place) = self.free() {
                return place;
            }
            self.make_room();
            // A slot may be free before this waits.
            let _ = timeout(AGAIN, self.freed.notified()).await;
        }
    }

    fn free(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let mut taken = self.taken.lock();
        if taken.seats.len() >= self.most {
            return None;
        }
        let number = taken.next;
        taken.next += 1;
        let seat = Arc::new(Seat {
            since: AtomicU64::new(self.now()),
            is_authenticated: AtomicBool::new(false),
            is_leaving: AtomicBool::new(false),
            leave: Notify::new(),
        });
        taken.seats.insert(number, Arc::clone(&seat));
        Some(ConnectionSlot {
            slots: Arc::clone(self),
            number,
            seat,
        })
    }

    /// Asks the unauthenticated client that has had a slot for the longest time to leave.
    fn make_room(&self) {
        let now = self.now();
        let taken = self.taken.lock();
        let strangers = taken.seats.values().filter(|seat| {
            !seat.is_authenticated.load(Ordering::Relaxed)
                && !seat.is_leaving.load(Ordering::Relaxed)
        });
        let since = |seat: &&Arc<Seat>| seat.since.load(Ordering::Relaxed);
        let oldest = strangers
            .min_by_key(since)
            .filter(|seat| since(seat) + millis(OWN) <= now);
        if let Some(seat) = oldest {
            seat.is_leaving.store(true, Ordering::Relaxed);
            seat.leave.notify_one();
            self.cut.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn now(&self) -> u64 {
        millis(self.began.elapsed())
    }
}

impl Seat {
    /// Its client has a valid token.
    pub(crate) fn mark_authenticated(&self) {
        self.is_authenticated.store(true, Ordering::Relaxed);
    }

    /// Waits until the slot is needed for another client.
    pub(crate) async fn wait_until_needed(&self) {
        self.leave.notified().await;
    }
}

impl ConnectionSlot {
    /// A request begins: who it is of is not known yet.
    pub(crate) fn begin_request(&self) {
        self.seat.since.store(self.slots.now(), Ordering::Relaxed);
        self.seat.is_authenticated.store(false, Ordering::Relaxed);
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.taken.lock().seats.remove(&self.number);
        self.slots.freed.notify_one();
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_client_gets_the_place_of_the_oldest_stranger() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(async {
            let places = ConnectionSlots::new(3);
            let (known, first, second) = (
                places.take().await,
                places.take().await,
                places.take().await,
            );
            known.seat.mark_authenticated();
            let began = Instant::now();
            let next = async {
                let place = places.take().await;
                // Not before the first client had time for a request.
                assert!(began.elapsed() >= OWN, "{:?}", began.elapsed());
                place
            };
            let leaves = async {
                first.seat.wait_until_needed().await;
                drop(first);
            };
            let (_third, ()) = tokio::join!(next, leaves);
            // The authenticated one stays, the other one is next.
            let leaves = async {
                second.seat.wait_until_needed().await;
                drop(second);
            };
            let (_fourth, ()) = tokio::join!(places.take(), leaves);
            assert!(!known.seat.is_leaving.load(Ordering::Relaxed));
        });
    }
}
