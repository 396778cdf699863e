//! The sum of many sketches: a count for each bucket, whether it has values or not.
//!
//! To merge two sketches copies both. For the sum of hundreds that is most of the work,
//! so here each bucket of a sketch costs one addition.
//!
//! **Invariant:** the sum is that of [`Sketch::add`], whatever the sketches are.

use super::{Sign, Sketch};

/// A sum of sketches.
#[derive(Debug, Clone, Default)]
pub(crate) struct SketchSum {
    /// The counts of the buckets from number `first` on.
    counts: Vec<u64>,
    first: usize,
    /// The first buckets, as most sums of hours have no more. And values that are not the
    /// least of a bucket, which only damaged sketches have.
    few: Sketch,
}

/// How many buckets the sum has before there is a count for each.
const FEW: usize = 64;

/// Buckets of a power of two, as the sketches have them.
const BUCKETS: usize = 128;

/// The bits of a bucket's number within its power of two, and the one before them.
const BITS: u32 = BUCKETS.ilog2() + 1;

/// The number of the bucket with that least value; none if there is no such bucket.
fn number(least: u64) -> Option<usize> {
    let shift = (u64::BITS - least.leading_zeros()).saturating_sub(BITS);
    let top = least >> shift;
    let number = shift as usize * BUCKETS + usize::try_from(top).ok()?;
    (top << shift == least).then_some(number)
}

/// The least value of a bucket.
fn least(number: usize) -> u64 {
    let shift = (number / BUCKETS).saturating_sub(1);
    ((number - shift * BUCKETS) as u64) << shift
}

impl SketchSum {
    /// Adds a sketch.
    pub(crate) fn add(&mut self, sketch: &Sketch) {
        self.add_times(sketch, 1);
    }

    /// Adds each value of a sketch that many times.
    pub(crate) fn add_times(&mut self, sketch: &Sketch, weight: u64) {
        let buckets = sketch.bucket_list();
        if self.counts.is_empty() && self.few.buckets() + buckets.len() <= FEW {
            self.add_few(sketch, weight);
            return;
        }
        let ends = buckets.first().zip(buckets.last());
        let Some((first, last)) = ends.and_then(|(first, last)| {
            let (first, last) = (number(first.0)?, number(last.0)?);
            (first <= last).then_some((first, last))
        }) else {
            self.add_few(sketch, weight);
            return;
        };
        self.make_room(first, last);
        for &(least, count) in buckets {
            let count = count.saturating_mul(weight);
            let place = number(least).and_then(|number| number.checked_sub(self.first));
            match place.and_then(|place| self.counts.get_mut(place)) {
                Some(sum) => *sum = sum.saturating_add(count),
                None => self.few.merge_one(least, count, Sign::Plus),
            }
        }
    }

    fn add_few(&mut self, sketch: &Sketch, weight: u64) {
        match weight {
            1 => self.few.merge(sketch, Sign::Plus),
            weight => self.few.merge(&sketch.times(weight), Sign::Plus),
        }
    }

    /// Makes the buckets from `first` to `last` part of the counts.
    fn make_room(&mut self, first: usize, last: usize) {
        if self.counts.is_empty() {
            self.first = first;
        }
        if let Some(before) = self.first.checked_sub(first).filter(|before| *before > 0) {
            self.counts.splice(0..0, std::iter::repeat_n(0, before));
            self.first = first;
        }
        let length = last + 1 - self.first;
        if length > self.counts.len() {
            self.counts.resize(length, 0);
        }
    }

    /// The sum as a sketch.
    pub(crate) fn sketch(&self) -> Sketch {
        let numbers = (self.first..).zip(&self.counts);
        let mut sketch = Sketch::of_buckets(numbers.map(|(number, count)| (least(number), *count)));
        sketch.merge(&self.few, Sign::Plus);
        sketch
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sketch::sketch;
    use super::*;

    #[test]
    fn buckets_are_those_of_sketches() {
        let mut last = None;
        for power in 0..64 {
            for step in 0..1000_u128 {
                let value = (1_u128 << power) + (step << power) / 1000;
                let value = u64::try_from(value).unwrap();
                let bucket = Sketch::of(value).bucket_list()[0].0;
                let number = number(bucket).unwrap();
                assert_eq!(least(number), bucket, "{value}");
                assert!(last.is_none_or(|last| last <= (number, bucket)), "{value}");
                last = Some((number, bucket));
            }
        }
        assert_eq!(number(0), Some(0));
        assert_eq!(least(0), 0);
        // Two of one bucket.
        assert_eq!(
            (number(256), number(257), number(258)),
            (Some(256), None, Some(257))
        );
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_merged_sketches(
            all in prop::collection::vec(
                (prop::collection::vec(any::<u64>().prop_map(|value| value >> (value % 64)), 0..40), 1..4_u64),
                0..20,
            ),
            damaged in prop::collection::vec((any::<u64>(), 1..9_u64), 0..4),
        ) {
            let (mut sum, mut merged) = (SketchSum::default(), Sketch::default());
            for (values, weight) in &all {
                sum.add_times(&sketch(values), *weight);
                merged.add(&sketch(values).times(*weight));
            }
            prop_assert_eq!(sum.sketch(), merged.clone());
            let mut damaged = damaged;
            damaged.sort_unstable();
            damaged.dedup_by_key(|bucket| bucket.0);
            let damaged = Sketch::of_buckets(damaged);
            sum.add(&damaged);
            merged.add(&damaged);
            prop_assert_eq!(sum.sketch(), merged);
        }
    }
}
