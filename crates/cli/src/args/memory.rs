//! `--memory-limit`, of every command that reads profiles.

use clap::Args;
use profile::Budget;
use profile::quantities::parse_size;

/// How much memory the program may use for profiles.
#[derive(Debug, Clone, Copy, Args)]
pub struct MemoryArguments {
    /// Memory that the program may use for a profile, as 512M or 4G: half to read the file, half to
    /// process it; 0 for no limit
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
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

    /// The same for a command that keeps calls in the order of time: as many events as fit into
    /// the half that reading may use, with 40 bytes each in a list that has grown by a half.
    pub(crate) fn budget_in_order(self) -> Budget {
        match self.memory_limit {
            0 => Budget::with_events(u64::MAX, usize::MAX),
            limit => {
                let events = usize::try_from(limit / 2 / 80).unwrap_or(usize::MAX);
                Budget::with_events(limit, events)
            }
        }
    }
}
