//! `--memory-limit`, of every command that reads profiles.

use clap::Args;
use profile::Budget;

/// How much memory the program may use for profiles.
#[derive(Debug, Clone, Copy, Args)]
pub struct MemoryArguments {
    /// Memory that the program may use for a profile, as 512M or 4G: half to read the file, half to
    /// process it; 0 for no limit
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub memory_limit: u64,
}

impl Default for MemoryArguments {
    fn default() -> Self {
        Self {
            memory_limit: Budget::DEFAULT_LIMIT,
        }
    }
}

impl MemoryArguments {
    /// A budget for one profile.
    pub(crate) fn budget(self) -> Budget {
        match self.memory_limit {
            0 => Budget::unlimited(),
            limit => Budget::new(limit),
        }
    }
}

/// A number of bytes, kibibytes (K), mebibytes (M) or gibibytes (G).
pub fn size(text: &str) -> Result<u64, &'static str> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (text.get(..text.len() - 1), 10),
        Some(b'M' | b'm') => (text.get(..text.len() - 1), 20),
        Some(b'G' | b'g') => (text.get(..text.len() - 1), 30),
        _ => (Some(text), 0),
    };
    let number = digits.and_then(|digits| digits.parse::<u64>().ok());
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or("not a number of bytes, or of K, M or G")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_have_a_letter() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("1024"), Ok(1024));
        assert_eq!(size("3k"), Ok(3 << 10));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1G"), Ok(Budget::DEFAULT_LIMIT));
        for wrong in ["", "G", "1.5G", "-1", "1T", "18446744073709551615K", "1GB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
