//! Divides the costs of functions and calls among lines.
//!
//! **Invariant:** the parts add up to the whole, which the graph has rounded: what
//! no line is known for is on the line where the function begins.

use std::collections::HashMap;

use profile::{Body, FileId, Profile, SelfCost, SymbolId};

/// A cost on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part<'p> {
    /// The file, if it is not that of the function.
    pub(super) file: Option<&'p [u8]>,
    /// None for the line where the function begins.
    pub(super) line: Option<u32>,
    pub(super) costs: [u64; 4],
    /// The number of calls; zero for a function's own costs.
    pub(super) calls: u64,
}

/// The costs of a profile's lines.
pub(super) struct LineParts<'p> {
    profile: &'p Profile,
    unit_ns: u64,
    own: HashMap<SymbolId, Vec<Known<'p>>>,
    calls: HashMap<(SymbolId, SymbolId), Vec<Known<'p>>>,
}

/// A cost as it was measured.
struct Known<'p> {
    file: Option<&'p [u8]>,
    line: u32,
    cost: SelfCost,
    /// None if calls were not counted.
    calls: Option<u64>,
}

impl<'p> LineParts<'p> {
    /// The parts of costs in units of this many nanoseconds.
    pub(super) fn new(profile: &'p Profile, unit_ns: u64) -> Self {
        let mut parts = Self {
            profile,
            unit_ns,
            own: HashMap::new(),
            calls: HashMap::new(),
        };
        for line in &profile.lines.list {
            if line.own == SelfCost::default() {
                continue;
            }
            let known = Known {
                file: parts.other_file(line.symbol, line.file),
                line: line.line,
                cost: line.own,
                calls: None,
            };
            parts.own.entry(line.symbol).or_default().push(known);
        }
        parts.add_calls();
        parts
    }

    /// The file of a line, if it is not that of the function.
    fn other_file(&self, symbol: SymbolId, file: Option<FileId>) -> Option<&'p [u8]> {
        let file = self.profile.lines.file(file)?;
        let own = self.profile.symbol(symbol).file.as_deref();
        (own != Some(file)).then_some(file)
    }

    /// The lines of calls, which samples have, and traced calls may have.
    fn add_calls(&mut self) {
        let profile = self.profile;
        for calls in &profile.lines.calls {
            let known = Known {
                file: self.other_file(calls.caller, calls.file),
                line: calls.line,
                cost: calls.cost,
                calls: Some(calls.calls),
            };
            let pair = (calls.caller, calls.callee);
            self.calls.entry(pair).or_default().push(known);
        }
        let Body::Samples(samples) = &profile.body else {
            return;
        };
        let [_, inclusive] = samples.lined_weights();
        let mut sums: HashMap<_, i64> = HashMap::new();
        for (stack, cost) in samples.lined.list.iter().zip(inclusive.iter().skip(1)) {
            let Some(caller) = samples
                .lined
                .get(stack.parent)
                .filter(|caller| caller.line > 0)
            else {
                continue;
            };
            let [from, to] = [caller.stack, stack.stack].map(|stack| samples[stack].symbol);
            let sum = sums
                .entry((from, to, caller.file, caller.line))
                .or_default();
            *sum = sum.saturating_add(*cost);
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_unstable();
        for ((from, to, file, line), wall) in sums {
            let file = file.and_then(|file| samples.lined.files.get(file.index()));
            let cost = SelfCost {
                wall,
                ..SelfCost::default()
            };
            self.calls.entry((from, to)).or_default().push(Known {
                file: file.map(|name| &**name),
                line,
                cost,
                calls: None,
            });
        }
    }

    /// The parts of a function's own costs.
    pub(super) fn own(&self, symbol: SymbolId, whole: [u64; 4]) -> Vec<Part<'p>> {
        self.divided(self.own.get(&symbol), whole, 0)
    }

    /// The parts of the costs of all calls of one function by another.
    pub(super) fn calls(
        &self,
        from: SymbolId,
        to: SymbolId,
        whole: [u64; 4],
        calls: u64,
    ) -> Vec<Part<'p>> {
        self.divided(self.calls.get(&(from, to)), whole, calls)
    }

    fn divided(
        &self,
        known: Option<&Vec<Known<'p>>>,
        whole: [u64; 4],
        calls: u64,
    ) -> Vec<Part<'p>> {
        let mut left = whole;
        let mut calls_left = calls;
        let mut parts: Vec<Part<'p>> = Vec::new();
        // Sums are rounded, and not each part: so the parts add up.
        let mut sum = SelfCost::default();
        let mut before = [0; 4];
        for line in known.into_iter().flatten() {
            sum += line.cost;
            let units = [self.unit_ns, self.unit_ns, 1, 1];
            let values = [sum.wall, sum.cpu, sum.memory, sum.peak];
            let mut costs = [0; 4];
            for index in 0..4 {
                let value = values[index].max(0).unsigned_abs();
                let now = value.saturating_add(units[index] / 2) / units[index];
                costs[index] = now.saturating_sub(before[index]).min(left[index]);
                before[index] = now.max(before[index]);
                left[index] -= costs[index];
            }
            if costs != [0; 4] || line.calls.is_some() {
                let calls = line.calls.map_or(calls, |calls| calls.min(calls_left));
                if line.calls.is_some() {
                    calls_left -= calls;
                }
                parts.push(Part {
                    file: line.file,
                    line: Some(line.line),
                    costs,
                    calls,
                });
            }
        }
        // What is left of rounding is no cost of another line.
        if left.iter().all(|left| *left <= 1)
            && let Some(last) = parts.last_mut()
        {
            for (cost, left) in last.costs.iter_mut().zip(left) {
                *cost += left;
            }
            if known.into_iter().flatten().any(|line| line.calls.is_some()) {
                last.calls += calls_left;
            }
        } else if parts.is_empty() || left != [0; 4] {
            let begin = Part {
                file: None,
                line: None,
                costs: left,
                calls: calls_left,
            };
            parts.insert(0, begin);
        }
        parts
    }
}
