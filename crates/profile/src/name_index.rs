//! Finds names that stand somewhere else already, so that none is kept twice.
//!
//! A profiler meets each function of a short request for the first time, and
//! then the standard library's hash and a copy of the name for its map take
//! longer than all else. Here a name is hashed eight bytes at a time, and what
//! the index holds is the hash and what the name stands for.
//!
//! **Invariant:** how names are hashed is drawn anew for every index, so that
//! nobody who chooses names can know which of them meet in one place.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// What names stand for, by their hashes.
#[derive(Debug)]
pub struct NameIndex<T> {
    seed: u64,
    factor: u64,
    found: HashMap<u64, T, BuildHasherDefault<AsItIs>>,
}

/// Where a name would stand that is not in the index.
#[derive(Debug, Clone, Copy)]
pub struct Vacancy(u64);

impl<T> Default for NameIndex<T> {
    /// An empty index, which hashes in another way than any before.
    fn default() -> Self {
        let random = RandomState::new();
        Self {
            seed: random.hash_one(0_u8),
            // Odd: a factor of two would throw bits away.
            factor: random.hash_one(1_u8) | 1,
            found: HashMap::default(),
        }
    }
}

impl<T: Copy> NameIndex<T> {
    /// What `name` stands for; `is_it` says whether something has that name.
    ///
    /// # Errors
    ///
    /// Where to put it, if nothing has that name.
    pub fn find(&self, name: &[u8], is_it: impl Fn(T) -> bool) -> Result<T, Vacancy> {
        let mut place = self.hash(name);
        // Two names with one hash stand side by side; nothing is ever taken out.
        loop {
            match self.found.get(&place) {
                None => return Err(Vacancy(place)),
                Some(&found) if is_it(found) => return Ok(found),
                Some(_) => place = place.wrapping_add(1),
            }
        }
    }

    /// Adds what was looked for; nothing may have been added since.
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
        let product = u128::from(state) * u128::from(self.factor);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let folded = product as u64 ^ (product >> 64) as u64;
        folded
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

    /// Adds all names, each of which stands for its place among them.
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
        // Names that differ in their length alone, or in one last byte.
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
                .find(b"nobody", |place| names[place] == b"nobody")
                .is_err()
        );
    }

    #[test]
    fn names_with_one_hash_are_told_apart() {
        let names: Vec<Vec<u8>> = (0..9_u8).map(|byte| vec![byte]).collect();
        let mut index = index_of(&[]);
        // So all have the hash zero.
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
            // 16 each would be even; random ones have 35 or so at most in some.
            assert!(places.into_iter().max().unwrap() < 64, "{shift}");
        }
    }

    #[test]
    fn no_two_indexes_hash_alike() {
        let [one, other] = [index_of(&[]), index_of(&[])];
        assert_ne!(one.hash(b"strlen"), other.hash(b"strlen"));
    }
}
