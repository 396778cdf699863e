//! A mergeable sketch of many times, for their quantiles.
//!
//! The buckets are those of the library `hdrhistogram` with two significant
//! digits: 128 for each power of two. A bucket's middle is at most 0.4 % away
//! from any value in it, and that is the error of a quantile. Only buckets
//! with counts are kept, so a sketch of one run takes some bytes.

use std::fmt;
use std::sync::OnceLock;

use hdrhistogram::Histogram;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Sign;

/// A mergeable sketch of many values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// The least value of each bucket, ascending, and its count.
    buckets: Vec<(u64, u64)>,
}

/// The library's buckets; it keeps no counts for us.
fn buckets() -> Option<&'static Histogram<u8>> {
    static BUCKETS: OnceLock<Option<Histogram<u8>>> = OnceLock::new();
    // Only more than five digits are refused.
    BUCKETS.get_or_init(|| Histogram::new(2).ok()).as_ref()
}

impl Sketch {
    /// The sketch of one value.
    #[must_use]
    pub fn of(value: u64) -> Self {
        let least = buckets().map_or(value, |buckets| buckets.lowest_equivalent(value));
        Self {
            buckets: vec![(least, 1)],
        }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        let counts = self.buckets.iter().map(|(_, count)| count);
        counts.fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The number of buckets.
    pub(crate) fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// The least value of each bucket, ascending, and its count.
    pub(crate) fn bucket_list(&self) -> &[(u64, u64)] {
        &self.buckets
    }

    /// The sketch with those buckets, in ascending order.
    pub(crate) fn of_buckets(buckets: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let buckets = buckets.into_iter().filter(|(_, count)| *count > 0);
        Self {
            buckets: buckets.collect(),
        }
    }

    /// Adds another sketch.
    pub fn add(&mut self, other: &Self) {
        self.merge(other, Sign::Plus);
    }

    /// The value that a fraction `q` of all values does not exceed; 0 if there
    /// are none.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank among fewer than 2^53 values"
    )]
    pub fn quantile(&self, q: f64) -> u64 {
        let rank = ((self.count() as f64 * q).ceil() as u64).max(1);
        let mut seen = 0_u64;
        for &(least, count) in &self.buckets {
            seen = seen.saturating_add(count);
            if seen >= rank {
                return buckets().map_or(least, |buckets| buckets.median_equivalent(least));
            }
        }
        0
    }

    /// The same for values whose mean is known: if all are in one bucket, as a single one is, the mean is nearer.
    pub(crate) fn quantile_by_mean(&self, q: f64, mean: Option<u64>) -> u64 {
        match (self.buckets.as_slice(), mean) {
            ([_], Some(mean)) => mean,
            _ => self.quantile(q),
        }
    }

    /// Each value that many times.
    #[must_use]
    pub(crate) fn times(&self, weight: u64) -> Self {
        let buckets = self.buckets.iter();
        let times = |&(least, count): &(u64, u64)| (least, count.saturating_mul(weight));
        Self {
            buckets: buckets.map(times).collect(),
        }
    }

    /// Adds or subtracts another sketch.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        if let [(least, count)] = other.buckets.as_slice() {
            return self.merge_one(*least, *count, sign);
        }
        let mut merged = Vec::with_capacity(self.buckets.len() + other.buckets.len());
        let mut ours = self.buckets.iter().copied().peekable();
        let mut theirs = other.buckets.iter().copied().peekable();
        loop {
            let (least, count) = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(&(one, count)), Some(&(other, _))) if one < other => {
                    ours.next();
                    (one, count)
                }
                (Some(&(one, count)), None) => {
                    ours.next();
                    (one, count)
                }
                (Some(&(one, count)), Some(&(other, more))) if one == other => {
                    ours.next();
                    theirs.next();
                    (one, sign.count(count, more))
                }
                (_, Some(&(other, more))) => {
                    theirs.next();
                    (other, sign.count(0, more))
                }
            };
            if count > 0 {
                merged.push((least, count));
            }
        }
        self.buckets = merged;
    }

    /// Adds or subtracts one bucket.
    pub(super) fn merge_one(&mut self, least: u64, count: u64, sign: Sign) {
        match self.buckets.binary_search_by_key(&least, |bucket| bucket.0) {
            Ok(place) => {
                let Some(bucket) = self.buckets.get_mut(place) else {
                    return;
                };
                bucket.1 = sign.count(bucket.1, count);
                if bucket.1 == 0 {
                    self.buckets.remove(place);
                }
            }
            Err(place) if sign == Sign::Plus && count > 0 => {
                self.buckets.insert(place, (least, count));
            }
            Err(_) => {}
        }
    }
}

