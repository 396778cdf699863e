//! Cancels a question whose client has left.
//!
//! The server makes a [`CancelToken`] for each request, and [runs](CancelToken::run) the question
//! under it. When the client leaves, the server [cancels](CancelToken::cancel) the token: `SQLite`
//! stops at its next step, ClickHouse is told to stop the statement, and loops over sums stop.
//!
//! **Invariant:** only questions are cancelled. A write is finished, or undone.

use std::cell::RefCell;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::{Error, Result};

thread_local! {
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Says whether a question was cancelled.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_cancelled: AtomicBool,
    actions: Mutex<Actions>,
}

/// What is done when the token is cancelled.
#[derive(Default)]
struct Actions {
    next: u64,
    actions: Vec<(u64, Box<dyn FnOnce() + Send>)>,
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken")
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

impl CancelToken {
    /// Cancels what runs under the token.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
        let actions = std::mem::take(&mut self.0.actions.lock().actions);
        for (_, action) in actions {
            action();
        }
    }

    /// Whether the token was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Runs work under the token: the questions that it asks on this thread are cancelled with it.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Before(Option<CancelToken>);
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
            let token = Self::current().unwrap_or_default();
            let one = scope.spawn(move || token.run(one));
            let other = other();
            let one = one.join();
            (one.unwrap_or_else(|panic| resume_unwind(panic)), other)
        })
    }

    /// The token that this thread works under.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Calls `action` when the token is cancelled, unless the result is dropped before.
    #[must_use]
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) -> OnCancel {
        let mut actions = self.0.actions.lock();
        let number = actions.next;
        actions.next += 1;
        actions.actions.push((number, Box::new(action)));
        drop(actions);
        // It may have been cancelled just before.
        if self.is_cancelled() {
            self.cancel();
        }
        OnCancel(self.clone(), number)
    }
}

/// An action of [`CancelToken::on_cancel`].
#[derive(Debug)]
pub struct OnCancel(CancelToken, u64);

impl Drop for OnCancel {
    fn drop(&mut self) {
        let Self(token, number) = self;
        token
            .0
            .actions
            .lock()
            .actions
            .retain(|(other, _)| other != number);
    }
}

/// An error if the token of this thread was cancelled.
pub(crate) fn check() -> Result<()> {
    let is_cancelled =
        |token: &Option<CancelToken>| token.as_ref().is_some_and(CancelToken::is_cancelled);
    if CURRENT.with_borrow(is_cancelled) {
        return Err(Error::Cancelled);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn work_is_cancelled_with_its_own_token_only() {
        let (outer, inner) = (CancelToken::default(), CancelToken::default());
        outer.run(|| {
            inner.run(|| {
                inner.cancel();
                assert!(matches!(check(), Err(Error::Cancelled)));
            });
            assert!(check().is_ok());
        });
        assert!(CancelToken::current().is_none() && check().is_ok());
    }

    #[test]
    fn both_are_done_at_the_same_time() {
        // Each waits until the other has begun.
        let met = std::sync::Barrier::new(2);
        let work = |answer| {
            met.wait();
            answer
        };
        assert_eq!(CancelToken::both(|| work(1), || work(2)), (1, 2));
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
        let token = CancelToken::default();
        drop(token.on_cancel(add(1)));
        let _held = token.on_cancel(add(10));
        token.cancel();
        token.cancel();
        let _late = token.on_cancel(add(100));
        assert_eq!(count.load(Ordering::SeqCst), 110);
    }
}
