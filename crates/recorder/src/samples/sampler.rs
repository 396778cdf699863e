//! Collects samples: distinct stacks with their weights.
//!
//! The extension's timer sets the times, its engine reports the running
//! functions; this module applies the limits and builds plain data.
//!
//! **Invariant:** no weight is lost. Beyond a limit it goes to a sample of the
//! same stack, or to `[truncated]`.

use std::collections::HashMap;

use profile::{FileId, LinedId, NodeId, Sample, Samples, SamplesBuilder};

use crate::{Recorder, SymbolId};

/// What a function executes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampledPlace {
    /// The file, by [`Sampler::add_file`], if it is not that of the function.
    pub file: Option<FileId>,
    /// The line; zero if it is not known.
    pub line: u32,
}

/// A call in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledCall {
    /// The function.
    pub symbol: SymbolId,
    /// What it executes.
    pub place: SampledPlace,
}

impl SampledCall {
    /// A call whose line is not known.
    #[must_use]
    pub fn of(symbol: SymbolId) -> Self {
        Self {
            symbol,
            place: SampledPlace::default(),
        }
    }
}

/// A stack, without and with its lines.
type Place = (NodeId, LinedId);

/// The samples of one profile.
#[derive(Debug)]
pub struct Sampler {
    builder: SamplesBuilder,
    max_depth: usize,
    max_nodes: usize,
    symbols: u32,
    /// What `main()` executed in the last sample, and its stack.
    main: (SampledPlace, LinedId),
    /// The calls of the last sample, the root first, with the stack that
    /// ends at each: most of them are in the next sample, too.
    path: Vec<(SampledCall, Place)>,
    /// The last sample of each stack, once the limit is reached.
    last_of: Option<HashMap<Place, usize>>,
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
            main: (SampledPlace::default(), LinedId::UNKNOWN),
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

    /// The number of a file that functions execute; none if there is no memory for it.
    pub fn add_file(&mut self, name: &[u8]) -> Option<FileId> {
        self.builder.line_file(name)
    }

