//! The distinct stacks of a file's samples, with the sums of their values,
//! collected before locations and value types are known.
//!
//! **Invariant:** memory is proportional to distinct stacks. A sample that
//! repeats a million times takes no more than one.

use std::collections::hash_map::Entry;

use profile::{Budget, NumberMap, OverBudget};

/// A stack in [`Stacks`]: 0 is that without locations.
pub(super) type StackId = u32;

/// A location by its index in the order of first use, from 0.
pub(super) type Place = u32;

/// The noun in the budget's error message.
const PATHS: &str = "call paths";

/// The minimum bytes per frame of a stack, here and in a call tree: a tree has
/// a node for each.
const FRAME: usize = 60;

/// No row yet.
const NONE: u32 = u32::MAX;

/// All stacks, and the sums of their values.
#[derive(Debug)]
pub(super) struct Stacks {
    /// Of each stack: its parent, and the innermost location.
    nodes: Vec<(StackId, Place)>,
    found: NumberMap<(StackId, Place), StackId>,
    /// The last stack, root first: the next stacks usually begin alike.
    open: Vec<(Place, StackId)>,
    /// Where in `sums` the values of each stack are, in rows of `width`.
    rows: Vec<u32>,
    sums: Vec<i64>,
    width: Option<usize>,
    budget: Budget,
}

impl Stacks {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            nodes: vec![(0, 0)],
            found: NumberMap::default(),
            open: Vec::new(),
            rows: vec![NONE],
            sums: Vec::new(),
            width: None,
            budget: budget.clone(),
        }
    }

    /// Refuses a stack with more frames than the budget has room for.
    pub(super) fn expect(&self, frames: usize) -> Result<(), OverBudget> {
        self.budget.expect(frames, FRAME, PATHS)
    }

    /// The stack of these locations, the root first.
    pub(super) fn stack(
        &mut self,
        places: impl Iterator<Item = Place>,
    ) -> Result<StackId, OverBudget> {
        let mut stack = 0;
        for (depth, place) in places.enumerate() {
            if let Some(&(same, open)) = self.open.get(depth)
                && same == place
            {
                stack = open;
                continue;
            }
            self.open.truncate(depth);
            stack = self.push(stack, place)?;
            self.budget.room(&mut self.open, PATHS)?;
            self.open.push((place, stack));
        }
        Ok(stack)
    }

    fn push(&mut self, below: StackId, place: Place) -> Result<StackId, OverBudget> {
        self.budget.room_in_map(&mut self.found, PATHS)?;
        self.budget.room(&mut self.nodes, PATHS)?;
        self.budget.room(&mut self.rows, PATHS)?;
        match self.found.entry((below, place)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(vacant) => {
                // Far beyond the memory of any machine.
                let stack = StackId::try_from(self.nodes.len()).unwrap_or(0);
                self.nodes.push((below, place));
                self.rows.push(NONE);
                Ok(*vacant.insert(stack))
            }
        }
    }

    /// Adds the values of a sample; false if their number differs from before.
    pub(super) fn add(&mut self, stack: StackId, values: &[i64]) -> Result<bool, OverBudget> {
        if *self.width.get_or_insert(values.len()) != values.len() {
            return Ok(false);
        }
        let row = self.rows.get_mut(stack as usize);
        let row = row.map_or(NONE, |row| {
            if *row == NONE && !values.is_empty() {
                *row = u32::try_from(self.sums.len() / values.len()).unwrap_or(NONE);
            }
            *row
        });
        let start = (row as usize).saturating_mul(values.len());
        if start == self.sums.len() {
            self.budget
                .room_for(&mut self.sums, values.len(), "samples")?;
            self.sums.extend_from_slice(values);
        } else if let Some(sums) = self.sums.get_mut(start..) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = sum.saturating_add(*value);
            }
        }
        Ok(true)
    }

    /// The number of values of each sample; none if there are no samples.
    pub(super) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Calls `visit` with each stack that has samples: its locations, the
    /// innermost first, and the sums of its samples.
    pub(super) fn for_each_sampled(&self, mut visit: impl FnMut(&[Place], &[i64])) {
        let width = self.width.unwrap_or(0);
        let mut places = Vec::new();
        for (stack, &row) in self.rows.iter().enumerate() {
            let start = (row as usize).saturating_mul(width);
            let Some(sums) = self.sums.get(start..start.saturating_add(width)) else {
                continue;
            };
            places.clear();
            let mut at = stack;
            // A stack's parent has a smaller number; 0 has no location.
            while at > 0
                && let Some(&(below, place)) = self.nodes.get(at)
            {
                places.push(place);
                at = below as usize;
            }
            visit(&places, sums);
        }
    }

    /// Calls `visit` with each stack, parents first: its number, its parent,
    /// the innermost location, and the sums of its samples if it has any. Stops
    /// at the first error.
    pub(super) fn for_each<E>(
        self,
        mut visit: impl FnMut(StackId, StackId, Option<Place>, &[i64]) -> Result<(), E>,
    ) -> Result<(), E> {
        // The hash table is no longer needed, and the result needs its memory.
        self.budget.drop_map(self.found);
        self.budget.drop_list(self.open);
        let width = self.width.unwrap_or(0);
        for (number, (&(below, place), &row)) in (0..).zip(self.nodes.iter().zip(&self.rows)) {
            let place = (number > 0).then_some(place);
            let start = (row as usize).saturating_mul(width);
            let sums = self.sums.get(start..start.saturating_add(width));
            visit(number, below, place, sums.unwrap_or_default())?;
        }
        self.budget.drop_list(self.nodes);
        self.budget.drop_list(self.rows);
        self.budget.drop_list(self.sums);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one_and_their_values_add_up() {
        let mut stacks = Stacks::within(&Budget::unlimited());
        let lists: [&[Place]; 5] = [&[1, 2], &[1], &[1, 2], &[], &[2, 1]];
        for (times, list) in (1..).zip(lists) {
            let stack = stacks.stack(list.iter().copied()).unwrap();
            assert!(stacks.add(stack, &[times, 10]).unwrap());
        }
        assert!(!stacks.add(0, &[1]).unwrap());
        assert_eq!(stacks.width(), Some(2));
        let mut all = Vec::new();
        stacks
            .for_each(|number, below, place, sums| {
                all.push((number, below, place, sums.to_vec()));
                Ok::<(), ()>(())
            })
            .unwrap();
        assert_eq!(
            all,
            [
                (0, 0, None, vec![4, 10]),
                (1, 0, Some(1), vec![2, 10]),
                (2, 1, Some(2), vec![4, 20]),
                (3, 0, Some(2), vec![]),
                (4, 3, Some(1), vec![5, 10]),
            ]
        );
    }

    #[test]
    fn a_million_equal_samples_take_no_more_than_one() {
        let budget = Budget::default();
        let mut stacks = Stacks::within(&budget);
        let mut used = 0;
        for times in 0..1_000_000 {
            let stack = stacks.stack([1, 2, 3].into_iter()).unwrap();
            assert!(stacks.add(stack, &[1]).unwrap());
            if times == 0 {
                used = budget.used();
            }
        }
        assert_eq!(budget.used(), used);
    }

    #[test]
    fn a_stack_that_no_tree_can_hold_is_refused_at_once() {
        let budget = Budget::new(64 << 20);
        let stacks = Stacks::within(&budget);
        stacks.expect(100_000).unwrap();
        assert!(stacks.expect(1_000_000).is_err());
    }
}
