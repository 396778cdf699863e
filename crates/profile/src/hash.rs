//! Maps with small integer keys: numbers of nodes, symbols, edges.
//!
//! The standard library's hash is made for keys of any length. For eight bytes
//! it takes longer than the rest of the work, and a tree of a million nodes
//! looks up each. This hash does one multiplication for each number.
//!
//! **Invariant:** keys are numbers, and each map has its own random factor and
//! addend, so that the author of a file cannot predict collisions. Names, which
//! an attacker may choose while observing timing, use the standard library's
//! hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// A map whose keys are numbers.
pub type NumberMap<K, V> = HashMap<K, V, NumberHash>;

/// A set of numbers.
pub type NumberSet<K> = HashSet<K, NumberHash>;

/// The hash function of one map.
#[derive(Debug, Clone, Copy)]
pub struct NumberHash {
    seed: u64,
    factor: u64,
}

impl Default for NumberHash {
    /// A new random one.
    fn default() -> Self {
        let random = RandomState::new();
        Self {
            seed: random.hash_one(0_u8),
            // Odd: an even factor would lose bits.
            factor: random.hash_one(1_u8) | 1,
        }
    }
}

impl BuildHasher for NumberHash {
    type Hasher = NumberHasher;

    #[inline]
    fn build_hasher(&self) -> NumberHasher {
        NumberHasher {
            state: self.seed,
            factor: self.factor,
        }
    }
}

/// Both halves of a product in one number: one step of a hash. A hash table looks at
/// both ends of it, and each depends on all bits of `state`.
#[inline(always)]
#[must_use]
pub fn folded_product(state: u64, factor: u64) -> u64 {
    let product = u128::from(state) * u128::from(factor);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    let folded = product as u64 ^ (product >> 64) as u64;
    folded
}

/// Hashes one key.
#[derive(Debug, Clone, Copy)]
pub struct NumberHasher {
    state: u64,
    factor: u64,
}

impl Hasher for NumberHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.state = folded_product(self.state ^ number, self.factor);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest number of `keys` in one of 4096 buckets, selected by the
    /// hash's bits above `shift`.
    fn most_in_one_place(keys: impl Iterator<Item = (u32, u32)>, shift: u32) -> usize {
        let hash = NumberHash {
            seed: 0x0123_4567_89AB_CDEF,
            factor: 0x9E37_79B9_7F4A_7C15,
        };
        let mut places = vec![0; 4096];
        for key in keys {
            places[usize::try_from(hash.hash_one(key) >> shift).unwrap() & 4095] += 1;
        }
        places.into_iter().max().unwrap()
    }

    #[test]
    fn keys_that_have_most_in_common_are_spread_over_all_places() {
        // Even distribution would be one a bucket; random keys have 20 at most
        // in some.
        for shift in [0, 52] {
            let of_one = (0..16 * 4096).map(|number| (0, number));
            assert!(most_in_one_place(of_one, shift) < 48, "{shift}");
            let parents = (0..16 * 4096).map(|number| (number << 12, 7));
            assert!(most_in_one_place(parents, shift) < 48, "{shift}");
            let both = (0..16 * 4096).map(|number| (number, number ^ 1));
            assert!(most_in_one_place(both, shift) < 48, "{shift}");
        }
    }

    #[test]
    fn no_two_maps_hash_alike() {
        let [one, other] = [NumberHash::default(), NumberHash::default()];
        assert_ne!(one.hash_one(5_u32), other.hash_one(5_u32));
        assert_eq!(one.hash_one((5_u32, 6_u32)), one.hash_one((5_u32, 6_u32)));
        assert_ne!(one.hash_one((5_u32, 6_u32)), one.hash_one((6_u32, 5_u32)));
    }
}
