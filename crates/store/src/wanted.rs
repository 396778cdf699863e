//! Whether the client still waits for an answer.
//!
//! Who asks makes a [`Wanted`], and lets the question run [within](Wanted::during) it. When
//! the asker goes away it [ends](Wanted::end): `SQLite` stops at its next step, ClickHouse is
//! told to stop the statement, and loops over sums stop at the next one.
//!
//! **Invariant:** it ends questions only. What is being written is written, or nothing of it.

use std::cell::RefCell;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::{Error, Result};

thread_local! {
    static CURRENT: RefCell<Option<Wanted>> = const { RefCell::new(None) };
}

/// Whether an answer is wanted.
#[derive(Clone, Default)]
pub struct Wanted(Arc<Inner>);

#[derive(Default)]
struct Inner {
    has_ended: AtomicBool,
    at_end: Mutex<AtEnd>,
}

/// What is done when the client does not wait any more.
#[derive(Default)]
struct AtEnd {
    next: u64,
    actions: Vec<(u64, Box<dyn FnOnce() + Send>)>,
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted")
            .field("has_ended", &self.has_ended())
            .finish_non_exhaustive()
    }
}

impl Wanted {
    /// The client does not wait any more.
    pub fn end(&self) {
        self.0.has_ended.store(true, Ordering::SeqCst);
        let actions = std::mem::take(&mut self.0.at_end.lock().actions);
        for (_, action) in actions {
            action();
        }
    }

    /// Whether the client does not wait any more.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.0.has_ended.load(Ordering::SeqCst)
    }

    /// Works for who waits. What the work asks on this thread ends with the wish.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Before(Option<Wanted>);
        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _before = Before(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// Does both at the same time: half of the time of a question to a database is waiting.
    /// The second one is done by this thread.
    pub fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
        std::thread::scope(|scope| {
            let wanted = Self::current().unwrap_or_default();
            let one = scope.spawn(move || wanted.during(one));
            let other = other();
            let one = one.join();
            (one.unwrap_or_else(|panic| resume_unwind(panic)), other)
        })
    }

    /// For whom this thread works.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Does something at the end, unless what it returns is dropped before.
    #[must_use]
    pub fn at_its_end(&self, action: impl FnOnce() + Send + 'static) -> AtItsEnd {
        let mut at_end = self.0.at_end.lock();
        let number = at_end.next;
        at_end.next += 1;
        at_end.actions.push((number, Box::new(action)));
        drop(at_end);
        // It may have ended just before.
        if self.has_ended() {
            self.end();
        }
        AtItsEnd(self.clone(), number)
    }
}

/// An action at the end of a [`Wanted`].
#[derive(Debug)]
pub struct AtItsEnd(Wanted, u64);

impl Drop for AtItsEnd {
    fn drop(&mut self) {
        let Self(wanted, number) = self;
        wanted
            .0
            .at_end
            .lock()
            .actions
            .retain(|(other, _)| other != number);
    }
}

/// An error if the client does not wait for what this thread does.
pub(crate) fn check() -> Result<()> {
    let has_ended = |wanted: &Option<Wanted>| wanted.as_ref().is_some_and(Wanted::has_ended);
    if CURRENT.with_borrow(has_ended) {
        return Err(Error::Unwanted);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn work_is_for_who_began_it_and_ends_with_the_wish() {
        let (outer, inner) = (Wanted::default(), Wanted::default());
        outer.during(|| {
            inner.during(|| {
                inner.end();
                assert!(matches!(check(), Err(Error::Unwanted)));
            });
            assert!(check().is_ok());
        });
        assert!(Wanted::current().is_none() && check().is_ok());
    }

    #[test]
    fn both_are_done_at_the_same_time() {
        // Each waits until the other has begun.
        let met = std::sync::Barrier::new(2);
        let work = |answer| {
            met.wait();
            answer
        };
        assert_eq!(Wanted::both(|| work(1), || work(2)), (1, 2));
    }

    #[test]
    fn actions_happen_once_and_only_while_they_are_held() {
        let count = Arc::new(AtomicU32::new(0));
        let add = |number| {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(number, Ordering::SeqCst);
            }
        };
        let wanted = Wanted::default();
        drop(wanted.at_its_end(add(1)));
        let _held = wanted.at_its_end(add(10));
        wanted.end();
        wanted.end();
        let _late = wanted.at_its_end(add(100));
        assert_eq!(count.load(Ordering::SeqCst), 110);
    }
}
