//! The limit on failed logins.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Failed logins of an address within [`WINDOW`], before it has to wait.
const FAILURES: usize = 10;
const WINDOW: Duration = Duration::from_secs(60);

/// Failed logins by address.
#[derive(Debug, Default)]
pub(crate) struct Logins {
    failures: Mutex<HashMap<IpAddr, Vec<Instant>>>,
}

impl Logins {
    /// Whether an address has to wait.
    pub(crate) fn is_blocked(&self, address: IpAddr) -> bool {
        let failures = self.failures.lock();
        let recent = failures.get(&address).map_or(0, |times| {
            times.iter().filter(|time| time.elapsed() < WINDOW).count()
        });
        recent >= FAILURES
    }

    /// Counts a failed login.
    pub(crate) fn failed(&self, address: IpAddr) {
        let mut failures = self.failures.lock();
        if failures.len() > 10_000 {
            failures.clear();
        }
        let times = failures.entry(address).or_default();
        times.retain(|time| time.elapsed() < WINDOW);
        times.push(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_waits_after_ten_failures() {
        let logins = Logins::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        for _ in 0..10 {
            assert!(!logins.is_blocked(address));
            logins.failed(address);
        }
        assert!(logins.is_blocked(address));
        assert!(!logins.is_blocked(IpAddr::from([192, 0, 2, 2])));
    }
}
