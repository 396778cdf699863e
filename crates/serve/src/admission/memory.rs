//! The budget of bytes: bodies, answers that wait for slow readers, and profiles between
//! the process that read them and the store.
//!
//! **Invariant:** bytes are counted before they are kept, and given back when the last one
//! that holds them lets go: a [`Lease`] lives as long as what it pays for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::StatusCode;

use crate::problem::Problem;

/// After how many seconds a sender may try again: bodies take less to be read.
const AGAIN: u64 = 5;

/// How long work that has begun waits for memory that other work gives back.
const PATIENCE: Duration = Duration::from_secs(5);

/// A number of bytes that all share.
#[derive(Debug, Clone)]
pub(crate) struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

/// Bytes of a budget.
#[derive(Debug)]
pub(crate) struct Lease {
    memory: Memory,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Self {
        Self(Arc::new(Inner {
            limit,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }))
    }

    /// The bytes in use, and the most that ever were.
    pub(crate) fn used(&self) -> (u64, u64) {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        (of(&self.0.used), of(&self.0.peak))
    }

    /// A lease of nothing, which can grow.
    pub(crate) fn lease(&self) -> Lease {
        Lease {
            memory: self.clone(),
            bytes: 0,
        }
    }

    /// Whether so many bytes are there now; no promise that they will be.
    pub(crate) fn has(&self, bytes: u64) -> bool {
        self.used().0.saturating_add(bytes) <= self.0.limit
    }

    /// All of them.
    pub(crate) fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Whether so many bytes can ever be there.
    pub(crate) fn can_have(&self, bytes: u64) -> bool {
        bytes <= self.0.limit
    }

    fn take(&self, bytes: u64) -> bool {
        let order = Ordering::Relaxed;
        let more = |used: u64| {
            let total = used.checked_add(bytes)?;
            (total <= self.0.limit).then_some(total)
        };
        match self.0.used.fetch_update(order, order, more) {
            Ok(before) => {
                self.0.peak.fetch_max(before + bytes, order);
                true
            }
            Err(_) => false,
        }
    }
}

impl Lease {
    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes more bytes, if they are there.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), UsedUp> {
        if !self.memory.take(bytes) {
            return Err(UsedUp);
        }
        self.bytes += bytes;
        Ok(())
    }

    /// The same, and waits a while for others to give theirs back: on a thread that may.
    pub(crate) fn grow_patiently(&mut self, bytes: u64) -> Result<(), UsedUp> {
        let until = Instant::now() + PATIENCE;
        while self.memory.can_have(bytes) {
            match self.grow(bytes) {
                Err(UsedUp) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                outcome => return outcome,
            }
        }
        Err(UsedUp)
    }

    /// Keeps at most so many bytes.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.memory.0.used.fetch_sub(less, Ordering::Relaxed);
        self.bytes -= less;
    }

    /// Bytes that hold the lease as long as any part of them is there.
    pub(crate) fn over(self, bytes: Vec<u8>) -> Bytes {
        struct Held(Vec<u8>, #[expect(dead_code, reason = "it is held")] Lease);
        impl AsRef<[u8]> for Held {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        Bytes::from_owner(Held(bytes, self))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

/// The budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UsedUp;

impl From<UsedUp> for Problem {
    fn from(_: UsedUp) -> Self {
        Self {
            retry_after: Some(AGAIN),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the server has no memory for this now; send it again in some seconds \
                 (`xhprof serve --memory` gives it more)",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_given_back_with_the_last_part_of_a_body() {
        let memory = Memory::new(100);
        let mut lease = memory.lease();
        lease.grow(60).unwrap();
        assert_eq!(lease.grow(41), Err(UsedUp));
        lease.grow(40).unwrap();
        let body = lease.over(vec![7; 100]);
        let part = body.slice(3..5);
        drop(body);
        assert_eq!(memory.used(), (100, 100));
        assert_eq!(&part[..], [7, 7]);
        assert!(!memory.has(1));
        drop(part);
        assert_eq!(memory.used(), (0, 100));
        assert!(memory.has(100) && !memory.can_have(101));
    }

    #[test]
    fn work_waits_for_memory_of_other_work_but_not_for_what_cannot_be() {
        let memory = Memory::new(100);
        let mut first = memory.lease();
        first.grow(100).unwrap();
        let mut second = memory.lease();
        let began = Instant::now();
        assert_eq!(second.grow_patiently(101), Err(UsedUp));
        assert!(began.elapsed() < PATIENCE);
        std::thread::scope(|scope| {
            scope.spawn(|| drop(first));
            second.grow_patiently(100).unwrap();
        });
        second.shrink_to(30);
        assert_eq!(memory.used().0, 30);
    }
}