    /// Adds a sample of `stack`, root first and without `main()`, which executes `main`, taken `at`
    /// nanoseconds after the beginning, with a weight of `weight` nanoseconds.
    pub fn add(&mut self, main: SampledPlace, stack: &[SampledCall], at: u64, weight: u64) {
        let outer = stack.len().saturating_sub(self.max_depth);
        let kept = stack.get(outer..).unwrap_or(stack);
        if !self.builder.has_memory() {
            self.is_truncated = true;
            return;
        }
        let (stack, lined) = self.node(main, kept);
        let sample = Sample {
            lined,
            ..Sample::new(at, weight, stack)
        };
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

    fn node(&mut self, main: SampledPlace, stack: &[SampledCall]) -> Place {
        if self.main.0 != main || self.main.1 == LinedId::UNKNOWN {
            self.path.clear();
            let lined = self.line(LinedId::UNKNOWN, NodeId::ROOT, main);
            self.main = (main, lined);
        }
        let pairs = self.path.iter().zip(stack);
        let same = pairs.take_while(|((then, _), now)| then == *now).count();
        self.path.truncate(same);
        let root = (NodeId::ROOT, self.main.1);
        let (mut node, mut lined) = self.path.last().map_or(root, |&(_, place)| place);
        for &call in stack.iter().skip(same) {
            let has_room = self.builder.stacks() < self.max_nodes && self.builder.has_memory();
            node = if has_room {
                self.builder.push(node, call.symbol)
            } else if let Some(known) = self.builder.existing(node, call.symbol) {
                known
            } else {
                self.is_truncated = true;
                let truncated = self.builder.push(NodeId::ROOT, Recorder::TRUNCATED);
                return (truncated, LinedId::UNKNOWN);
            };
            lined = self.line(lined, node, call.place);
            self.path.push((call, (node, lined)));
        }
        (node, lined)
    }

    /// The stack with lines; without room for it, the lines are not known.
    fn line(&mut self, caller: LinedId, node: NodeId, place: SampledPlace) -> LinedId {
        if self.builder.lined() < self.max_nodes && self.builder.has_memory() {
            self.builder.line(caller, node, place.file, place.line)
        } else {
            let known = (self.builder).existing_line(caller, node, place.file, place.line);
            self.is_truncated |= known == LinedId::UNKNOWN;
            known
        }
    }

    fn add_to_last(&mut self, sample: Sample) {
        self.is_truncated = true;
        let place = |sample: &Sample| (sample.stack, sample.lined);
        let samples = self.builder.samples();
        let last_of = self.last_of.get_or_insert_with(|| {
            let places = samples.iter().map(place);
            places
                .enumerate()
                .map(|(index, place)| (place, index))
                .collect()
        });
        match last_of.get(&place(&sample)) {
            Some(&index) => self.builder.add_weight(index, sample.weight),
            None => {
                // As many as there are stacks, which are limited.
                last_of.insert(place(&sample), samples.len());
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

    fn add(sampler: &mut Sampler, stack: &[SymbolId], at: u64, weight: u64) {
        let calls: Vec<_> = stack.iter().copied().map(SampledCall::of).collect();
        sampler.add(SampledPlace::default(), &calls, at, weight);
    }

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
        add(&mut sampler, &[A, B], 10, 10);
        add(&mut sampler, &[], 20, 10);
        let samples = sampler.finish();
        assert_eq!(paths(&samples), [(vec![3], 10), (vec![], 10)]);
    }

    #[test]
    fn a_stack_is_the_same_whatever_stack_came_before() {
        let stacks: [&[SymbolId]; 6] = [&[A, B], &[A], &[A, B], &[B, B], &[], &[A, B, A]];
        let mut sampler = Sampler::new(usize::MAX, 100);
        for stack in stacks {
            add(&mut sampler, stack, 10, 10);
        }
        let samples = sampler.finish();
        let numbers = |stack: &[SymbolId]| stack.iter().map(|symbol| symbol.0).collect();
        assert_eq!(paths(&samples), stacks.map(|stack| (numbers(stack), 10)));
        // main(), A, A B, B, B B and A B A.
        assert_eq!(samples.stacks.len(), 6);
    }

    #[test]
    fn stacks_of_other_lines_are_other_stacks_with_lines() {
        let mut sampler = Sampler::new(usize::MAX, 100);
        let file = sampler.add_file(b"/index.php");
        let place = |file, line| SampledPlace { file, line };
        for (at, main, lines) in [
            (1, 7, [3, 4]),
            (2, 7, [3, 5]),
            (3, 8, [3, 5]),
            (4, 7, [3, 4]),
        ] {
            let calls = [A, B].iter().zip(lines).map(|(symbol, line)| SampledCall {
                symbol: *symbol,
                place: place(None, line),
            });
            let calls: Vec<_> = calls.collect();
            sampler.add(place(file, main), &calls, at, 1);
        }
        let samples = sampler.finish();
        assert_eq!(samples.stacks.len(), 3);
        let lines = samples.samples.iter().map(|sample| {
            let frames = samples.lined.frames(sample.lined);
            frames.map(|(_, frame)| frame.line).collect::<Vec<_>>()
        });
        let expected = [[4, 3, 7], [5, 3, 7], [5, 3, 8], [4, 3, 7]];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
        assert_eq!(samples.lined.list.len(), 7);
    }

    #[test]
    fn weight_without_room_for_its_stack_is_truncated_not_lost() {
        let mut sampler = Sampler::new(usize::MAX, 2);
        add(&mut sampler, &[A], 10, 10);
        add(&mut sampler, &[A, B], 20, 10);
        assert!(sampler.is_truncated());
        let samples = sampler.finish();
        assert_eq!(paths(&samples), [(vec![2], 10), (vec![1], 10)]);
    }

    #[test]
    fn samples_without_room_add_to_the_last_of_their_stack() {
        let mut sampler = Sampler::new(usize::MAX, 3);
        for at in 1..=5 {
            add(&mut sampler, if at % 2 == 0 { &[B] } else { &[A] }, at, 1);
        }
        assert!(sampler.is_truncated());
        let samples = sampler.finish();
        let all = [(vec![2], 1), (vec![3], 2), (vec![2], 2)];
        assert_eq!(paths(&samples), all);
    }
}
