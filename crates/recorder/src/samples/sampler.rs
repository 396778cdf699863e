//! Collects samples: distinct stacks with their weights.
//!
//! The extension's timer sets the times, its engine reports the running
//! functions; this module applies the limits and builds plain data.
//!
//! **Invariant:** no weight is lost. Beyond a limit it goes to a sample of the
//! same stack, or to `[truncated]`.

use std::collections::HashMap;

use profile::{NodeId, Sample, Samples, SamplesBuilder};

use crate::{Recorder, SymbolId};

/// The samples of one profile.
#[derive(Debug)]
pub struct Sampler {
    builder: SamplesBuilder,
    max_depth: usize,
    max_nodes: usize,
    symbols: u32,
    /// The functions of the last sample, the root first, with the stack that
    /// ends at each: most of them are in the next sample, too.
    path: Vec<(SymbolId, NodeId)>,
    /// The last sample of each stack, once the limit is reached.
    last_of: Option<HashMap<NodeId, usize>>,
    is_truncated: bool,
}

impl Sampler {
    /// Keeps the innermost `max_depth` functions of a stack; `max_nodes` limits
    /// both the distinct stacks and the samples.
    #[must_use]
    pub fn new(max_depth: usize, max_nodes: usize) -> Self {
        Self {
            builder: SamplesBuilder::default(),
            max_depth,
            max_nodes,
            // The same numbering as the recorder's, which begins with two
            // symbols.
            symbols: 2,
            path: Vec::new(),
            last_of: None,
            is_truncated: false,
        }
    }

    /// Creates a new symbol, numbered as in the recorder.
    pub fn add_symbol(&mut self) -> SymbolId {
        let symbol = SymbolId(self.symbols);
        self.symbols = self.symbols.saturating_add(1);
        symbol
    }

    /// Adds a sample of `stack`, root first and without `main()`, taken `at`
    /// nanoseconds after the beginning, with a weight of `weight` nanoseconds.
    pub fn add(&mut self, stack: &[SymbolId], at: u64, weight: u64) {
        let outer = stack.len().saturating_sub(self.max_depth);
        let kept = stack.get(outer..).unwrap_or(stack);
        if !self.builder.has_memory() {
            self.is_truncated = true;
            return;
        }
        let stack = self.node(kept);
        let sample = Sample::new(at, weight, stack);
        if self.builder.samples().len() < self.max_nodes {
            self.builder.add(sample);
        } else {
            self.add_to_last(sample);
        }
    }

    /// The number of stacks: those of samples, and their ancestors.
    #[must_use]
    pub fn stacks(&self) -> usize {
        self.builder.stacks()
    }

    /// Whether a limit was reached.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The samples so far.
    #[must_use]
    pub fn so_far(&self) -> Samples {
        self.builder.clone().finish()
    }

    /// All samples.
    #[must_use]
    pub fn finish(self) -> Samples {
        self.builder.finish()
    }

    fn node(&mut self, stack: &[SymbolId]) -> NodeId {
        let pairs = self.path.iter().zip(stack);
        let same = pairs.take_while(|((then, _), now)| then == *now).count();
        self.path.truncate(same);
        let mut node = self.path.last().map_or(NodeId::ROOT, |&(_, node)| node);
        for &symbol in stack.iter().skip(same) {
            let has_room = self.builder.stacks() < self.max_nodes && self.builder.has_memory();
            node = if has_room {
                self.builder.push(node, symbol)
            } else if let Some(known) = self.builder.existing(node, symbol) {
                known
            } else {
                self.is_truncated = true;
                return self.builder.push(NodeId::ROOT, Recorder::TRUNCATED);
            };
            self.path.push((symbol, node));
        }
        node
    }

    fn add_to_last(&mut self, sample: Sample) {
        self.is_truncated = true;
        let samples = self.builder.samples();
        let last_of = self.last_of.get_or_insert_with(|| {
            let stacks = samples.iter().map(|sample| sample.stack);
            stacks
                .enumerate()
                .map(|(index, stack)| (stack, index))
                .collect()
        });
        match last_of.get(&sample.stack) {
            Some(&index) => self.builder.add_weight(index, sample.weight),
            None => {
                // As many as there are stacks, which are limited.
                last_of.insert(sample.stack, samples.len());
                self.builder.add(sample);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: SymbolId = SymbolId(2);
    const B: SymbolId = SymbolId(3);

    fn paths(samples: &Samples) -> Vec<(Vec<u32>, u64)> {
        let path = |sample: &Sample| {
            let path = samples.path(sample.stack);
            let names = path.iter().skip(1).map(|symbol| symbol.0).collect();
            (names, sample.weight)
        };
        samples.samples.iter().map(path).collect()
    }

    #[test]
    fn the_depth_keeps_the_innermost_functions() {
        let mut sampler = Sampler::new(1, 100);
        sampler.add(&[A, B], 10, 10);
        sampler.add(&[], 20, 10);
        let samples = sampler.finish();
        assert_eq!(paths(&samples), [(vec![3], 10), (vec![], 10)]);
    }

    #[test]
    fn a_stack_is_the_same_whatever_stack_came_before() {
        let stacks: [&[SymbolId]; 6] = [&[A, B], &[A], &[A, B], &[B, B], &[], &[A, B, A]];
        let mut sampler = Sampler::new(usize::MAX, 100);
        for stack in stacks {
            sampler.add(stack, 10, 10);
        }
        let samples = sampler.finish();
        let numbers = |stack: &[SymbolId]| stack.iter().map(|symbol| symbol.0).collect();
        assert_eq!(paths(&samples), stacks.map(|stack| (numbers(stack), 10)));
        // main(), A, A B, B, B B and A B A.
        assert_eq!(samples.stacks.len(), 6);
    }

    #[test]
    fn weight_without_room_for_its_stack_is_truncated_not_lost() {
        let mut sampler = Sampler::new(usize::MAX, 2);
        sampler.add(&[A], 10, 10);
        sampler.add(&[A, B], 20, 10);
        assert!(sampler.is_truncated());
        let samples = sampler.finish();
        assert_eq!(paths(&samples), [(vec![2], 10), (vec![1], 10)]);
    }

    #[test]
    fn samples_without_room_add_to_the_last_of_their_stack() {
        let mut sampler = Sampler::new(usize::MAX, 3);
        for at in 1..=5 {
            sampler.add(if at % 2 == 0 { &[B] } else { &[A] }, at, 1);
        }
        assert!(sampler.is_truncated());
        let samples = sampler.finish();
        let all = [(vec![2], 1), (vec![3], 2), (vec![2], 2)];
        assert_eq!(paths(&samples), all);
    }
}
