//! One number for each node of a tree, in as few bytes as they need.

/// The numbers of all nodes.
#[derive(Debug, Clone, Default)]
pub(crate) enum Column {
    /// All of them are zero.
    #[default]
    Zero,
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Column {
    /// A column whose numbers come in any order: each pair is a place below
    /// `length` and a number. Places that do not come are zero.
    pub(crate) fn new(length: usize, numbers: impl Iterator<Item = (usize, u64)> + Clone) -> Self {
        // All bits that any number has.
        let bits = numbers.clone().fold(0, |bits, (_, number)| bits | number);
        if bits == 0 {
            return Self::Zero;
        }
        if u32::try_from(bits).is_ok() {
            let mut narrow = vec![0; length];
            for (place, number) in numbers {
                narrow[place] = u32::try_from(number).unwrap_or(u32::MAX);
            }
            return Self::Narrow(narrow);
        }
        let mut wide = vec![0; length];
        for (place, number) in numbers {
            wide[place] = number;
        }
        Self::Wide(wide)
    }

    /// The number of a node.
    #[inline]
    pub(crate) fn get(&self, node: u32) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Narrow(list) => u64::from(list[node as usize]),
            Self::Wide(list) => list[node as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_same_in_any_width() {
        for most in [0, 1, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            let numbers = [(2, 0), (0, most), (1, most / 2)];
            let column = Column::new(3, numbers.into_iter());
            assert_eq!([0, 1, 2].map(|node| column.get(node)), [most, most / 2, 0]);
        }
    }
}
