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
    /// A column of zeros that has room for numbers with those bits.
    pub(crate) fn of_zeros(length: usize, bits: u64) -> Self {
        if bits == 0 {
            Self::Zero
        } else if u32::try_from(bits).is_ok() {
            Self::Narrow(vec![0; length])
        } else {
            Self::Wide(vec![0; length])
        }
    }

    /// Sets the number of a node; it has no bits but those of the column.
    #[inline]
    pub(crate) fn set(&mut self, place: usize, number: u64) {
        match self {
            Self::Zero => {}
            Self::Narrow(list) => list[place] = u32::try_from(number).unwrap_or(u32::MAX),
            Self::Wide(list) => list[place] = number,
        }
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
            let bits = numbers.iter().fold(0, |bits, (_, number)| bits | number);
            let mut column = Column::of_zeros(3, bits);
            for (place, number) in numbers {
                column.set(place, number);
            }
            assert_eq!([0, 1, 2].map(|node| column.get(node)), [most, most / 2, 0]);
        }
    }
}
