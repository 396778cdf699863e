//! Collects samples of many processes into one profile.

use std::collections::HashMap;

use profile::{
    Body, Budget, FileId, LinedId, Meta, Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder,
    Spans, SymbolId,
};

use crate::symbols::Symbols;
use crate::worker::{Frame, Place, Stack};

/// Samples, and what to say of them.
#[derive(Debug, Default)]
pub struct Collector {
    builder: SamplesBuilder,
    /// The last sample of each stack, once there are too many samples.
    last_of: HashMap<(NodeId, LinedId), usize>,
    is_full: bool,
    torn: u64,
    idle: u64,
}

/// Beyond that number, samples of one stack are added up: some 100 MB.
const MOST_SAMPLES: usize = 4 << 20;
/// The most stacks.
const MOST_STACKS: usize = 4 << 20;

impl Collector {
    /// Adds a stack, taken `at` nanoseconds after the beginning, that stands for `weight` nanoseconds.
    pub fn add(&mut self, stack: Stack<'_>, at: u64, weight: u64) {
        let (stack, lined) = self.push(stack);
        self.add_sample(Sample {
            lined,
            ..Sample::new(at, weight, stack)
        });
    }

    fn push(&mut self, calls: Stack<'_>) -> (NodeId, LinedId) {
        let mut stack = NodeId::ROOT;
        let places = calls.frames.iter().map(|frame| frame.place);
        let has_lines = places.chain([calls.main]).any(|place| place.line > 0);
        let mut lined = if has_lines {
            self.line(LinedId::UNKNOWN, stack, calls.main)
        } else {
            LinedId::UNKNOWN
        };
        for frame in calls.frames {
            if self.builder.stacks() >= MOST_STACKS
                && self.builder.existing(stack, frame.symbol).is_none()
            {
                self.is_full = true;
                stack = self.builder.push(NodeId::ROOT, Symbols::TRUNCATED);
                return (stack, LinedId::UNKNOWN);
            }
            stack = self.builder.push(stack, frame.symbol);
            lined = self.line(lined, stack, frame.place);
        }
        (stack, lined)
    }

    fn line(&mut self, caller: LinedId, stack: NodeId, place: Place) -> LinedId {
        // The files are those of the symbols; `finish` names them.
        if self.builder.lined() < MOST_STACKS {
            self.builder.line(caller, stack, place.file, place.line)
        } else {
            let known = (self.builder).existing_line(caller, stack, place.file, place.line);
            self.is_full |= known == LinedId::UNKNOWN;
            known
        }
    }

    /// Adds a stack whose instant does not matter: one sample for each stack, however long it takes.
    pub fn count(&mut self, stack: Stack<'_>, weight: u64) {
        let (stack, lined) = self.push(stack);
        self.builder.count(stack, lined, weight);
    }

    /// Adds a time in which a worker waited for a request, for profiles that show it.
    pub fn add_idle(&mut self, at: u64, weight: u64) {
        let idle = Stack {
            frames: &[Frame::of(Symbols::IDLE)],
            ..Stack::default()
        };
        self.add(idle, at, weight);
    }

    /// Counts a worker that waited for a request.
    pub fn count_idle(&mut self) {
        self.idle += 1;
    }

    /// Counts a stack that was torn.
    pub fn count_torn(&mut self) {
        self.torn += 1;
    }

    /// The number of samples.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.builder.samples().len()
    }

    /// How many stacks were torn.
    #[must_use]
    pub fn torn(&self) -> u64 {
        self.torn
    }

    /// How often a worker waited for a request.
    #[must_use]
    pub fn idle(&self) -> u64 {
        self.idle
    }

    fn add_sample(&mut self, sample: Sample) {
        let next = self.builder.samples().len();
        if next >= MOST_SAMPLES {
            self.is_full = true;
            let key = (sample.stack, sample.lined);
            if let Some(index) = self.last_of.get(&key) {
                self.builder.add_weight(*index, sample.weight);
                return;
            }
            self.last_of.insert(key, next);
        }
        self.builder.add(sample);
    }

    /// The profile of all samples. `meta` has what the caller knows.
    #[must_use]
    pub fn finish(self, symbols: &Symbols, interval_ns: u64, meta: Meta) -> Profile {
        let mut meta = Meta {
            mode: Mode::Sampled,
            interval_ns: Some(interval_ns),
            is_truncated: meta.is_truncated || self.is_full,
            ..meta
        };
        if self.torn > 0 {
            meta.set_tag(TORN, self.torn.to_string());
        }
        let samples = self.builder.finish();
        let (symbols, samples) = used(symbols, samples);
        let lines = samples.lines(&symbols, &Budget::unlimited());
        Profile {
            symbols,
            body: Body::Samples(samples),
            metrics: Metrics {
                calls: false,
                ..Metrics::default()
            },
            meta,
            spans: Spans::default(),
            lines,
        }
    }
}

