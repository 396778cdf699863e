//! An index of names that are stored elsewhere, so that no name is stored
//! twice.
//!
//! In a short request every function is new to the profiler. The standard
//! library's hash and a copy of each name in its map would take longer than the
//! rest of the work. This index hashes a name eight bytes at a time, and stores
//! only the hash and the value.
//!
//! **Invariant:** each index has its own random hash parameters, so that an
//! attacker who chooses names cannot predict collisions.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use crate::hash::folded_product;

/// Values by the hashes of their names.
#[derive(Debug, Clone)]
pub struct NameIndex<T> {
    seed: u64,
    factor: u64,
    found: HashMap<u64, T, BuildHasherDefault<AsItIs>>,
}

/// The place for a name that is not in the index.
#[derive(Debug, Clone, Copy)]
pub struct Vacancy(u64);

impl<T> Default for NameIndex<T> {
    fn default() -> Self {
        Self::with_room(0)
    }
}

impl<T> NameIndex<T> {
    /// An empty index with new random hash parameters, and with room for `count` names.
    #[must_use]
    pub fn with_room(count: usize) -> Self {
        let random = RandomState::new();
        Self {
            seed: random.hash_one(0_u8),
            // Odd: an even factor would lose bits.
            factor: random.hash_one(1_u8) | 1,
            found: HashMap::with_capacity_and_hasher(count, BuildHasherDefault::default()),
        }
    }
}

impl<T: Copy> NameIndex<T> {
    /// The value of `name`; `is_it` compares a value's name with it.
    ///
    /// # Errors
    ///
    /// The place to insert it, if no value has that name.
    pub fn find(&self, name: &[u8], is_it: impl Fn(T) -> bool) -> Result<T, Vacancy> {
        let mut place = self.hash(name);
        // Colliding names are in adjacent places; no name is ever removed.
        loop {
            match self.found.get(&place) {
                None => return Err(Vacancy(place)),
                Some(&found) if is_it(found) => return Ok(found),
                Some(_) => place = place.wrapping_add(1),
            }
        }
    }

    /// Whether there is memory for one more name.
    pub fn has_room(&mut self) -> bool {
        self.found.try_reserve(1).is_ok()
    }

    /// Inserts the name of a failed search; no name may have been inserted
    /// since.
    pub fn add(&mut self, vacancy: Vacancy, value: T) {
        self.found.insert(vacancy.0, value);
    }

    fn hash(&self, name: &[u8]) -> u64 {
        let mut state = self.fold(self.seed ^ name.len() as u64);
        let (words, rest) = name.as_chunks::<8>();
        for word in words {
            state = self.fold(state ^ u64::from_le_bytes(*word));
        }
        let rest = rest
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.fold(state ^ rest)
    }

    fn fold(&self, state: u64) -> u64 {
        folded_product(state, self.factor)
    }
}

/// The hash of a hash.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds all names; each one's value is its index.
    fn index_of(names: &[Vec<u8>]) -> NameIndex<usize> {
        let mut index = NameIndex::default();
        for (number, name) in names.iter().enumerate() {
            let vacancy = index.find(name, |place: usize| &names[place] == name);
            index.add(vacancy.unwrap_err(), number);
        }
        index
    }

    fn many_names() -> Vec<Vec<u8>> {
        let numbers = 0..5_000;
        let functions =
            numbers.map(|number| format!("App\\Model\\Thing{number}::get").into_bytes());
        // Names that differ only in their length, or in one last byte.
        let zeros = (0..40).map(|length| vec![0; length]);
        let ends = (1..=255).map(|byte| vec![b'f', byte]);
        functions.chain(zeros).chain(ends).collect()
    }

    #[test]
    fn every_name_is_found_again() {
        let names = many_names();
        let index = index_of(&names);
        for (number, name) in names.iter().enumerate() {
            let found = index.find(name, |place| &names[place] == name);
            assert_eq!(found.unwrap(), number);
        }
        assert!(
            index
                .find(b"missing", |place| names[place] == b"missing")
                .is_err()
        );
    }

    #[test]
    fn names_with_one_hash_are_told_apart() {
        let names: Vec<Vec<u8>> = (0..9_u8).map(|byte| vec![byte]).collect();
        let mut index = index_of(&[]);
        // So every hash is zero.
        (index.seed, index.factor) = (1, 0);
        for (number, name) in names.iter().enumerate() {
            let vacancy = index.find(name, |place| &names[place] == name).unwrap_err();
            index.add(vacancy, number);
        }
        let found = |name: &Vec<u8>| index.find(name, |place| &names[place] == name).unwrap();
        assert_eq!(
            names.iter().map(found).collect::<Vec<_>>(),
            (0..9).collect::<Vec<_>>()
        );
    }

    #[test]
    fn names_are_spread_over_all_places() {
        let index = index_of(&[]);
        for shift in [0, 54] {
            let mut places = vec![0; 1 << 10];
            for number in 0..1 << 14 {
                let name = format!("function_number_{number}");
                let place = index.hash(name.as_bytes()) >> shift;
                places[usize::try_from(place).unwrap() & 1023] += 1;
            }
            // Even distribution would be 16 each; random ones have 35 or so at
            // most in some.
            assert!(places.into_iter().max().unwrap() < 64, "{shift}");
        }
    }

    #[test]
    fn no_two_indexes_hash_alike() {
        let [one, other] = [index_of(&[]), index_of(&[])];
        assert_ne!(one.hash(b"strlen"), other.hash(b"strlen"));
    }
}
