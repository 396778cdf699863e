//! What the name of a batch's file says.

/// What is known of a batch without reading it. Its name has it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The number of the batch; earlier ones have lower numbers.
    pub(crate) number: u64,
    /// The number of its runs.
    pub(crate) runs: u32,
    /// Whether its runs are slow, failed, or asked for.
    pub(crate) is_high: bool,
}

impl Entry {
    /// The name of its file.
    pub(crate) fn name(self) -> String {
        let kind = if self.is_high { 'h' } else { 'l' };
        format!("{:020}-{}-{kind}.batch", self.number, self.runs)
    }

    /// What a name says; none if it is that of another file.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut parts = name.strip_suffix(".batch")?.splitn(3, '-');
        Some(Self {
            number: parts.next()?.parse().ok()?,
            runs: parts.next()?.parse().ok()?,
            is_high: match parts.next()? {
                "h" => true,
                "l" => false,
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_batch_is() {
        let entry = Entry {
            number: 17,
            runs: 3,
            is_high: true,
        };
        assert_eq!(Entry::of_name(&entry.name()), Some(entry));
        for name in [
            "1-2-x.batch",
            "1-2-h",
            "dropped.json",
            "a-1-h.batch",
            "1.tmp",
        ] {
            assert_eq!(Entry::of_name(name), None, "{name}");
        }
    }
}