// Differences of neighbours: one or two bytes each instead of four.
impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0;
        let steps = self.buckets.iter().map(|&(least, count)| {
            let step = least - last;
            last = least;
            (step, count)
        });
        serializer.collect_seq(steps)
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut sketch = Self::default();
        sketch.refilled().deserialize(deserializer)?;
        Ok(sketch)
    }
}

/// Replaces the buckets of a sketch by those it reads: one that is there has room.
pub(super) struct Refilled<'a>(&'a mut Sketch);

impl Sketch {
    /// What reads another sketch in place of this one.
    pub(super) fn refilled(&mut self) -> Refilled<'_> {
        Refilled(self)
    }
}

impl<'de> DeserializeSeed<'de> for Refilled<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Refilled<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the buckets of a sketch")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut buckets: A) -> Result<(), A::Error> {
        self.0.buckets.clear();
        // A damaged number must not make it large.
        let length = buckets.size_hint().unwrap_or(0).min(4096);
        self.0.buckets.reserve(length);
        let mut last = 0_u64;
        while let Some((step, count)) = buckets.next_element::<(u64, u64)>()? {
            last = last.saturating_add(step);
            self.0.buckets.push((last, count));
        }
        Ok(())
    }
}

/// Of several values, for tests.
#[cfg(test)]
pub(super) fn sketch(values: &[u64]) -> Sketch {
    let mut sum = Sketch::default();
    for &value in values {
        sum.add(&Sketch::of(value));
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_quantile_is_at_most_half_a_percent_off(
            mut values in prop::collection::vec(0..1_u64 << 50, 1..200),
            q in 0.01..1.0_f64,
        ) {
            let found = sketch(&values).quantile(q);
            values.sort_unstable();
            let is_rank = |rank: &usize| *rank as f64 >= values.len() as f64 * q;
            let rank = (1..=values.len()).find(is_rank).unwrap_or(1);
            let exact = values[rank - 1];
            let error = found.abs_diff(exact) as f64;
            prop_assert!(error <= exact as f64 * 0.005 + 1.0, "{found} for {exact}");
        }

        #[test]
        fn the_order_of_merging_does_not_matter(
            one in prop::collection::vec(0..1_u64 << 40, 0..50),
            other in prop::collection::vec(0..1_u64 << 40, 0..50),
        ) {
            let (mut left, mut right) = (sketch(&one), sketch(&other));
            left.add(&sketch(&other));
            right.add(&sketch(&one));
            prop_assert_eq!(&left, &right);
            prop_assert_eq!(left.count(), (one.len() + other.len()) as u64);
            left.merge(&sketch(&other), Sign::Minus);
            prop_assert_eq!(&left, &sketch(&one));
            let bytes = postcard::to_stdvec(&left).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Sketch>(&bytes).unwrap(), left);
        }
    }

    #[test]
    fn no_values_have_no_quantile() {
        assert_eq!(Sketch::default().quantile(0.5), 0);
    }

    #[test]
    fn a_single_value_is_its_own_quantile() {
        let value = 631_000_123;
        let sketch = Sketch::of(value);
        assert_ne!(sketch.quantile(0.5), value);
        assert_eq!(sketch.quantile_by_mean(0.5, Some(value)), value);
        assert_eq!(sketch.quantile_by_mean(0.5, None), sketch.quantile(0.5));
    }
}
