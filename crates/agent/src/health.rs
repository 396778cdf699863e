//! Whether a target takes batches, as all of its connections see it.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::backoff::{Backoff, bounded};

/// What the last attempts of all connections came to.
#[derive(Debug)]
pub(crate) struct Health(Mutex<State>);

#[derive(Debug)]
struct State {
    backoff: Backoff,
    /// Why the last attempt failed.
    failure: Option<String>,
    /// No attempt is made before.
    until: Instant,
}

impl Health {
    pub(crate) fn new(first_wait: Duration) -> Self {
        Self(Mutex::new(State {
            backoff: Backoff::new(first_wait),
            failure: None,
            until: Instant::now(),
        }))
    }

    /// Notes that the target answered for a batch. Returns why the attempt before failed.
    pub(crate) fn succeeded(&self) -> Option<String> {
        let state = &mut *self.0.lock();
        state.backoff.reset();
        state.failure.take()
    }

    /// Notes a failed attempt, and the wait that the target asks for. Returns the wait if
    /// the reason is another one than before.
    pub(crate) fn failed(&self, reason: &str, asked: Option<Duration>) -> Option<Duration> {
        let state = &mut *self.0.lock();
        let now = Instant::now();
        // Connections that fail at once are one failure.
        let wait = if state.until > now {
            state.until.duration_since(now).max(bounded(asked))
        } else {
            state.backoff.wait(asked)
        };
        state.until = now.checked_add(wait).unwrap_or(now);
        let is_new = state.failure.as_deref() != Some(reason);
        state.failure = Some(reason.to_owned());
        is_new.then_some(wait)
    }

    /// Whether the last attempt failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.0.lock().failure.is_some()
    }

    /// How long to wait before the next attempt.
    pub(crate) fn wait(&self) -> Duration {
        self.0
            .lock()
            .until
            .saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_fail_at_once_are_one_failure() {
        let first = Duration::from_secs(10);
        let health = Health::new(first);
        assert!(health.wait().is_zero());
        assert!(health.failed("503", None).is_some());
        for _ in 0..20 {
            assert_eq!(health.failed("503", None), None);
        }
        assert!(health.is_failing());
        assert!(health.wait() <= first, "{:?}", health.wait());
        assert!(health.failed("refused", None).is_some());
        let asked = Duration::from_secs(30);
        health.failed("429", Some(asked));
        assert!(health.wait() > asked / 2);
        // A connection that succeeds does not shorten what the target asked for.
        assert_eq!(health.succeeded().as_deref(), Some("429"));
        assert!(!health.is_failing());
        assert!(health.wait() > asked / 2);
        let day = Duration::from_secs(86_400);
        health.failed("429", Some(day));
        assert!(health.wait() < day / 10);
    }
}
