//! How long to wait after a failure.

use std::time::Duration;

/// The longest wait of its own.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// The longest wait that a server may ask for.
const MAX_ASKED: Duration = Duration::from_secs(3600);

/// Waits that double with each failure. A part of each wait is random, so that
/// the agents of many machines do not come back at once.
#[derive(Debug)]
pub(crate) struct Backoff {
    first: Duration,
    failures: u32,
}

impl Backoff {
    pub(crate) fn new(first: Duration) -> Self {
        Self { first, failures: 0 }
    }

    /// Notes a success.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// The wait after one more failure: not shorter than the server asked for.
    pub(crate) fn wait(&mut self, asked: Option<Duration>) -> Duration {
        self.next(asked, random())
    }

    fn next(&mut self, asked: Option<Duration>, random: u32) -> Duration {
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        self.failures = self.failures.saturating_add(1);
        let whole = self.first.saturating_mul(factor).min(MAX_WAIT);
        let part = f64::from(random) / f64::from(u32::MAX);
        let own = whole.mul_f64(0.5 + part / 2.0);
        let asked = bounded(asked);
        if asked <= own {
            return own;
        }
        asked + whole.mul_f64(part / 2.0)
    }
}

/// The wait that a server asks for, as far as it is heeded.
pub(crate) fn bounded(asked: Option<Duration>) -> Duration {
    asked.unwrap_or_default().min(MAX_ASKED)
}

/// A random number; a constant without a source of them, which is no error here.
fn random() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let seconds = |random| {
            let mut backoff = Backoff::new(Duration::from_secs(1));
            let waits = (0..40).map(|_| backoff.next(None, random).as_secs());
            waits.collect::<Vec<_>>()
        };
        let longest = seconds(u32::MAX);
        assert_eq!(longest[..5], [1, 2, 4, 8, 16]);
        assert_eq!(longest[39], 300);
        let shortest = seconds(0);
        assert_eq!(shortest[..5], [0, 1, 2, 4, 8]);
        assert_eq!(shortest[39], 150);
    }

    #[test]
    fn a_server_may_ask_for_a_longer_wait_but_not_for_days() {
        let mut backoff = Backoff::new(Duration::from_secs(1));
        let asked = backoff.next(Some(Duration::from_secs(60)), 0);
        assert_eq!(asked, Duration::from_secs(60));
        let asked = backoff.next(Some(Duration::from_secs(86_400)), 0);
        assert_eq!(asked, MAX_ASKED);
        backoff.reset();
        assert_eq!(backoff.next(None, u32::MAX), Duration::from_secs(1));
    }
}