/// The tag with the number of stacks that were torn, and are not in the profile.
pub const TORN: &str = "torn";

/// The samples with only those symbols and files that occur in them.
fn used(
    symbols: &Symbols,
    mut samples: profile::Samples,
) -> (Vec<profile::Symbol>, profile::Samples) {
    let mut numbers: HashMap<SymbolId, SymbolId> = HashMap::new();
    let mut list = Vec::new();
    for stack in &mut samples.stacks {
        let next = SymbolId(u32::try_from(numbers.len()).unwrap_or(u32::MAX));
        stack.symbol = *numbers.entry(stack.symbol).or_insert_with_key(|symbol| {
            list.extend(symbols.get(*symbol).cloned());
            next
        });
    }
    let mut files: HashMap<FileId, FileId> = HashMap::new();
    let lined = &mut samples.lined;
    for file in lined
        .list
        .iter_mut()
        .filter_map(|stack| stack.file.as_mut())
    {
        let next = FileId(u32::try_from(files.len()).unwrap_or(u32::MAX));
        *file = *files.entry(*file).or_insert_with_key(|file| {
            lined
                .files
                .push(symbols.file(*file).unwrap_or_default().into());
            next
        });
    }
    (list, samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_stacks_are_one_sample_each() {
        let mut collector = Collector::default();
        for weight in [3, 4] {
            collector.count(Stack::default(), weight);
            collector.add_idle(0, 1);
        }
        assert_eq!(collector.samples(), 3);
        let profile = collector.finish(&Symbols::default(), 5, Meta::default());
        let Body::Samples(samples) = &profile.body else {
            panic!("not samples")
        };
        assert_eq!((samples.samples[0].at, samples.samples[0].weight), (0, 7));
        assert_eq!(samples.weight(), 9);
    }

    #[test]
    fn a_profile_has_the_symbols_of_its_stacks_only() {
        let mut symbols = Symbols::default();
        let [_, f, g] =
            [&b"unused"[..], b"f", b"g"].map(|name| symbols.add(profile::Symbol::new(name)));
        let page = symbols.add_file(b"/srv/page.php");
        let mut collector = Collector::default();
        for (at, calls) in [(10, &[f, g][..]), (20, &[g]), (30, &[])] {
            let call = |symbol: &SymbolId| Frame {
                place: Place {
                    file: page,
                    line: if *symbol == f { 7 } else { 8 },
                },
                ..Frame::of(*symbol)
            };
            let frames: Vec<_> = calls.iter().map(call).collect();
            let main = Place {
                file: None,
                line: 3,
            };
            let frames = frames.as_slice();
            collector.add(Stack { main, frames }, at, 5);
        }
        collector.add_idle(40, 5);
        collector.count_torn();
        let profile = collector.finish(&symbols, 5, Meta::default());
        let names: Vec<_> = profile.symbols.iter().map(|symbol| &*symbol.name).collect();
        assert_eq!(names, [&b"main()"[..], b"f", b"g", b"[idle]"]);
        assert_eq!(profile.meta.tag(TORN), Some("1"));
        let Body::Samples(samples) = &profile.body else {
            panic!("not samples")
        };
        assert_eq!(samples.weight(), 20);
        let path = samples.path(samples.samples[0].stack);
        assert_eq!(path, [SymbolId(0), SymbolId(1), SymbolId(2)]);
        assert_eq!(samples.lined.files, [b"/srv/page.php"[..].into()]);
        let lines = profile.lines.list.iter().map(|line| {
            let costs = (line.own.wall, line.callees.wall);
            (profile.name(line.symbol), line.line, costs)
        });
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                (&b"main()"[..], 3, (5, 10)),
                (b"f", 7, (0, 5)),
                (b"g", 8, (10, 0)),
            ]
        );
    }
}
