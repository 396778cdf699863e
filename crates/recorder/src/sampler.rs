//! The classic sampling: a look at the clock whenever a function begins or
//! ends, and one sample for each slot of time that has passed since.
//!
//! It is what XHProf's sampling mode has always done. It costs little and
//! misses whatever happens between two function boundaries: the stack at the
//! end of the slot stands for the whole of it.

use std::collections::HashMap;

use crate::{CallSite, SymbolId};

/// One stack, and when its slot began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Start of the slot, in microseconds since the epoch.
    pub slot_us: u64,
    /// Root first, without `main()`.
    pub stack: Box<[SymbolId]>,
}

/// A stack of functions and the samples taken of it.
#[derive(Debug)]
pub struct Sampler {
    session: u32,
    interval_us: u64,
    max_depth: usize,
    /// When the last sampled slot began.
    last_slot_us: u64,
    frames: Vec<(usize, SymbolId)>,
    fibers: HashMap<usize, Vec<(usize, SymbolId)>>,
    samples: Vec<Sample>,
    symbols: u32,
}

impl Sampler {
    /// Begins sampling at `now_us` (microseconds since the epoch), every
    /// `interval_us`, keeping the innermost `max_depth` frames of a stack.
    #[must_use]
    pub fn new(session: u32, interval_us: u64, max_depth: usize, now_us: u64) -> Self {
        let interval_us = interval_us.max(1);
        Self {
            session,
            interval_us,
            max_depth,
            last_slot_us: now_us - now_us % interval_us,
            frames: Vec::new(),
            fibers: HashMap::new(),
            samples: Vec::new(),
            // The same numbering as the recorder's, which begins with two.
            symbols: 2,
        }
    }

    /// The number that tells this run's tokens from those of earlier ones.
    #[must_use]
    pub fn session(&self) -> u32 {
        self.session
    }

    /// Makes a new symbol, numbered as the recorder would.
    pub fn add_symbol(&mut self) -> SymbolId {
        let symbol = SymbolId(self.symbols);
        self.symbols = self.symbols.saturating_add(1);
        symbol
    }

    /// Notes a call; gives back the depth to hand to [`leave`](Self::leave).
    pub fn enter(&mut self, symbol: SymbolId, site: &impl CallSite, now_us: u64) -> usize {
        while self.frames.pop_if(|top| site.is_stale(top.0)).is_some() {}
        self.look(now_us);
        self.frames.push((site.mark(), symbol));
        self.frames.len() - 1
    }

    /// Notes the return of the call entered at `depth`.
    pub fn leave(&mut self, depth: usize, now_us: u64) {
        if depth < self.frames.len() {
            self.frames.truncate(depth + 1);
            self.look(now_us);
            self.frames.pop();
        }
    }

    /// Notes the return of the call entered with `mark`; for engines that
    /// cannot carry a depth from entry to exit.
    pub fn leave_marked(&mut self, mark: usize, now_us: u64) {
        if let Some(depth) = self.frames.iter().rposition(|frame| frame.0 == mark) {
            self.leave(depth, now_us);
        }
    }

    /// Notes that the thread leaves fiber `from` and goes on in fiber `to`.
    pub fn fiber_switched(&mut self, from: usize, to: usize, now_us: u64) {
        self.look(now_us);
        let arriving = self.fibers.remove(&to).unwrap_or_default();
        let leaving = std::mem::replace(&mut self.frames, arriving);
        self.fibers.insert(from, leaving);
    }

    /// Notes that a fiber is gone.
    pub fn fiber_destroyed(&mut self, fiber: usize) {
        self.fibers.remove(&fiber);
    }

    /// All samples, oldest first, with one last look at the clock.
    pub fn finish(&mut self, now_us: u64) -> Vec<Sample> {
        self.look(now_us);
        std::mem::take(&mut self.samples)
    }

    /// Takes a sample for each whole slot that has passed.
    fn look(&mut self, now_us: u64) {
        if now_us.saturating_sub(self.last_slot_us) <= self.interval_us {
            return;
        }
        let skipped = self.frames.len().saturating_sub(self.max_depth);
        let kept = self.frames.iter().skip(skipped);
        let stack: Box<[SymbolId]> = kept.map(|frame| frame.1).collect();
        while now_us.saturating_sub(self.last_slot_us) > self.interval_us {
            self.last_slot_us += self.interval_us;
            self.samples.push(Sample {
                slot_us: self.last_slot_us,
                stack: stack.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackAddress;

    const A: SymbolId = SymbolId(2);
    const B: SymbolId = SymbolId(3);

    fn stacks(samples: &[Sample]) -> Vec<(u64, Vec<u32>)> {
        let stack = |sample: &Sample| sample.stack.iter().map(|symbol| symbol.0).collect();
        samples
            .iter()
            .map(|sample| (sample.slot_us, stack(sample)))
            .collect()
    }

    #[test]
    fn each_slot_that_passed_gets_the_stack_that_is_then_seen() {
        let mut sampler = Sampler::new(1, 100, usize::MAX, 1_030);
        let a = sampler.enter(A, &StackAddress(90), 1_050);
        let b = sampler.enter(B, &StackAddress(80), 1_320);
        sampler.leave(b, 1_350);
        sampler.leave(a, 1_450);
        let samples = sampler.finish(1_460);
        let a_only = [1_100, 1_200, 1_300, 1_400].map(|slot| (slot, vec![2]));
        assert_eq!(stacks(&samples), a_only);
    }

    #[test]
    fn the_depth_keeps_the_innermost_frames() {
        let mut sampler = Sampler::new(1, 10, 1, 0);
        sampler.enter(A, &StackAddress(90), 0);
        let b = sampler.enter(B, &StackAddress(80), 1);
        sampler.leave(b, 15);
        assert_eq!(stacks(&sampler.finish(15)), [(10, vec![3])]);
    }

    #[test]
    fn frames_that_were_jumped_over_are_dropped() {
        let mut sampler = Sampler::new(1, 10, usize::MAX, 0);
        sampler.enter(A, &StackAddress(90), 0);
        sampler.enter(B, &StackAddress(80), 0);
        let again = sampler.enter(A, &StackAddress(95), 1);
        sampler.leave(again, 30);
        assert_eq!(stacks(&sampler.finish(30)), [(10, vec![2]), (20, vec![2])]);
    }

    #[test]
    fn each_fiber_has_its_own_stack() {
        let mut sampler = Sampler::new(1, 10, usize::MAX, 0);
        sampler.enter(A, &StackAddress(90), 0);
        sampler.fiber_switched(1, 2, 1);
        let b = sampler.enter(B, &StackAddress(500), 2);
        sampler.leave(b, 12);
        sampler.fiber_switched(2, 1, 13);
        assert_eq!(stacks(&sampler.finish(25)), [(10, vec![3]), (20, vec![2])]);
    }
}
