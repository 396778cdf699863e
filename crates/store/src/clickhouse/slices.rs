//! Parts of the runs of a day, by their ids.
//!
//! Ids are hashes, and rows are in their order: parts are alike in size, and each reads
//! its rows only.

use super::literal::{id, ids};
use crate::RunId;

/// Ids that begin with one of these numbers of two bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    first: u32,
    until: u32,
}

/// All ids, divided into parts: each has about `most` of `count` ids.
pub(super) fn of_ids(count: u64, most: u64) -> Vec<Range> {
    let parts = count.div_ceil(most).clamp(1, 1 << 16);
    let border = |part: u64| u32::try_from((part << 16) / parts).unwrap_or(1 << 16);
    let range = |part| Range {
        first: border(part),
        until: border(part + 1),
    };
    (0..parts).map(range).collect()
}

impl Range {
    fn has(self, id: &RunId) -> bool {
        let [high, low, ..] = id.0;
        let begin = u32::from(u16::from_be_bytes([high, low]));
        (self.first..self.until).contains(&begin)
    }

    /// The condition of its runs.
    pub(super) fn condition(self) -> String {
        let border = |number: u32| {
            let mut bytes = [0; 16];
            for (byte, value) in bytes.iter_mut().zip(&number.to_be_bytes()[2..]) {
                *byte = *value;
            }
            id(&bytes)
        };
        let first = match self.first {
            0 => "1".to_owned(),
            first => format!("id >= {}", border(first)),
        };
        if self.until >= 1 << 16 {
            return first;
        }
        format!("{first} AND id < {}", border(self.until))
    }

    /// The condition that a run of this part is one of these.
    pub(super) fn any_of(self, runs: &[RunId]) -> String {
        let runs: Vec<&[u8; 16]> = runs
            .iter()
            .filter(|run| self.has(run))
            .map(|run| &run.0)
            .collect();
        if runs.is_empty() {
            return "0".to_owned();
        }
        format!("id IN ({})", ids(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_is_in_one_part() {
        for count in [0, 1, 5, 1000, 70_000, u64::MAX] {
            let parts = of_ids(count, 1);
            assert!(parts.len() as u64 >= count.clamp(1, 1 << 16));
            for begin in [0_u16, 1, 2, 0x0FFF, 0x8000, u16::MAX] {
                let [high, low] = begin.to_be_bytes();
                let mut run = RunId([7; 16]);
                run.0[0] = high;
                run.0[1] = low;
                let with = parts.iter().filter(|part| part.has(&run));
                assert_eq!(with.count(), 1, "{count}, {begin}");
            }
        }
    }

    #[test]
    fn a_part_names_its_borders() {
        let parts = of_ids(3, 1);
        let zeros = "\\x00".repeat(14);
        assert_eq!(parts[0].condition(), format!("1 AND id < 'UU{zeros}'"));
        assert_eq!(parts[2].condition(), format!("id >= '\\xaa\\xaa{zeros}'"));
        assert_eq!(of_ids(0, 5)[0].condition(), "1");
        assert_eq!(
            parts[0].any_of(&[RunId([9; 16])]),
            format!("id IN ({})", id(&[9; 16]))
        );
        assert_eq!(parts[1].any_of(&[RunId([9; 16])]), "0");
    }
}
