//! Reads no faster than a number of bytes a second.

use std::io::{self, Read};
use std::time::{Duration, Instant};

/// A reader that waits, so that it stays within the rate.
pub(crate) struct Paced<R> {
    inner: R,
    /// Bytes a second.
    rate: Option<u64>,
    begin: Instant,
    read: u64,
}

impl<R: Read> Paced<R> {
    pub(crate) fn new(inner: R, rate: Option<u64>) -> Self {
        Self {
            inner,
            rate,
            begin: Instant::now(),
            read: 0,
        }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(rate) = self.rate else {
            return self.inner.read(buffer);
        };
        let due = time(self.read, rate);
        std::thread::sleep(due.saturating_sub(self.begin.elapsed()));
        // A tenth of a second at a time.
        let most = usize::try_from((rate / 10).max(1)).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let part = buffer.get_mut(..most).unwrap_or_default();
        let count = self.inner.read(part)?;
        self.read += count as u64;
        Ok(count)
    }
}

/// How long so many bytes take.
pub(crate) fn time(bytes: u64, rate: u64) -> Duration {
    let nanoseconds = u128::from(bytes) * 1_000_000_000 / u128::from(rate.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time() {
        assert_eq!(time(1000, 1000), Duration::from_secs(1));
        assert_eq!(time(0, 1), Duration::ZERO);
        assert_eq!(time(5, 0), Duration::from_secs(5));
        let begin = Instant::now();
        let mut bytes = Vec::new();
        let input = [7_u8; 3000];
        Paced::new(&input[..], Some(10_000))
            .read_to_end(&mut bytes)
            .unwrap();
        assert_eq!(bytes, input);
        // The last part needs no wait.
        assert!(begin.elapsed() >= Duration::from_millis(190));
    }
}
