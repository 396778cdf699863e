//! Stacks whose frames are functions at lines, for formats that have lines.
//!
//! **Invariants:** no frame and no stack occurs twice; a parent precedes its
//! children; a sample without lines has frames at the lines where their functions
//! begin.

use std::collections::HashMap;

use profile::{Body, LinedId, NodeId, NumberMap, Profile, Samples, SymbolId};

/// A function at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Frame<'p> {
    pub(crate) symbol: SymbolId,
    /// The file, if it is not that of the function.
    pub(crate) file: Option<&'p [u8]>,
    /// Zero if it is not known.
    pub(crate) line: u32,
}

/// The frames of a profile without lines: each function where it begins, by number.
pub(crate) fn plain_frames(profile: &Profile) -> Vec<Frame<'_>> {
    let symbols = (0..).zip(&profile.symbols);
    let frames = symbols.map(|(number, symbol)| Frame {
        symbol: SymbolId(number),
        file: None,
        line: symbol.line,
    });
    frames.collect()
}

/// The stacks of all samples.
pub(crate) struct LinedStacks<'p> {
    /// In the order of their first use.
    pub(crate) frames: Vec<Frame<'p>>,
    /// The parent and the innermost frame of each stack.
    pub(crate) nodes: Vec<(Option<u32>, u32)>,
    /// The stack of each sample.
    pub(crate) of_samples: Vec<u32>,
    samples: &'p Samples,
}

impl<'p> LinedStacks<'p> {
    /// The stacks of a profile of samples with lines; none of another one. `canonical` is the
    /// symbol that is written for all of one name.
    pub(crate) fn of(
        profile: &'p Profile,
        canonical: impl Fn(SymbolId) -> SymbolId,
    ) -> Option<Self> {
        let Body::Samples(samples) = &profile.body else {
            return None;
        };
        if samples.lined.list.is_empty() {
            return None;
        }
        let mut builder = Builder::default();
        let frame = |stack: NodeId, file, line| {
            let symbol = canonical(samples[stack].symbol);
            let begin = profile.symbol(symbol).line;
            let line = if line == 0 { begin } else { line };
            Frame { symbol, file, line }
        };
        let mut lined: Vec<Option<u32>> = vec![None];
        for stack in &samples.lined.list {
            let file = stack
                .file
                .and_then(|file| samples.lined.files.get(file.index()));
            let file = file.map(|name| &**name);
            let below = lined.get(stack.parent.0 as usize).copied().flatten();
            let node = builder.node(below, frame(stack.stack, file, stack.line));
            lined.push(Some(node));
        }
        let mut plain: HashMap<NodeId, u32> = HashMap::new();
        let of_samples = samples.samples.iter().map(|sample| {
            let known = lined.get(sample.lined.0 as usize).copied().flatten();
            if let Some(node) = known.filter(|_| sample.lined != LinedId::UNKNOWN) {
                return node;
            }
            let mut climb: Vec<NodeId> = samples.frames(sample.stack).map(|(id, _)| id).collect();
            let mut below = None;
            while let Some(stack) = climb.pop() {
                let node = plain
                    .entry(stack)
                    .or_insert_with(|| builder.node(below, frame(stack, None, 0)));
                below = Some(*node);
            }
            below.unwrap_or(0)
        });
        let of_samples = of_samples.collect();
        Some(Self {
            frames: builder.frames,
            nodes: builder.nodes,
            of_samples,
            samples,
        })
    }

    /// The frames of a stack, the innermost first.
    pub(crate) fn path(&self, node: u32) -> impl Iterator<Item = u32> {
        let at = |node: u32| self.nodes.get(node as usize).copied();
        std::iter::successors(at(node), move |(below, _)| at((*below)?)).map(|(_, frame)| frame)
    }

    /// Each stack that has a weight, with the sum of its samples.
    pub(crate) fn sums(&self) -> Vec<(u32, i64)> {
        let mut sums = vec![0_i64; self.nodes.len()];
        for (sample, node) in self.samples.samples.iter().zip(&self.of_samples) {
            if let Some(sum) = sums.get_mut(*node as usize) {
                *sum = sum.saturating_add_unsigned(sample.weight);
            }
        }
        let sums = (0..).zip(sums);
        sums.filter(|(_, sum)| *sum != 0).collect()
    }
}

#[derive(Default)]
struct Builder<'p> {
    frames: Vec<Frame<'p>>,
    frame_numbers: HashMap<Frame<'p>, u32>,
    nodes: Vec<(Option<u32>, u32)>,
    node_numbers: NumberMap<(u32, u32), u32>,
}

impl<'p> Builder<'p> {
    fn node(&mut self, below: Option<u32>, frame: Frame<'p>) -> u32 {
        let next = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        let frame = *self.frame_numbers.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            next
        });
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let key = (below.unwrap_or(u32::MAX), frame);
        *self.node_numbers.entry(key).or_insert_with(|| {
            self.nodes.push((below, frame));
            next
        })
    }
}
