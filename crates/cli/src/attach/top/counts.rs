//! How many samples each function was in: in the last second, and since the start.

use std::collections::HashMap;

use ::attach::Frame;
use profile::SymbolId;

/// The samples of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Those in which it was the innermost function.
    pub(super) own: u64,
    /// Those in which it was anywhere; once, if it called itself.
    pub(super) inclusive: u64,
}

/// The samples of a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    counts: HashMap<SymbolId, Count>,
    pub(super) samples: u64,
    pub(super) idle: u64,
    pub(super) torn: u64,
}

/// The samples of the last second, and all.
#[derive(Debug, Default)]
pub(super) struct Counts {
    running: Window,
    last: Window,
    pub(super) all: Window,
}

impl Window {
    /// The samples of a function.
    pub(super) fn of(&self, symbol: SymbolId) -> Count {
        self.counts.get(&symbol).copied().unwrap_or_default()
    }

    /// All functions that were seen.
    pub(super) fn symbols(&self) -> impl Iterator<Item = SymbolId> {
        self.counts.keys().copied()
    }

    fn add(&mut self, frames: &[Frame]) {
        self.samples += 1;
        let innermost = frames.last().map_or(SymbolId::ROOT, |frame| frame.symbol);
        self.counts.entry(innermost).or_default().own += 1;
        self.counts.entry(SymbolId::ROOT).or_default().inclusive += 1;
        for (index, frame) in frames.iter().enumerate() {
            let before = frames.get(..index).unwrap_or_default();
            if !before.iter().any(|other| other.symbol == frame.symbol) {
                self.counts.entry(frame.symbol).or_default().inclusive += 1;
            }
        }
    }
}

impl Counts {
    /// The last whole second; in the first one, what there is.
    pub(super) fn now(&self) -> &Window {
        let has_none = self.last.samples + self.last.idle + self.last.torn == 0;
        if has_none { &self.running } else { &self.last }
    }

    pub(super) fn add(&mut self, frames: &[Frame]) {
        self.running.add(frames);
        self.all.add(frames);
    }

    pub(super) fn add_idle(&mut self) {
        self.running.idle += 1;
        self.all.idle += 1;
    }

    pub(super) fn add_torn(&mut self) {
        self.running.torn += 1;
        self.all.torn += 1;
    }

    /// What runs becomes the last second.
    pub(super) fn second_is_over(&mut self) {
        self.last = std::mem::take(&mut self.running);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(symbols: &[u32]) -> Vec<Frame> {
        let frame = |symbol: &u32| Frame::of(SymbolId(*symbol));
        symbols.iter().map(frame).collect()
    }

    #[test]
    fn recursion_is_counted_once() {
        let mut counts = Counts::default();
        counts.add(&frames(&[5, 6, 5]));
        counts.add(&frames(&[]));
        assert_eq!(
            counts.all.of(SymbolId(5)),
            Count {
                own: 1,
                inclusive: 1
            }
        );
        assert_eq!(
            counts.all.of(SymbolId(6)),
            Count {
                own: 0,
                inclusive: 1
            }
        );
        assert_eq!(
            counts.all.of(SymbolId::ROOT),
            Count {
                own: 1,
                inclusive: 2
            }
        );
    }

    #[test]
    fn the_last_second_is_a_whole_one() {
        let mut counts = Counts::default();
        counts.add(&frames(&[5]));
        assert_eq!(counts.now().samples, 1);
        counts.second_is_over();
        counts.add(&frames(&[6]));
        assert_eq!(counts.now().of(SymbolId(5)).own, 1);
        assert_eq!(counts.now().of(SymbolId(6)).own, 0);
        assert_eq!(counts.all.samples, 2);
    }
}
