//! The counts of all processes that write into one directory, for
//! `xhprof.max_per_minute` and `xhprof.max_dir_size`: what they are, and how they
//! are written in a file. The extension locks, reads and writes that file.
//!
//! **Invariants:** a line of another version, or a damaged one, reads as zeros, and
//! the directory is measured again. A wrong clock does not stop the measurements.

/// The numbers, in the order of the file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// The minute, since 1970, in which `begun` profiles were begun.
    minute: u64,
    begun: u64,
    /// The size of the directory's files, in bytes.
    bytes: u64,
    /// When to measure them again, in seconds since 1970.
    count_again: u64,
    /// How many profiles were dropped because the directory was full.
    dropped: u64,
}

/// The line's first word, which identifies the version.
const WORD: &str = "xhprof-ledger-1";
/// The length of the line, with its end: one write replaces all of it.
pub const LINE: usize = 128;
/// The least time between two measurements of the directory, in seconds.
const COUNT_IS_GOOD: u64 = 60;
/// The longest time, in seconds.
const COUNT_IS_OLD: u64 = 24 * 60 * 60;

impl Counts {
    /// Reads the line; zeros if it is of another version or damaged.
    #[must_use]
    pub fn parse(line: &[u8]) -> Self {
        Self::try_parse(line).unwrap_or_default()
    }

    fn try_parse(line: &[u8]) -> Option<Self> {
        let mut words = str::from_utf8(line).ok()?.split_ascii_whitespace();
        words.next().filter(|word| *word == WORD)?;
        let mut number = || words.next()?.parse().ok();
        Some(Self {
            minute: number()?,
            begun: number()?,
            bytes: number()?,
            count_again: number()?,
            dropped: number()?,
        })
    }

    /// The line, padded with spaces.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            minute,
            begun,
            bytes,
            count_again,
            dropped,
        } = self;
        let line = format!("{WORD} {minute} {begun} {bytes} {count_again} {dropped}");
        format!("{line:<0$}\n", LINE - 1)
    }

    /// Begins a profile at that time; false if `limit` profiles began in the same
    /// minute.
    pub fn begin_profile(&mut self, now_s: u64, limit: u64) -> bool {
        let minute = now_s / 60;
        if self.minute != minute {
            self.minute = minute;
            self.begun = 0;
        }
        let is_allowed = self.begun < limit;
        self.begun += u64::from(is_allowed);
        is_allowed
    }

    /// The size of the directory's files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Files were written.
    pub fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Files that were added were not written.
    pub fn subtract(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Whether the directory must be measured. A time too far in the future was set
    /// by a wrong clock.
    #[must_use]
    pub fn is_measurement_due(&self, now_s: u64) -> bool {
        now_s >= self.count_again || self.count_again > now_s.saturating_add(COUNT_IS_OLD)
    }

    /// The directory was measured, which took that long. The next measurement is so
    /// late that all of them take at most a thousandth of the time.
    pub fn measured(&mut self, bytes: u64, now_s: u64, took_ms: u64) {
        self.bytes = bytes;
        let pause = took_ms.clamp(COUNT_IS_GOOD, COUNT_IS_OLD);
        self.count_again = now_s.saturating_add(pause);
    }

    /// Counts a dropped profile; returns how many there are.
    pub fn drop_profile(&mut self) -> u64 {
        self.dropped = self.dropped.saturating_add(1);
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_minute_has_a_limit_and_the_next_one_is_new() {
        let mut counts = Counts::default();
        let begun: Vec<bool> = [120, 121, 179, 180, 180, 181, 60]
            .map(|now| counts.begin_profile(now, 2))
            .into();
        // The last one is after the clock was set back.
        assert_eq!(begun, [true, true, false, true, true, false, true]);
        assert!(!Counts::default().begin_profile(0, 0));
    }

    #[test]
    fn a_refused_profile_is_not_counted() {
        let mut counts = Counts::default();
        assert!(counts.begin_profile(0, 1) && !counts.begin_profile(0, 1));
        assert!(counts.begin_profile(0, 2));
    }

    #[test]
    fn a_directory_is_measured_at_once_and_then_each_minute() {
        let mut counts = Counts::default();
        assert!(counts.is_measurement_due(1_700_000_000));
        counts.measured(5, 1_700_000_000, 3);
        assert!(!counts.is_measurement_due(1_700_000_059));
        assert!(counts.is_measurement_due(1_700_000_060));
        assert_eq!(counts.bytes(), 5);
    }

    #[test]
    fn measuring_takes_at_most_a_thousandth_of_the_time() {
        let mut counts = Counts::default();
        // Ten minutes of measuring: a week would be right, a day is the longest.
        for (took_ms, pause) in [(0, 60), (60_000, 60_000), (600_000, 86_400)] {
            counts.measured(0, 1_000, took_ms);
            assert!(!counts.is_measurement_due(1_000 + pause - 1), "{took_ms}");
            assert!(counts.is_measurement_due(1_000 + pause), "{took_ms}");
        }
    }

    #[test]
    fn a_clock_that_was_ahead_does_not_stop_the_measurements() {
        let mut counts = Counts::default();
        counts.measured(0, 2_000_000_000, 0);
        assert!(counts.is_measurement_due(1_700_000_000));
        counts.measured(0, u64::MAX - 5, 0);
        assert!(counts.is_measurement_due(7));
    }

    #[test]
    fn sizes_stop_at_their_ends() {
        let mut counts = Counts::default();
        counts.subtract(1);
        assert_eq!(counts.bytes(), 0);
        counts.add(u64::MAX);
        counts.add(1);
        assert_eq!(counts.bytes(), u64::MAX);
    }

    #[test]
    fn a_damaged_line_reads_as_zeros() {
        let whole = Counts {
            minute: 1,
            begun: 2,
            bytes: 3,
            count_again: 4,
            dropped: 5,
        };
        assert_eq!(Counts::parse(b"xhprof-ledger-1 1 2 3 4 5\n"), whole);
        for line in [
            &b""[..],
            b"xhprof-ledger-2 1 2 3 4 5",
            b"xhprof-ledger-1 1 2 3 4",
            b"xhprof-ledger-1 1 2 3 4 -5",
            b"xhprof-ledger-1 1 2 x 4 5",
            b"xhprof-ledger-1 1 2 3 4 99999999999999999999",
            b"xhprof-ledger-1 1 2 3 4 5 \xff",
        ] {
            assert_eq!(
                Counts::parse(line),
                Counts::default(),
                "{}",
                line.escape_ascii()
            );
        }
    }

    proptest! {
        #[test]
        fn a_line_has_one_length_and_is_read_as_it_was_written(
            (minute, begun, bytes, count_again, dropped) in any::<(u64, u64, u64, u64, u64)>()
        ) {
            let counts = Counts { minute, begun, bytes, count_again, dropped };
            let line = counts.line();
            prop_assert_eq!(Counts::parse(line.as_bytes()), counts);
            prop_assert!(line.ends_with('\n'));
            prop_assert_eq!(line.len(), LINE);
        }

        #[test]
        fn any_bytes_are_read(line in any::<Vec<u8>>()) {
            let _ = Counts::parse(&line);
        }
    }
}
